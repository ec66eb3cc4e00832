// What things are called: items, actions, states, verdicts.

import { TAU, transition, transitionsOf, universe } from "./machine.js";

export const LABELS = {
  tolerated: "Tolerated",
  hazardous: "Hazardous",
  "assumed-away": "Assumed away",
  "outside-assumptions": "Outside the assumptions",
  undecided: "Not decided",
  asking: "Searching",
};

export const MEANINGS = {
  tolerated: "Every property holds with the controller, and the environment keeps every assumption.",
  hazardous: "A property can break, and the environment keeps every assumption.",
  "assumed-away": "A property can break, but so does an assumption: only the assumptions exclude it.",
  "outside-assumptions": "Only an assumption breaks; every property still holds.",
  undecided: "The search met its bound of 1,000,000 states before the verdict was known.",
  asking: "Searching the closed loop.",
};

export const SHORT = {
  tolerated: "every property and assumption is kept",
  hazardous: "a property breaks within the assumptions",
  "assumed-away": "only the assumptions exclude it",
  "outside-assumptions": "only an assumption breaks",
  undecided: "not looked at further",
};

/** What a letter of `alone` stands for (symrob/explorer/answers.py). */
export const LETTERS = {
  a: "tolerated", c: "tolerated", u: "tolerated", h: "hazardous",
  w: "assumed-away", o: "outside-assumptions", "?": "undecided",
};

export class Names {
  constructor(problem) {
    this.problem = problem;
    this.single = universe(problem);
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

  /** One line for an item. */
  item(item) {
    if (item >= this.single) return this.problem.modes[item - this.single].name;
    const { source, action, target } = transition(this.problem, item);
    const { states } = this.problem.environment;
    return `${this.action(action)}: ${states[source]} \u2192 ${states[target]}`;
  }

  items(items, most = 4) {
    const told = items.slice(0, most).map((item) => this.item(item)).join(", ");
    return items.length > most ? `${told} and ${items.length - most} more` : told;
  }

  /** The verdict of an item alone; of a mode nothing is known before it is asked. */
  alone(item, design = 0) {
    return item < this.single ? LETTERS[this.letters[design][item]] : undefined;
  }

  kind(item) {
    const { names, of } = this.problem.classes;
    return item < this.single ? names[of.charCodeAt(item) - 97] : "fault mode";
  }

  isCandidate(item) {
    return item < this.single && this.letters[0][item] !== "-";
  }

  sizeOf(item) {
    return transitionsOf(this.problem, item).length;
  }
}
