// Walking through E_d with C: which moves there are, and who blocks the others.
//
// In:  a design and the transitions that E gets.
// Out: options to go on from a state, and runs of a search as walks. All monitors walk
//      along; one that is broken stays broken, and the walk may go on.

import { affords, begun, ERROR, judged, machine, refused, rows, starts, taken } from "./machine.js";

/** States to begin in that can be chosen from. */
const MOST_STARTS = 1_000;

/** Who blocks a step that no budget has anything left for. */
export const BUDGET = -2;

export class Walker {
  /** alone: E without C, as for a run that breaks an assumption. */
  constructor(problem, design, ids, alone = false) {
    this.design = design;
    this.ids = ids;
    this.alone = alone;
    this.monitors = alone ? design.constraints : [...design.properties, ...design.constraints];
    this.components = alone ? [] : design.components;
    this.machine = machine(problem, design, !alone, this.monitors);
    this.rows = rows(this.machine, ids);
    this.problem = problem;
    /** The states in which it can begin. */
    this.starts = [];
    for (const { states } of starts(this.machine)) {
      this.starts.push(Array.from(states));
      if (this.starts.length === MOST_STARTS) break;
    }
  }

  /** The state to begin in that has the same E and C as another one; the first, by default. */
  start(like = this.starts[0]) {
    const wide = this.machine.firstMonitor;
    const known = this.starts.find((states) => states.every((state, slot) => slot >= wide || state === like[slot]));
    if (known) return known;
    const states = new Int32Array(this.machine.width);
    states.set(like.slice(0, wide));
    begun(this.machine, states);
    this.starts.push(Array.from(states));
    return this.starts.at(-1);
  }

  /** The name of one of those who offer or block a step. */
  called(index) {
    if (index === BUDGET) return "the budget of deviated steps";
    return index < 0 ? this.problem.environment.name : this.components[index].word;
  }

  /** The states of the monitors after a move. */
  watched(states, move, after) {
    for (const { slot, next } of move.monitors) {
      after[slot] = states[slot] === ERROR ? ERROR : next[states[slot]];
    }
    return this.marked(move, states, after);
  }

  /** States, with ERROR for each requirement on states that is violated then. */
  marked(move, before, after) {
    const states = Int32Array.from(after);
    judged(this.machine, move, before, states);
    return Array.from(states);
  }

  step(before, move, after) {
    const id = taken(this.problem, move, before[0], after[0]);
    return {
      move: move.index, action: move.action, inside: move.inside, who: move.who,
      states: after, id: this.ids.has(id) ? id : -1,
    };
  }

  /** All steps that can be taken from a state, in a fixed order. */
  options(states) {
    const found = [];
    for (const move of this.machine.moves) {
      if (refused(this.machine, move, states)) continue;
      const choices = move.parts.map((part) => part.next[states[part.slot]] ?? []);
      let ways = move.env ? this.ofEnvironment(states, move).after : [[...states]];
      move.parts.forEach((part, i) => {
        ways = ways.flatMap((way) => choices[i].map((target) => {
          const after = [...way];
          after[part.slot] = target;
          return after;
        }));
      });
      for (const after of ways) found.push(this.step(states, move, this.watched(states, move, after)));
    }
    return found;
  }

  /** Where E goes by a move, each with what it pays; and whether nothing is left for more. */
  ofEnvironment(states, move) {
    const after = [];
    let spent = false;
    for (const { targets, ways } of this.rows[states[0]].filter((row) => row.move === move)) {
      const paid = ways.filter((way) => affords(this.machine, way, states));
      spent ||= !paid.length;
      for (const target of targets) {
        for (const way of paid) {
          const next = [target, ...states.slice(1)];
          for (const budget of way) next[this.machine.firstCounter + budget]++;
          after.push(next);
        }
      }
    }
    return { after, spent };
  }

  /** What is left of each budget: `{mode, left, most}`. */
  left(states) {
    const { budgets, firstCounter } = this.machine;
    return budgets.map(({ mode, most }, i) => ({ mode, most, left: most - states[firstCounter + i] }));
  }

  /** Actions that somebody offers and others refuse: `{action, inside, offers, blocks}`. */
  blocked(states) {
    const found = [];
    for (const move of this.machine.moves) {
      if (refused(this.machine, move, states)) continue;
      const offers = [];
      const blocks = [];
      if (move.env) {
        const { after, spent } = this.ofEnvironment(states, move);
        if (after.length || spent) offers.push(-1);
        else blocks.push(-1);
        if (spent && !after.length) blocks.push(BUDGET);
      }
      for (const { slot, next } of move.parts) {
        (next[states[slot]] ? offers : blocks).push(slot - 1);
      }
      if (offers.length && blocks.length) {
        found.push({ action: move.action, inside: move.inside, offers, blocks });
      }
    }
    return found;
  }

  /** A run of a search as a walk of this machine. */
  follow(run) {
    const start = this.start(run.start);
    let here = start;
    const wide = this.machine.firstMonitor;
    const steps = run.steps.map(({ move: index, states }) => {
      const move = this.machine.moves[index];
      const after = [...states.slice(0, wide), ...here.slice(wide)];
      const step = this.step(here, move, this.watched(here, move, after));
      here = step.states;
      return step;
    });
    return { start, steps };
  }

  /** The walk that some choices make, as far as they exist: where several are, of a start, then of options. */
  along(path) {
    const [first = 0, ...choices] = this.starts.length > 1 ? path : [0, ...path];
    const start = this.starts[first] ?? this.start();
    let here = start;
    const steps = [];
    for (const choice of choices) {
      const step = this.options(here)[choice];
      if (!step) break;
      steps.push(step);
      here = step.states;
    }
    return { start, steps };
  }

  /** The choices that make a walk. */
  path({ start, steps }) {
    let here = start;
    const first = this.starts.length > 1 ? [this.starts.indexOf(start)] : [];
    return first.concat(steps.map((step) => {
      const key = `${step.move}:${step.states.join()}`;
      const choice = this.options(here).findIndex((o) => `${o.move}:${o.states.join()}` === key);
      here = step.states;
      return choice;
    }));
  }

  /** Which monitors are broken in a state: indices of `monitors`; -1 for C itself. */
  broken(states) {
    const wide = this.machine.firstMonitor;
    const found = this.monitors.flatMap((_, i) => (states[wide + i] === ERROR ? [i] : []));
    const own = this.components.some((_, i) => states[1 + i] === ERROR);
    return own ? [...found, -1] : found;
  }
}
