// Asks the search of the page about many sets: {problem, sets} to answers.

import { added, judged, refused, rows } from "./machine.js";
import { Judge } from "./judge.js";
import { replayed } from "./replay.js";
import { Walker } from "./walk.js";

function finish(task) {
  for (;;) {
    const { done, value } = task.next();
    if (done) return value;
  }
}

/** Walk a run again, step by step; the length if each step is one of the machine and the last one breaks something. */
function walkedAgain(machine, ids, { start, steps }, breaking = true) {
  const table = rows(machine, ids);
  let here = start;
  for (const step of steps) {
    const fits = machine.moves.some((move) => {
      if (move.action !== step.action || move.who !== step.who || move.inside !== step.inside) return false;
      const moved = new Set(move.parts.map((part) => part.slot));
      if (refused(machine, move, here)) return false;
      move.monitors.forEach((m) => moved.add(m.slot));
      const broken = Int32Array.from(step.states, (state, slot) =>
        (machine.asked.some((a) => a.slot === slot) ? here[slot] : state));
      judged(machine, move, here, broken);
      machine.asked.forEach((a) => moved.add(a.slot));
      if (machine.asked.some((a) => broken[a.slot] !== step.states[a.slot])) return false;
      if (move.env) moved.add(0);
      machine.budgets.forEach((_, i) => moved.add(machine.firstCounter + i));
      const paid = (ways) => ways.some((way) => machine.budgets.every(({ most }, i) => {
        const slot = machine.firstCounter + i;
        return step.states[slot] === here[slot] + (way.includes(i) ? 1 : 0) && step.states[slot] <= most;
      }));
      return here.every((state, slot) => moved.has(slot) || step.states[slot] === state)
        && move.parts.every((p) => (p.next[here[p.slot]] ?? []).includes(step.states[p.slot]))
        && move.monitors.every((m) => m.next[here[m.slot]] === step.states[m.slot])
        && (table[here[0]].some((r) => r.move === move && r.targets.includes(step.states[0]) && paid(r.ways))
          || (!move.env && paid([[]])));
    });
    if (!fits) return -1;
    here = step.states;
  }
  return here.includes(-1) === breaking || steps.length === 0 ? steps.length : -2;
}

function asked({ problem, sets, more, most, known, milliseconds }) {
  const [design] = problem.designs;
  const judge = new Judge(problem, known ? { ...design, sets: { found: known, complete: false } } : design, most);
  if (known) judge.many = 0;
  return sets.map((items) => {
    const ids = added(problem, items);
    const { verdict, safe, kept, properties, constraints, assumptions, searches } = finish(judge.verdict(items));
    const lengths = (found, machines) => Object.fromEntries(
      found.map((run) => [run.index, walkedAgain(machines[run.index], ids, run)]));
    const answer = {
      verdict,
      properties: lengths(properties, judge.properties),
      constraints: lengths(assumptions, judge.constraints),
    };
    if (!more) return answer;
    if (verdict === "tolerated") {
      answer.addable = { safe: [], idle: [], unsafe: [], bound: [] };
      const step = judge.addable(items, searches, more, (item, how) => answer.addable[how].push(item));
      finish(step);
    } else {
      const part = finish(judge.part(items, { safe, kept }, milliseconds));
      answer.minimal = part.minimal;
      answer.part = part.items;
      answer.part_verdict = part.verdict;
    }
    return answer;
  });
}

/** Where the traces into ERROR begin, each in a state of E and C that is initial. */
function begins({ problem, sets }) {
  const [design] = problem.designs;
  const judge = new Judge(problem, design);
  return sets.flatMap((items) => {
    const { properties } = finish(judge.verdict(items));
    const walker = new Walker(problem, design, added(problem, items));
    return properties.map((run) => {
      const walk = walker.follow(run);
      const again = walker.along(walker.path(walk));
      const same = again.start === walk.start && again.steps.length === run.steps.length;
      return same ? run.start.slice(0, 1 + design.components.length) : [];
    });
  });
}

/** The goals that are lost with each set, by their numbers, with the lengths of traces. */
function lost({ problem, sets, most }) {
  const judge = new Judge(problem, problem.designs[0], most);
  return sets.map((items) => {
    const found = finish(judge.lost(items));
    return found && Object.fromEntries(found.map((one) =>
      [one.goal, walkedAgain(judge.loop, added(problem, items), one, false)]));
  });
}

/** Traces of the first design on the second: their steps, how far they go, who refuses. */
function onTheOther({ problem, sets }) {
  const [one, other] = problem.designs;
  const judge = new Judge(problem, one);
  return sets.flatMap((items) => {
    const ids = added(problem, items);
    const [here, there] = [one, other].map((design) => new Walker(problem, design, ids));
    return finish(judge.verdict(items)).properties.map((run) => {
      const walk = here.follow(run);
      const { steps } = walk;
      const { refused, blockers, ...walked } = replayed(there, walk, here);
      const own = replayed(here, walk, here).refused;
      const again = there.along(there.path(walked)).steps.length === walked.steps.length;
      const told = steps.map(({ action, who, states }) => [action, who, states[0]]);
      return { items, told, refused, blockers, own, again };
    });
  });
}

globalThis.asked = asked;
globalThis.begins = begins;
globalThis.lost = lost;
globalThis.onTheOther = onTheOther;
