// The verdict of a set of switches, and why.
//
// In:  the data of the page, a design, the switches that are on.
// Out: one of four verdicts with a shortest run for all that breaks; a minimal part that
//      does it; what could still be added. Each is a generator that gives way now and
//      then, and returns its answer.
//
// P is asked of E_d with C, each assumption of E_d alone. One search for each property:
// a shortest run of all is then the shortest of these.

import { added, machine, taking, universe } from "./machine.js";
import { Outlook } from "./outlook.js";
import { MOST_STATES, Search } from "./search.js";

export const VERDICTS = ["tolerated", "hazardous", "excluded-unsafe", "excluded-safe"];
/** Minimal parts that are looked at for one within the assumptions. */
const MOST_PARTS = 60;
/** With more switches than this, a trace of a part that is known to be unsafe suffices. */
const MANY = 2_000;
/** Such parts that are tried for each property. */
const MOST_TRIED = 20;

export class Judge {
  constructor(problem, design, most = MOST_STATES) {
    this.problem = problem;
    this.most = most;
    /** How much was searched, and when a search for a part has to end. */
    this.effort = { states: 0 };
    this.until = Infinity;
    this.many = MANY;
    this.properties = design.properties.map((m) => machine(problem, design, true, [m]));
    this.constraints = design.constraints.map((m) => machine(problem, design, false, [m]));
    /** C without a monitor, and the goals of the plan. */
    this.loop = machine(problem, design, true, []);
    this.progress = design.progress ?? { goals: [], ends: [] };
    /** Minimal unsafe sets that were found in advance, those that are hazardous first. */
    this.sets = design.sets ?? { found: [], complete: false };
  }

  /** Those of the known minimal unsafe sets that are parts of some items. */
  knownIn(items) {
    const on = new Set(items);
    return this.sets.found.filter((set) => set.items.every((item) => on.has(item)));
  }

  /** A trace of a known part that breaks a property; `null` if none is known. */
  *knownTrace(known, each) {
    for (const { items } of known.slice(0, MOST_TRIED)) {
      const ids = added(this.problem, items);
      const search = new Search(each, ids, this.most, this.effort);
      if ((yield* search.run()) === "unsafe") return { search, ids };
    }
    return null;
  }

  /** Which properties and assumptions some switches break, with runs. */
  *broken(items, machines) {
    const ids = added(this.problem, items);
    const found = [];
    let bound = false;
    const searches = [];
    const known = items.length > this.many && machines === this.properties ? this.knownIn(items) : [];
    for (const [index, each] of machines.entries()) {
      const short = yield* this.knownTrace(known, each);
      const search = short?.search ?? new Search(each, ids, this.most, this.effort);
      const answer = short ? "unsafe" : yield* search.run();
      if (answer === "bound") bound = true;
      if (answer === "unsafe") {
        const { start, steps } = search.trace(short?.ids ?? ids);
        const last = search.failure.states;
        const own = last[each.firstMonitor] >= 0 && steps.length > 0;
        found.push({ index, own, start, steps, shortest: !short });
      }
      searches.push(search);
    }
    return { found, bound, searches };
  }

  /** The verdict; `null` where a bound was hit before it was known. */
  *verdict(items) {
    const assumptions = yield* this.broken(items, this.constraints);
    const properties = yield* this.broken(items, this.properties);
    const kept = assumptions.found.length ? false : assumptions.bound ? null : true;
    const safe = properties.found.length ? false : properties.bound ? null : true;
    let verdict = null;
    if (kept !== null && safe !== null) {
      verdict = VERDICTS[safe ? (kept ? 0 : 3) : kept ? 1 : 2];
    }
    return { verdict, safe, kept, assumptions: assumptions.found, properties: properties.found,
      searches: [...assumptions.searches, ...properties.searches] };
  }

  /** The goals of the plan that are lost, with traces; `null` if a bound was hit first. */
  *lost(items) {
    const ids = added(this.problem, items);
    if (!this.progress.goals.length || !ids.size) return [];
    return yield* new Outlook(this.loop, ids, this.progress, this.most, this.effort).lost();
  }

  *isBroken(items, machines) {
    const ids = added(this.problem, items);
    for (const each of machines) {
      if ((yield* new Search(each, ids, this.most, this.effort).run()) === "unsafe") return true;
    }
    return false;
  }

  /** A part that still breaks one of these; none can be taken from it, if there is time. */
  *smallest(items, machines) {
    const { found } = yield* this.broken(items, machines);
    if (!found.length) return null;
    const shortest = found.reduce((x, y) => (y.steps.length < x.steps.length ? y : x));
    const taken = new Set(shortest.steps.map((step) => step.id));
    let part = taking(this.problem, items, taken);
    for (const item of [...part]) {
      if (Date.now() > this.until) break;
      const less = part.filter((other) => other !== item);
      if (yield* this.isBroken(less, machines)) part = less;
      yield;
    }
    return part;
  }

  /**
   * A minimal part of a "no", with its own verdict and run.
   *
   * milliseconds: after these a part is given that need not be minimal.
   */
  *part(items, answer, milliseconds = Infinity) {
    this.until = Date.now() + milliseconds;
    const harmful = answer.safe === false;
    const [known] = harmful ? this.knownIn(items) : [];
    if (known && (known.verdict === "hazardous" || this.sets.complete)) {
      return { items: known.items, minimal: true, ...(yield* this.verdict(known.items)), searches: undefined };
    }
    let part = harmful && answer.kept === false ? yield* this.within(items) : null;
    part ??= yield* this.smallest(items, harmful ? this.properties : this.constraints);
    const minimal = Date.now() <= this.until;
    return part && { items: part, minimal, ...(yield* this.verdict(part)), searches: undefined };
  }

  /** A minimal part that breaks a property and no assumption, if one is found. */
  *within(items) {
    const waiting = [items];
    const seen = new Set();
    for (let looked = 0; waiting.length && looked < MOST_PARTS && Date.now() <= this.until; looked++) {
      const set = waiting.shift();
      const part = yield* this.smallest(set, this.properties);
      if (part === null) continue;
      if (!(yield* this.isBroken(part, this.constraints))) return part;
      // Any other minimal part lacks something of this one.
      for (const item of part) {
        const less = set.filter((other) => other !== item);
        const key = less.join();
        if (!seen.has(key)) waiting.push(less);
        seen.add(key);
      }
    }
    return null;
  }

  /**
   * What could be added, one at a time, to a tolerated set; calls `found(item, answer)`.
   *
   * searches: those of its verdict, which are taken up again.
   */
  *addable(items, searches, among, found) {
    const single = universe(this.problem);
    const on = new Set(items);
    for (const item of among) {
      if (on.has(item)) continue;
      let answer = "idle";
      if (item < single) {
        for (const search of searches) {
          const one = yield* search.trying(item);
          if (one === "unsafe" || one === "bound") answer = one;
          else if (one === "safe" && answer === "idle" && search.machine.controller) answer = "safe";
          if (answer === "unsafe") break;
        }
      } else {
        const { verdict } = yield* this.verdict([...items, item]);
        answer = verdict === "tolerated" ? "safe" : verdict === null ? "bound" : "unsafe";
      }
      found(item, answer);
      yield;
    }
  }
}
