// Breadth-first search of E_d with C and monitors, state by state.
//
// In:  a machine and the transitions that E gets (machine.js).
// Out: whether ERROR can be reached, a shortest run to it, and what is reached
//      otherwise; or that a bound was hit.
//
// States are rows of one typed array, found again through a hash table with linear
// probing. What was entered last can be taken out again (`retract`): the table is then
// what it was before, so each of many candidates is tried on top of one search.

import { affords, ERROR, judged, ofTheRun, refused, rows, starts, taken, transition } from "./machine.js";

/** States (pairs of a state of E_d and one of C with a monitor) of one search. */
export const MOST_STATES = 1_000_000;
/** A move of C alone pays nothing, and E stays where it is. */
const ALONE = { targets: null, ways: [[]] };
/** A search gives way to what else is waiting after so many states. */
const STATES_A_TURN = 5_000;

export class Search {
  /** effort: counts the states that are looked at. */
  constructor(machine, addedIds, most = MOST_STATES, effort = { states: 0 }) {
    this.machine = machine;
    this.effort = effort;
    this.rows = rows(machine, addedIds);
    this.most = most;
    this.width = machine.width;
    this.states = new Int32Array(1024 * this.width);
    this.parents = new Int32Array(1024);
    this.moves = new Int32Array(1024);
    this.slots = new Int32Array(4096).fill(-1);
    this.after = new Int32Array(this.width);
    this.count = 0;
    this.head = 0;
    this.failure = null;
    this.full = false;
    for (const { states, broken } of starts(machine)) {
      if (broken) this.failure = { from: -1, move: null, states: Array.from(states) };
      if (broken || this.full) break;
      this.after.set(states);
      this.enter(-1, -1, this.restHash());
    }
  }

  /** "safe", "unsafe" or "bound"; yields now and then. */
  *run() {
    while (this.failure === null && this.head < this.count) {
      if (this.full) return "bound";
      this.effort.states++;
      this.expand(this.head++);
      if (this.head % STATES_A_TURN === 0) yield;
    }
    if (this.failure !== null) return "unsafe";
    // There may have been no room for what the last state leads to.
    return this.full ? "bound" : "safe";
  }

  /** Enter all successors of a state. */
  expand(state) {
    const here = this.states[state * this.width];
    for (const move of this.machine.alone) this.take(state, move, ALONE);
    for (const row of this.rows[here]) this.take(state, row.move, row);
  }

  /**
   * Take a move with E going to each of `targets`, in each way that the components have,
   * and in each of the ways to pay that is left.
   *
   * What the others do is found out once for all targets: with many added transitions
   * that is most of the work.
   */
  take(state, move, { targets, ways }) {
    const at = state * this.width;
    const here = this.states.subarray(at, at + this.width);
    if (this.machine.guards.length && refused(this.machine, move, here)) return false;
    for (const part of move.parts) {
      if (part.next[this.states[at + part.slot]] === undefined) return false;
    }
    let possible = false;
    for (const way of ways) {
      if (way.length && !affords(this.machine, way, here)) continue;
      possible = true;
      for (let i = 0; i < this.width; i++) this.after[i] = this.states[at + i];
      for (const budget of way) this.after[this.machine.firstCounter + budget]++;
      let broken = false;
      for (const { slot, next } of move.monitors) {
        this.after[slot] = next[this.after[slot]];
        if (this.after[slot] === ERROR) broken = true;
      }
      this.spread(state, move, 0, broken, targets);
      if (this.failure !== null) break;
    }
    return possible;
  }

  spread(state, move, k, broken, targets) {
    if (this.failure !== null) return;
    if (k < move.parts.length) {
      const { slot, next } = move.parts[k];
      const before = this.states[state * this.width + slot];
      for (const target of next[before]) {
        this.after[slot] = target;
        this.spread(state, move, k + 1, broken || target === ERROR, targets);
      }
      this.after[slot] = before;
      return;
    }
    const rest = this.restHash();
    for (const target of targets ?? [this.after[0]]) {
      this.after[0] = target;
      if (this.fails(state, move) || broken) {
        this.violate(state, move);
        return;
      }
      this.enter(state, move.index, rest);
    }
  }

  /** A step into ERROR, which is in `after`, ends the search. */
  violate(from, move) {
    this.failure = { from, move, states: Array.from(this.after) };
  }

  /** Whether a requirement on states is violated in `after`, which then has ERROR for it. */
  fails(state, move) {
    if (!this.machine.asked.length) return false;
    const at = state * this.width;
    return judged(this.machine, move, this.states.subarray(at, at + this.width), this.after);
  }

  /** The hash of all of `after` but the state of E. */
  restHash() {
    let value = 0x811c9dc5;
    for (let i = 1; i < this.width; i++) {
      value = Math.imul(value ^ this.after[i], 0x01000193);
      value ^= value >>> 15;
    }
    return value;
  }

  hash(rest) {
    const value = Math.imul(rest ^ this.after[0], 0x01000193);
    return (value ^ (value >>> 13)) >>> 0;
  }

  /** Enter the state in `after`, if it is new; its number, -1 if there is no room. */
  enter(parent, move, rest) {
    const mask = this.slots.length - 1;
    let slot = this.hash(rest) & mask;
    for (; this.slots[slot] >= 0; slot = (slot + 1) & mask) {
      const at = this.slots[slot] * this.width;
      let same = true;
      for (let i = 0; same && i < this.width; i++) {
        same = this.states[at + i] === this.after[i];
      }
      if (same) return this.slots[slot];
    }
    if (this.count >= this.most) {
      this.full = true;
      return -1;
    }
    if (this.count === this.parents.length) this.grow();
    this.states.set(this.after, this.count * this.width);
    this.parents[this.count] = parent;
    this.moves[this.count] = move;
    const state = this.count++;
    this.slots[slot] = state;
    if (this.count * 2 > this.slots.length) this.rehash();
    return state;
  }

  grow() {
    const larger = (old, length) => {
      const made = new Int32Array(length);
      made.set(old);
      return made;
    };
    this.states = larger(this.states, this.states.length * 2);
    this.parents = larger(this.parents, this.parents.length * 2);
    this.moves = larger(this.moves, this.moves.length * 2);
  }

  /** Make a larger table. In the order of entering, on which `retract` relies. */
  rehash() {
    this.slots = new Int32Array(this.slots.length * 2).fill(-1);
    const mask = this.slots.length - 1;
    for (let state = 0; state < this.count; state++) {
      let slot = this.slotOf(state);
      while (this.slots[slot] >= 0) slot = (slot + 1) & mask;
      this.slots[slot] = state;
    }
  }

  slotOf(state) {
    this.after.set(this.states.subarray(state * this.width, (state + 1) * this.width));
    return this.hash(this.restHash()) & (this.slots.length - 1);
  }

  /** Take out what was entered from `mark` on, the last first. */
  retract(mark) {
    const mask = this.slots.length - 1;
    while (this.count > mark) {
      const state = this.count - 1;
      let slot = this.slotOf(state);
      while (this.slots[slot] !== state) slot = (slot + 1) & mask;
      this.slots[slot] = -1;
      this.count--;
    }
    this.head = this.count;
    this.failure = null;
    this.full = false;
  }

  /**
   * Try one more transition of E on top of a finished, safe search.
   *
   * Returns "idle" (it can never be taken), "safe", "unsafe" or "bound"; the search is
   * then what it was.
   */
  *trying(id) {
    const { source, action, target } = transition(this.machine.problem, id);
    const mark = this.count;
    this.byState ??= this.indexed();
    let fires = false;
    const extended = [];
    for (const move of this.machine.moves) {
      if (!move.env || move.action !== action) continue;
      const entry = { move, targets: [target], ways: ofTheRun(this.machine.problem) };
      extended.push(entry);
      for (const state of this.byState[source]) {
        fires = this.take(state, move, entry) || fires;
      }
    }
    let answer = "idle";
    if (fires) {
      this.rows[source].push(...extended);
      answer = yield* this.run();
      this.rows[source].length -= extended.length;
    }
    this.retract(mark);
    return answer;
  }

  indexed() {
    const lists = this.rows.map(() => []);
    for (let state = 0; state < this.count; state++) {
      lists[this.states[state * this.width]].push(state);
    }
    return lists;
  }

  /** The shortest run into ERROR that was found: `start` and `steps`. */
  trace(addedIds) {
    const { from, move, states } = this.failure;
    return move === null ? { start: states, steps: [] } : this.traceTo(from, addedIds, [{ move, states }]);
  }

  /** A shortest run to a state that was met, and on by some more steps. */
  traceTo(last, addedIds, more = []) {
    const steps = [...more].reverse();
    const at = (state) => Array.from(this.states.subarray(state * this.width, (state + 1) * this.width));
    let state = last;
    for (; this.parents[state] >= 0; state = this.parents[state]) {
      steps.push({ move: this.machine.moves[this.moves[state]], states: at(state) });
    }
    steps.reverse();
    const start = at(state);
    return { start, steps: steps.map((step, i) => told(this.machine, step, i ? steps[i - 1].states : start, addedIds)) };
  }
}

/** A step as plain data: what was taken by whom, and the states after it. */
function told(machine, { move, states }, before, addedIds) {
  const id = taken(machine.problem, move, before[0], states[0]);
  return {
    move: move.index, action: move.action, inside: move.inside, who: move.who, states,
    id: addedIds.has(id) ? id : -1,
  };
}
