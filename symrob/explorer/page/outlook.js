// Which goals of the plan are lost: from some reachable state of E_d with C on, no state
// that performs them is reached any more.
//
// In:  a machine without monitors, the transitions that E gets, the goals of the plan.
// Out: each goal that is lost, with a shortest trace to where it is impossible.
//
// All of E_d with C is walked, past what would violate a property; each step is kept, and
// walked back from the states that perform a goal.

import { Search } from "./search.js";

/** Steps that are kept; beyond this it is not decided what is lost. */
const MOST_STEPS = 8_000_000;

export class Outlook extends Search {
  /** goals: `{actions}`, none for the end of the plan; ends: where in E that can be. */
  constructor(machine, addedIds, { goals, ends }, most, effort) {
    super(machine, addedIds, most, effort);
    this.ids = addedIds;
    this.goals = goals;
    this.ends = new Set(ends);
    this.meaning = new Map();
    goals.forEach(({ actions }, goal) => actions.forEach((action) => {
      if (!this.meaning.has(action)) this.meaning.set(action, []);
      this.meaning.get(action).push(goal);
    }));
    /** Of each goal the states that perform it, and of all steps where they come from and lead. */
    this.performing = goals.map(() => new Set());
    this.from = new Int32Array(4096);
    this.to = new Int32Array(4096);
    this.steps = 0;
  }

  take(state, move, row) {
    const possible = super.take(state, move, row);
    if (possible) for (const goal of this.meaning.get(move.action) ?? []) this.performing[goal].add(state);
    return possible;
  }

  /** C's own ERROR ends a trace, and is no loss. */
  violate() {}

  enter(parent, move, rest) {
    const state = super.enter(parent, move, rest);
    if (parent < 0 || state < 0 || this.full) return state;
    if (this.steps === MOST_STEPS) {
      this.full = true;
      return state;
    }
    if (this.steps === this.from.length) {
      [this.from, this.to] = [this.from, this.to].map((old) => {
        const larger = new Int32Array(old.length * 2);
        larger.set(old);
        return larger;
      });
    }
    this.from[this.steps] = parent;
    this.to[this.steps++] = state;
    return state;
  }

  /** The goals that are lost, `{goal, start, steps}`; `null` where a bound was hit. */
  *lost() {
    if ((yield* this.run()) === "bound") return null;
    for (let state = 0; this.ends.size && state < this.count; state++) {
      if (!this.ends.has(this.states[state * this.width])) continue;
      this.goals.forEach(({ actions }, goal) => actions.length || this.performing[goal].add(state));
    }
    const back = this.backwards();
    const found = [];
    for (const [goal, performing] of this.performing.entries()) {
      const able = this.able(performing, back);
      // States are numbered as they are met, so the first one is nearest.
      const first = able.indexOf(0);
      if (first >= 0) {
        const trace = this.traceTo(first, this.ids);
        // Where another goal is lost after as many steps, and this one too, one trace shows both.
        const same = found.find((other) => !able[other.last] && other.steps.length === trace.steps.length);
        found.push(same ? { ...same, goal } : { goal, last: first, ...trace });
      }
      yield;
    }
    return found;
  }

  /** For each state the steps that lead to it: where they begin in `order`. */
  backwards() {
    const first = new Int32Array(this.count + 1);
    for (let i = 0; i < this.steps; i++) first[this.to[i] + 1]++;
    for (let state = 0; state < this.count; state++) first[state + 1] += first[state];
    const place = first.slice();
    const order = new Int32Array(this.steps);
    for (let i = 0; i < this.steps; i++) order[place[this.to[i]]++] = this.from[i];
    return { first, order };
  }

  /** For each state whether it leads to one of some. */
  able(performing, { first, order }) {
    const able = new Uint8Array(this.count);
    const waiting = [...performing];
    for (const state of waiting) able[state] = 1;
    while (waiting.length) {
      const state = waiting.pop();
      for (let i = first[state]; i < first[state + 1]; i++) {
        if (able[order[i]]) continue;
        able[order[i]] = 1;
        waiting.push(order[i]);
      }
    }
    return able;
  }
}
