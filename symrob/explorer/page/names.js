// What things are called: items, actions, states, verdicts.

import { TAU, transition, universe } from "./machine.js";

export const LABELS = {
  tolerated: "Tolerated",
  hazardous: "Hazardous",
  "excluded-unsafe": "Unsafe, excluded",
  "excluded-safe": "Safe, excluded",
  undecided: "Not decided",
  asking: "Searching",
};

export const MEANINGS = {
  tolerated: "Every property holds with the controller, and the environment keeps every assumption.",
  hazardous: "A property can break, and the environment keeps every assumption.",
  "excluded-unsafe": "A property can break, but so does an assumption: only the assumptions exclude it.",
  "excluded-safe": "Only an assumption breaks; every property still holds.",
  undecided: "The search met its bound of 1,000,000 states before the verdict was known.",
  asking: "Searching the closed loop.",
};

export const SHORT = {
  tolerated: "every property and assumption is kept",
  hazardous: "a property breaks within the assumptions",
  "excluded-unsafe": "only the assumptions exclude it",
  "excluded-safe": "only an assumption breaks",
  undecided: "not looked at further",
};

/** What a letter of `alone` stands for (symrob/explorer/answers.py). */
export const LETTERS = {
  t: "tolerated", h: "hazardous", w: "excluded-unsafe", o: "excluded-safe", b: "undecided", "?": "undecided",
};

export class Names {
  constructor(problem) {
    this.problem = problem;
    this.single = universe(problem);
    this.chances = new Map(problem.chances);
    this.letters = problem.designs.map((design) => design.answers.alone);
  }

  action(action, inside = TAU) {
    if (action !== TAU) return this.problem.actions[action];
    return inside === TAU ? "tau" : `tau (${this.problem.actions[inside]}, hidden)`;
  }

  /** An action in the words of the case. */
  told(action, inside = TAU) {
    return action === TAU ? this.action(action, inside)
      : (this.problem.action_words ?? this.problem.actions)[action];
  }

  /** A state of E or a component. */
  state(part, state) {
    return state < 0 ? "ERROR" : part.states[state];
  }

  stateTold(part, state) {
    return state < 0 ? "ERROR" : (part.words ?? part.states)[state];
  }

  /** One line for a transition. */
  line(id) {
    const { source, action, target } = transition(this.problem, id);
    const { states } = this.problem.environment;
    return `${this.action(action)}: ${states[source]} \u2192 ${states[target]}`;
  }

  lines(ids, most = 12) {
    const told = ids.slice(0, most).map((id) => this.line(id)).join(", ");
    return ids.length > most ? `${told} and ${ids.length - most} more` : told;
  }

  /** One line for an item: a candidate, or a fault mode. */
  item(item) {
    return item >= this.single ? this.problem.modes[item - this.single] : this.line(item);
  }

  items(items, most = 4) {
    const told = items.slice(0, most).map((item) => this.item(item)).join(", ");
    return items.length > most ? `${told} and ${items.length - most} more` : told;
  }

  /** How likely all of some items are possible, in digits; empty where one has no chance. */
  chance(items) {
    if (!items.length || !items.every((item) => this.chances.has(item))) return "";
    const product = items.reduce((p, item) => p * this.chances.get(item), 1);
    // Below the smallest number with all digits, the product is none.
    return product < 2.3e-308 && items.every((item) => this.chances.get(item) > 0)
      ? "<2.3e-308" : String(Number(product.toPrecision(4)));
  }

  /** All that can be switched on. */
  all() {
    const { modes } = this.problem;
    if (modes.length) return modes.map((_, m) => this.single + m);
    return [...this.letters[0]].flatMap((letter, id) => (letter === "-" ? [] : [id]));
  }

  /** The verdict of an item alone. */
  alone(item, design = 0) {
    const first = this.problem.modes.length ? this.single : 0;
    return LETTERS[this.letters[design][item - first]];
  }

  /** Whether it may be tolerated; `b` breaks an assumption, whatever else it does. */
  mayBeTolerated(item, design) {
    const first = this.problem.modes.length ? this.single : 0;
    return "t?".includes(this.letters[design][item - first]);
  }

  /** How a line of the picture is coloured; of a fault mode's, as what was added. */
  tone(id) {
    return this.problem.modes.length ? "tolerated" : this.alone(id);
  }

  kind(item) {
    const { names, of } = this.problem.classes;
    return names[of.charCodeAt(item) - 97];
  }
}
