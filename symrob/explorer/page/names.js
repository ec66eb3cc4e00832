// What things are called: items, actions, states, verdicts.
//
// The words of the case come first, names second. Where there are no words, names stand
// for themselves.

import { TAU, transition, universe } from "./machine.js";

export const LABELS = {
  tolerated: "Tolerated",
  hazardous: "Hazardous",
  "excluded-unsafe": "Unsafe, excluded",
  "excluded-safe": "Safe, excluded",
  breaking: "Violates an assumption",
  undecided: "Not decided",
  asking: "Searching",
};

/** No verdict is told by a colour alone. U+FE0E asks for a character, not a picture. */
export const SIGNS = {
  tolerated: "\u2714\ufe0e",
  hazardous: "\u2716\ufe0e",
  "excluded-unsafe": "\u26a0\ufe0e",
  "excluded-safe": "\u25cb",
  breaking: "\u2298",
  undecided: "?",
  asking: "\u2026",
};

export const MEANINGS = {
  tolerated: "With these changes every property still holds.",
  hazardous: "A property is violated, and the environment keeps every assumption.",
  "excluded-unsafe": "A property is violated, and so is an assumption: safe only while the assumption holds.",
  "excluded-safe": "An assumption is violated; every property still holds.",
  breaking: "An assumption is violated; whether a property is violated too was not computed in advance.",
  undecided: "The search reached its bound of 1,000,000 states before the verdict was known.",
  asking: "Searching the closed loop.",
};

/** The worst verdict first. */
export const ORDER = ["hazardous", "excluded-unsafe", "undecided", "breaking", "excluded-safe", "tolerated"];

/** What a letter of `alone` stands for (symrob/explorer/answers.py). */
const LETTERS = {
  t: "tolerated", h: "hazardous", w: "excluded-unsafe", o: "excluded-safe", b: "breaking", "?": "undecided",
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

  /** A goal of the plan: an action in words, or what it is called. */
  goal(goal, design) {
    const { name, actions } = this.problem.designs[design].answers.progress.goals[goal];
    return actions.length === 1 && this.action(actions[0]) === name ? this.told(actions[0]) : name;
  }

  /** The first of some names, quoted. */
  listed(all, most = 3) {
    const told = all.slice(0, most).map((name) => `\u201c${name}\u201d`).join(", ");
    return all.length > most ? `${told} and ${all.length - most} more` : told;
  }

  /** A transition of E in names, as models write it. */
  line(id) {
    const { source, action, target } = transition(this.problem, id);
    const { states } = this.problem.environment;
    return `${this.action(action)}: ${states[source]} \u2192 ${states[target]}`;
  }

  /** From where to where in words; of a composed E, what changes in its components, and what stays. */
  way(source, target) {
    const { environment } = this.problem;
    const [before, after] = [source, target].map((state) => environment.of[state] ?? []);
    if (!before.length || !after.length) {
      const [from, to] = [source, target].map((state) => this.stateTold(environment, state));
      return source === target ? `${to} (unchanged)` : `${from} \u2192 ${to}`;
    }
    const { moved, still } = this.apart(before, after);
    if (!moved.length) return `nothing changes (${still.join(", ")})`;
    return still.length ? `${moved.join(", ")} (${still.join(", ")})` : moved.join(", ");
  }

  /** Which components of E change between two states of it, and which stay; of the latter those with `action`, if given. */
  apart(before, after, action = null) {
    const moved = [];
    const still = [];
    this.problem.environment.parts.forEach((part, i) => {
      const now = this.stateTold(part, before[i]);
      if (before[i] !== after[i]) moved.push(`${part.word}: ${now} \u2192 ${this.stateTold(part, after[i])}`);
      else if (action === null) still.push(`${part.word}: ${now}`);
      else if (part.alphabet.includes(action)) still.push(`${part.word}: ${now} (unchanged)`);
    });
    return { moved, still };
  }

  lineTold(id) {
    const { source, action, target } = transition(this.problem, id);
    return `${this.told(action)}: ${this.way(source, target)}`;
  }

  lines(ids, most = 12) {
    const told = ids.slice(0, most).map((id) => this.lineTold(id)).join(", ");
    return ids.length > most ? `${told} and ${ids.length - most} more` : told;
  }

  /** One line for an item: a candidate in words, or a fault mode. */
  item(item) {
    return item >= this.single ? this.raw(item) : this.lineTold(item);
  }

  /** The same in names. */
  raw(item) {
    return item >= this.single ? this.problem.modes[item - this.single] : this.line(item);
  }

  /** The steps that a fault mode adds by itself; those that it has a part in, if there are none. */
  brought(item) {
    this.bringing ??= this.ofModes();
    const [own, shared] = this.bringing[item - this.single];
    return [...new Set((own.length ? own : shared).map((id) => this.step(id)))];
  }

  /** A transition of E in words; of a composed E only what changes, or where nothing does, who takes part. */
  step(id) {
    const { source, action, target } = transition(this.problem, id);
    const { of } = this.problem.environment;
    if (!of[source]?.length || !of[target]?.length) return this.lineTold(id);
    const { moved, still } = this.apart(of[source], of[target], action);
    return `${this.told(action)}: ${(moved.length ? moved : still).join(", ") || "nothing changes"}`;
  }

  /** For each fault mode the steps that it adds by itself, and those that it has a part in. */
  ofModes() {
    const found = this.problem.modes.map(() => [[], []]);
    for (const [id, ...needs] of this.problem.steps) {
      for (const mode of new Set(needs.flat())) found[mode][needs.every((need) => need.includes(mode)) ? 0 : 1].push(id);
    }
    return found;
  }

  /** What a search looks through. */
  text(item) {
    const kind = item >= this.single ? this.brought(item).join(" ") : this.kind(item);
    return `${this.item(item)} ${this.raw(item)} ${kind}`.toLowerCase();
  }

  items(items, most = 4) {
    const told = items.slice(0, most).map((item) => this.item(item)).join("; ");
    return items.length > most ? `${told} and ${items.length - most} more` : told;
  }

  /** An item as an argument of the command line. */
  argument(item) {
    if (item >= this.single) return ["--mode", (this.problem.mode_names ?? this.problem.modes)[item - this.single]];
    const { source, action, target } = transition(this.problem, item);
    const { states } = this.problem.environment;
    return ["--transition", `${states[source]},${this.action(action)},${states[target]}`];
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

  letter(item, design) {
    const first = this.problem.modes.length ? this.single : 0;
    return this.letters[design][item - first];
  }

  /** The verdict of an item alone. */
  alone(item, design = 0) {
    return LETTERS[this.letter(item, design)];
  }

  /** Whether it may be tolerated; `b` breaks an assumption, whatever else it does. */
  mayBeTolerated(item, design) {
    return "t?".includes(this.letter(item, design));
  }

  kind(item) {
    const { names, of } = this.problem.classes;
    return names[of.charCodeAt(item) - 97];
  }
}
