// Runs machines of XState: a line of JSON for each machine in, one for each out.
//
// In:  {config, events}: the argument of createMachine, and the events to send.
// Out: for each version of the library {start, rows} or {error}. A row is a
//      configuration, an event, where it can lead, and where if it is not ignored.
// Guards have both values: a machine is run once for each sequence of their outcomes.

import { createInterface } from 'node:readline';
import * as after from 'xstate';
import * as before from 'xstate-before';

const MOST_RUNS = 200;
const MOST_RUNS_IN_ALL = 6000;
const MOST_STATES = 80;
const MOST_STEPS = 400;

class TooLarge extends Error {}

function explore(xstate, config, events) {
  let prefix, asked, known, moment;

  function check(snapshot, { event }, guard) {
    // A guard has one value at one moment, however often it is evaluated.
    if (moment?.snapshot !== snapshot || moment.event !== event) {
      moment = { snapshot, event };
      known = new Map();
    }
    if (!known.has(guard.id)) {
      const holds = asked.length < prefix.length ? prefix[asked.length] : true;
      asked.push(holds);
      known.set(guard.id, holds);
    }
    return known.get(guard.id);
  }

  let allRuns = 0;

  function outcomes(run) {
    const found = [];
    const work = [[]];
    for (let runs = 0; work.length; runs++) {
      if (runs > MOST_RUNS || ++allRuns > MOST_RUNS_IN_ALL)
        throw new TooLarge('too many outcomes of guards');
      [prefix, asked, moment] = [work.pop(), [], undefined];
      try {
        found.push(run());
      } catch (error) {
        if (!error.message.startsWith('Infinite loop')) throw error;
      }
      for (let i = prefix.length; i < asked.length; i++) {
        work.push([...asked.slice(0, i), !asked[i]]);
      }
    }
    return found;
  }

  const guards = {};
  const actors = { job: xstate.fromPromise(() => new Promise(() => {})) };
  const read = (value) => {
    if (Array.isArray(value)) return value.map(read);
    if (value === null || typeof value !== 'object') return value;
    if (value.type === 'xstate.raise') {
      const { event, delay } = value.params;
      return xstate.raise(() => ({ ...event }), { delay });
    }
    if (typeof value.guard === 'string') {
      const guard = () => true;
      guards[value.guard] = Object.assign(guard, { id: value.guard, check });
    }
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, read(v)]));
  };
  const machine = xstate.createMachine(
    { ...read(config), options: { maxIterations: MOST_STEPS } },
    { guards, actors, delays: { LONG: 1000 } },
  );

  // As in the library's own `transition`, which starts a machine anew each time.
  const self = xstate.createActor(xstate.createMachine({}));
  const scope = {
    self,
    system: self.system,
    id: '',
    sessionId: '',
    ...Object.fromEntries(
      ['defer', 'logger', 'stopChild', 'emit', 'actionExecutor'].map((k) => [k, () => {}]),
    ),
  };
  const select = machine.getTransitionData;
  let sending, reacts;
  machine.getTransitionData = function (snapshot, event) {
    const found = select.call(this, snapshot, event);
    if (event === sending) reacts = found.length > 0;
    return found;
  };

  const name = ({ _nodes }) =>
    _nodes
      .filter((node) => node.type === 'atomic' || node.type === 'final')
      .map((node) => node.path.join('.'))
      .sort()
      .join('+');
  const key = ({ _nodes }) => _nodes.map((node) => node.id).join(' ');
  const start = outcomes(() => {
    const [first] = xstate.initialTransition(machine);
    if (first.status === 'error') throw first.error;
    return first;
  });
  const rows = new Map();
  const seen = new Set();
  const work = [...start];
  while (work.length) {
    const here = work.pop();
    if (seen.has(key(here))) continue;
    seen.add(key(here));
    if (seen.size > MOST_STATES) throw new TooLarge('too many states');
    if (here.status !== 'active') continue;
    // Timers and actors of states that are active, which report nothing otherwise.
    const reports = new Set(
      here._nodes.flatMap(({ after, invoke }) => [
        ...after.map((transition) => transition.eventType),
        ...invoke.flatMap(({ id, onSnapshot }) => [
          `xstate.done.actor.${id}`,
          `xstate.error.actor.${id}`,
          ...(onSnapshot ? [`xstate.snapshot.${id}`] : []),
        ]),
      ]),
    );
    for (const type of events) {
      if (type.startsWith('xstate.') && !reports.has(type)) continue;
      const handled = [];
      const next = outcomes(() => {
        sending = { type };
        const there = machine.transition(here, sending, scope);
        // An actor's error that nothing takes stops the machine.
        if (there.status === 'error') return here;
        if (reacts) handled.push(there);
        return there;
      });
      work.push(...next);
      const id = JSON.stringify([name(here), type]);
      const row = rows.get(id) ?? [new Set(), new Set()];
      next.forEach((there) => row[0].add(name(there)));
      handled.forEach((there) => row[1].add(name(there)));
      rows.set(id, row);
    }
  }
  return {
    start: [...new Set(start.map(name))],
    rows: [...rows].map(([id, [all, taken]]) => [...JSON.parse(id), [...all], [...taken]]),
  };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { config, events } = JSON.parse(line);
  const found = [after, before].map((xstate) => {
    try {
      return explore(xstate, config, events);
    } catch (error) {
      return { error: error.message, large: error instanceof TooLarge };
    }
  });
  process.stdout.write(`${JSON.stringify(found)}\n`);
}
