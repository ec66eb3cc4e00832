// A trace of one design on another one: how far it goes there, and who stops it.
//
// In:  the machine of the other design as a `Walker`, and the steps of a trace.
// Out: the walk there, and the first step that is refused, with those who refuse it.
//
// Steps by actions that the other design knows must be taken in turn, E going where it
// goes in the trace. Its hidden moves, and actions that only it has, it may take in between;
// those that it lacks are passed over. All ways to follow are kept, so a step that is
// refused is refused on each of them.

import { TAU } from "./machine.js";

/** Ways that are followed at once; beyond this a replay gives up. */
const MOST_WAYS = 20_000;

const key = (states, wide) => states.slice(0, wide).join();

/** `{start, steps, refused, blockers}`: `refused` is the number of the step, -1 if none is; null where it gave up. */
export function replayed(walker, { start, steps }, from) {
  const wide = walker.machine.firstMonitor;
  const known = actionsOf(walker);
  const its = actionsOf(from);
  const free = (step) => step.action === TAU ? step.who === "C" : !its.has(step.action);
  let ways = walker.starts.filter(([state]) => state === start[0])
    .map((states) => ({ states, last: null, step: null }));
  const closed = (list) => {
    const seen = new Set(list.map((way) => key(way.states, wide)));
    for (let i = 0; i < list.length && list.length < MOST_WAYS; i++) {
      for (const step of walker.options(list[i].states)) {
        if (!free(step) || seen.has(key(step.states, wide))) continue;
        seen.add(key(step.states, wide));
        list.push({ states: step.states, last: list[i], step });
      }
    }
    return list;
  };
  ways = closed(ways);
  for (const [number, wanted] of steps.entries()) {
    if (ways.length >= MOST_WAYS) return null;
    const passed = wanted.action === TAU ? wanted.who === "C" : !known.has(wanted.action);
    if (passed) continue;
    const seen = new Set();
    const next = [];
    for (const way of ways) {
      for (const step of walker.options(way.states)) {
        if (step.action !== wanted.action || step.states[0] !== wanted.states[0]) continue;
        if (step.action === TAU && step.who !== wanted.who) continue;
        if (seen.has(key(step.states, wide))) continue;
        seen.add(key(step.states, wide));
        next.push({ states: step.states, last: way, step });
      }
    }
    if (!next.length) {
      return { ...walkTo(ways[0]), refused: number, blockers: refusing(walker, ways[0].states, wanted) };
    }
    ways = closed(next);
  }
  const worst = ways.find((way) => walker.broken(way.states).length) ?? ways[0];
  return { ...walkTo(worst), refused: -1, blockers: [] };
}

function actionsOf({ problem, components }) {
  const own = Array.from({ length: problem.environment.actions }, (_, action) => action);
  return new Set([...own, ...components.flatMap((component) => component.alphabet)]);
}

function walkTo(way) {
  const steps = [];
  let here = way;
  for (; here.step; here = here.last) steps.push(here.step);
  return { start: here.states, steps: steps.reverse() };
}

/** Who refuses a step where it should be taken: names of E or components. */
function refusing(walker, states, wanted) {
  const found = walker.blocked(states).find((each) => each.action === wanted.action);
  const blocks = found?.blocks ?? walker.components.flatMap((component, i) =>
    component.alphabet.includes(wanted.action) ? [i] : []);
  return blocks.map((index) => walker.called(index));
}
