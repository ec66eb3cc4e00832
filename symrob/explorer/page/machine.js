// E with its deviation, the components of C and some monitors, as tables to walk.
//
// In:  the data of the page (symrob/explorer/data.py): actions and states are numbers,
//      -1 stands for tau among actions and for ERROR among states.
// Out: a machine: slots (E, then components, what is spent of budgets, then monitors),
//      and moves. A move knows which slots take part, and where each goes from each of its
//      states.
//
// A state of a machine is one number for each slot. Meaning: common actions are taken
// together, all others alone; a hidden action of C is tau for everybody else, even if
// its name is one of E's; a monitor that lacks a move for an action of its own is broken.

export const TAU = -1;
export const ERROR = -1;

/** Number of single transitions that can be thought of: states x actions x states. */
export function universe(problem) {
  const { states, actions } = problem.environment;
  return states.length * actions * states.length;
}

/** A transition of E as one number, and back. */
export function identify(problem, source, action, target) {
  const { states, actions } = problem.environment;
  return (source * actions + action) * states.length + target;
}

export function transition(problem, id) {
  const { states, actions } = problem.environment;
  const above = id - universe(problem);
  if (above >= 0) {
    // Only fault modes bring steps by tau.
    return { source: Math.floor(above / states.length), action: TAU, target: above % states.length };
  }
  const target = id % states.length;
  const rest = (id - target) / states.length;
  const action = rest % actions;
  return { source: (rest - action) / actions, action, target };
}

/** One way to pay, with nothing. */
const FREE = [[]];

const waysOf = new WeakMap();

/** How a candidate is paid for. */
export function ofTheRun(problem) {
  let found = waysOf.get(problem);
  if (!found) waysOf.set(problem, (found = problem.at_most === null ? FREE : [[0]]));
  return found;
}

/** What limits the deviated steps of a trace: `{mode, most}`, that of the trace first, with mode -1. */
export function budgetsOf(problem) {
  const { at_most: run, bounds } = problem;
  return [...(run === null ? [] : [{ mode: -1, most: run }]), ...bounds.map(([mode, most]) => ({ mode, most }))];
}

/**
 * The ways to pay for a step of fault modes: lists of budgets, by their numbers; none if
 * it is not there.
 *
 * Each need is met by one of the modes that are on, which pays once for the step.
 */
function waysFor(needs, on, budget, run) {
  let ways = run;
  for (const need of needs) {
    const modes = need.filter((mode) => on.has(mode));
    const free = modes.some((mode) => !budget.has(mode));
    ways = free ? ways : ways.flatMap((way) => modes.map((mode) => [...new Set([...way, budget.get(mode)])]));
    if (!modes.length) return [];
  }
  return ways;
}

/** Some ways to pay, each once; a way that pays more than another one is left out. */
function cheapest(ways) {
  const known = new Map(ways.map((way) => [[...way].sort((x, y) => x - y).join(), way]));
  const less = (x, y) => x.length < y.length && x.every((each) => y.includes(each));
  return [...known.values()].filter((way) => !ways.some((other) => less(other, way)));
}

/**
 * All transitions that some items add, without those that E has, each with the ways to
 * pay for a step by it.
 *
 * An item is a candidate, by its number, or a fault mode: its number behind all of these.
 */
export function added(problem, items) {
  const nominal = nominalOf(problem);
  const single = universe(problem);
  const run = ofTheRun(problem);
  const all = new Map();
  const on = new Set();
  for (const item of items) {
    if (item >= single) on.add(item - single);
    else if (!nominal.has(item)) all.set(item, run);
  }
  if (!on.size) return all;
  const budget = new Map(budgetsOf(problem).map(({ mode }, number) => [mode, number]));
  for (const [id, ...needs] of problem.steps) {
    const ways = waysFor(needs, on, budget, run);
    const known = all.get(id) ?? ways;
    if (ways.length) all.set(id, ways === run || known === run ? run : cheapest([...known, ...ways]));
  }
  return all;
}

/** Those of some items that have a part in transitions that were taken. */
export function taking(problem, items, taken) {
  const single = universe(problem);
  const modes = new Set();
  for (const [id, ...needs] of problem.steps) {
    if (taken.has(id)) for (const need of needs) for (const mode of need) modes.add(mode);
  }
  return items.filter((item) => (item < single ? taken.has(item) : modes.has(item - single)));
}

/** The number of a step of E, `-1` for a move that E has no part in. */
export function taken(problem, move, source, target) {
  const { states, actions } = problem.environment;
  if (!move.env) return -1;
  if (move.action === TAU) return universe(problem) + source * states.length + target;
  return (source * actions + move.action) * states.length + target;
}

const known = new WeakMap();

/** The transitions of E itself, tau left out. */
export function nominalOf(problem) {
  let found = known.get(problem);
  if (!found) {
    found = new Set();
    for (const [source, action, target] of triples(problem.environment.transitions)) {
      if (action !== TAU) found.add(identify(problem, source, action, target));
    }
    known.set(problem, found);
  }
  return found;
}

export function* triples(flat) {
  for (let i = 0; i < flat.length; i += 3) yield [flat[i], flat[i + 1], flat[i + 2]];
}

/** For each action of a system, its targets by state; `undefined` where it has none. */
function tables(size, transitions) {
  const byAction = new Map();
  for (const [source, action, target] of triples(transitions)) {
    let table = byAction.get(action);
    if (!table) byAction.set(action, (table = new Array(size).fill(undefined)));
    (table[source] ??= []).push(target);
  }
  return byAction;
}

/**
 * Build a machine.
 *
 * problem, design: of the page's data.
 * controller: whether C runs with E; without it, only E and the monitors.
 * monitors: those that watch, of `design.properties` or `design.constraints`.
 */
export function machine(problem, design, controller, monitors) {
  const { environment } = problem;
  const components = controller ? design.components : [];
  const hidden = new Set(controller ? design.hidden : []);
  const budgets = budgetsOf(problem);
  const firstCounter = 1 + components.length;
  const firstMonitor = firstCounter + budgets.length;
  const own = components.map((c) => tables(c.states.length, c.transitions));
  const watch = monitors.map((m) => tables(m.states.length, m.transitions));
  const ofEnvironment = tables(environment.states.length, environment.transitions);
  const moves = [];

  const parts = (action) =>
    components.flatMap((component, i) =>
      component.alphabet.includes(action)
        ? [{ slot: 1 + i, next: own[i].get(action) ?? new Array(component.states.length) }]
        : [],
    );
  const watching = (action) =>
    monitors.flatMap((monitor, i) => {
      if (!monitor.alphabet.includes(action)) return [];
      const table = watch[i].get(action) ?? [];
      const next = monitor.states.map((_, state) => table[state]?.[0] ?? ERROR);
      return [{ slot: firstMonitor + i, next }];
    });
  const add = (action, who, env, partsOfIt, monitorsOfIt, inside = TAU) =>
    moves.push({
      index: moves.length, action, who, env, inside,
      parts: partsOfIt, monitors: monitorsOfIt,
      base: env ? (ofEnvironment.get(action) ?? new Array(environment.states.length)) : null,
    });

  const visible = new Set();
  for (let action = 0; action < environment.actions; action++) visible.add(action);
  components.forEach((c) => c.alphabet.forEach((a) => visible.add(a)));
  for (const action of [...visible].sort((x, y) => x - y)) {
    const env = action < environment.actions;
    const taking = parts(action);
    if (hidden.has(action)) {
      if (taking.length) add(TAU, "C", false, taking, [], action);
      if (env) add(action, "E", true, [], watching(action));
    } else {
      const who = !env ? "C" : taking.length ? "both" : "E";
      add(action, who, env, taking, watching(action));
    }
  }
  add(TAU, "E", true, [], []);
  own.forEach((table, i) => {
    if (table.has(TAU)) add(TAU, "C", false, [{ slot: 1 + i, next: table.get(TAU) }], []);
  });
  return {
    problem, design, controller, monitors, moves,
    guards: controller ? design.guards : [],
    asked: monitors.flatMap((m, i) => (m.requirement ? [{ slot: firstMonitor + i, ...m.requirement }] : [])),
    budgets, firstCounter, firstMonitor,
    width: firstMonitor + monitors.length,
    alone: moves.filter((move) => !move.env),
  };
}

/** The states of all monitors at the start; `states` gets them. Returns whether one is broken. */
export function begun(machine, states) {
  let broken = judged(machine, null, null, states);
  machine.monitors.forEach((monitor, i) => {
    if (!monitor.fails_at_start) return;
    states[machine.firstMonitor + i] = ERROR;
    broken = true;
  });
  return broken;
}

/** The states in which a machine can begin, and whether something is violated there at once. */
export function* starts(machine) {
  const { environment } = machine.problem;
  const components = machine.controller ? machine.design.components : [];
  const first = [environment, ...components].map(({ initial }) => initial);
  // One of each, the last one fastest.
  const chosen = first.map(() => 0);
  for (let slot = 0; slot >= 0;) {
    const states = new Int32Array(machine.width);
    first.forEach((initial, i) => { states[i] = initial[chosen[i]]; });
    yield { broken: begun(machine, states), states };
    for (slot = first.length - 1; slot >= 0 && ++chosen[slot] === first[slot].length; slot--) chosen[slot] = 0;
  }
}

/** Whether a condition on states is met; it is read from left to right. */
function holds(when, states) {
  const said = [];
  for (const [word, n, of] of when) {
    if (word === "E") said.push(of.includes(states[0]));
    else if (word === "C") said.push(of.includes(states[1 + n]));
    else if (word === "not") said.push(!said.pop());
    else {
      const some = said.splice(said.length - n, n);
      said.push(word === "and" ? some.every((each) => each) : some.some((each) => each));
    }
  }
  return said[0];
}

/** Whether a guard takes a move from C; `states` are an array, or a part of one. */
export function refused({ guards }, move, states) {
  return move.parts.length > 0 && move.action !== TAU
    && guards.some((guard) => guard.actions.includes(move.action) && !holds(guard.when, states));
}

/**
 * Break the monitors of requirements on states that a move, or being there, violates.
 *
 * move: `null` at the start. Changes `after`; returns whether one is broken.
 */
export function judged({ asked, firstMonitor }, move, before, after) {
  let broken = false;
  for (const { slot, kind, actions, when } of asked) {
    const forbidden = kind === "state"
      ? !after.subarray(1, firstMonitor).includes(ERROR) && holds(when, after)
      : move !== null && move.action !== TAU && actions.includes(move.action)
        && holds(when, before) === (kind === "never-while");
    if (!forbidden) continue;
    after[slot] = ERROR;
    broken = true;
  }
  return broken;
}

const sorted = new WeakMap();

/** Added transitions by source and action, `{target, ways}`; made once for a set. */
function targetsOf(problem, addedIds) {
  let found = sorted.get(addedIds);
  if (found) return found;
  found = new Map();
  const width = problem.environment.actions + 1;
  for (const [id, ways] of addedIds) {
    const { source, action, target } = transition(problem, id);
    const key = source * width + action + 1;
    const list = found.get(key);
    if (list) list.push({ target, ways });
    else found.set(key, [{ target, ways }]);
  }
  sorted.set(addedIds, found);
  return found;
}

/** Whether there is something left for a way to pay; `states` as of `refused`. */
export const affords = ({ budgets, firstCounter }, way, states) =>
  way.every((number) => states[firstCounter + number] < budgets[number].most);

/** For each state of E_d, the moves that E takes part in there: `{move, targets, ways}`. */
export function rows(machine, addedIds) {
  const { problem, moves } = machine;
  const table = problem.environment.states.map(() => []);
  const extra = targetsOf(problem, addedIds);
  const width = problem.environment.actions + 1;
  for (const move of moves) {
    if (!move.env) continue;
    for (let state = 0; state < table.length; state++) {
      const more = extra.get(state * width + move.action + 1);
      const byWays = new Map();
      if (move.base[state]?.length) byWays.set(FREE, [...move.base[state]]);
      for (const { target, ways } of more ?? []) {
        if (byWays.has(ways)) byWays.get(ways).push(target);
        else byWays.set(ways, [target]);
      }
      for (const [ways, targets] of byWays) table[state].push({ move, targets, ways });
    }
  }
  return table;
}
