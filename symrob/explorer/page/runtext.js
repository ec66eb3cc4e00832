// A trace as text, in the words of the command line.

/** The parts of a state that are shown: E or its components, then those of C. */
export function partsOf(names, walker) {
  const { environment } = names.problem;
  const own = environment.parts.length
    ? environment.parts.map((part, i) => ({
      told: part.word, part, slot: 0, local: (state) => environment.of[state]?.[i] ?? -1,
    }))
    : [{ told: environment.name, part: environment, slot: 0, local: (state) => state }];
  return [...own, ...walker.components.map((part, i) => ({
    told: part.word, part, slot: 1 + i, local: (state) => state,
  }))];
}

/** What a step changes: `{part, index, before, after}` in words; the index is that of `partsOf`. */
export function changes(names, walker, before, after) {
  return partsOf(names, walker).flatMap(({ told, part, slot, local }, index) => {
    const [from, to] = [local(before[slot]), local(after[slot])];
    return from === to ? [] : [{
      part: told, index, before: names.stateTold(part, from), after: names.stateTold(part, to),
    }];
  });
}

/** Entries `{part, text}`; of parts that differ in a number and say the same, one for all. */
export function grouped(entries) {
  const found = [];
  for (const { part, text } of entries) {
    const stem = part.replace(/\d+/, "#");
    const number = Number(part.match(/\d+/)?.[0]);
    const last = found.at(-1);
    if (last?.stem === stem && last.text === text && number === last.to + 1) last.to = number;
    else found.push({ part, text, stem, from: number, to: number });
  }
  return found.map(({ part, text, from, to }) => ({ text, part: from < to ? part.replace(/\d+/, `${from}\u2013${to}`) : part }));
}

/** The states of all parts, as entries. */
export function stateTexts(names, walker, states) {
  return grouped(partsOf(names, walker).map(({ told, part, slot, local }) =>
    ({ part: told, text: names.stateTold(part, local(states[slot])) })));
}

/** What a step breaks that was not broken before it: `{assumed, what}`. */
export function brokenBy(walker, before, after) {
  const old = walker.broken(before);
  return walker.broken(after)
    .filter((index) => !old.includes(index))
    .map((index) => {
      if (index < 0) return { assumed: false, what: "the controller's own ERROR" };
      const { said, name } = walker.monitors[index];
      const assumed = walker.alone || index >= walker.design.properties.length;
      return { assumed, what: `${assumed ? "the assumption " : ""}${said === name ? name : `${said} (${name})`}` };
    });
}

export const breaks = (walker, before, after) => brokenBy(walker, before, after).map(({ what }) => what);

/** The components of C that take part in a step, each with its state before, as entries. */
export function takers(names, walker, step, before) {
  const slots = new Set(walker.machine.moves[step.move].parts.map(({ slot }) => slot));
  return grouped(partsOf(names, walker).filter(({ slot }) => slots.has(slot))
    .map(({ told, part, slot, local }) => ({ part: told, text: names.stateTold(part, local(before[slot])) })));
}

/** Who takes a step, by name. */
export function actor(names, walker, who) {
  const [env, ctrl] = [names.problem.environment.name, walker.design.controller];
  return { E: env, C: ctrl, both: `${env}+${ctrl}` }[who];
}

/** Equal for traces that are one. */
export const traceKey = (steps) => steps.map(({ states }) => states.join()).join(";");

export function runText(names, walker, { start, steps, lost }) {
  const told = (entries) => entries.map(({ part, text }) => `${part}: ${text}`).join("; ");
  const lines = [`  start     ${told(stateTexts(names, walker, start))}`];
  const labels = steps.map((step) =>
    names.told(step.action, step.inside) + (step.id >= 0 ? " (added)" : ""));
  const wide = Math.min(28, Math.max(0, ...labels.map((label) => label.length)));
  const actors = steps.map((step) => actor(names, walker, step.who));
  const broad = Math.max(4, ...actors.map((each) => each.length));
  let before = start;
  steps.forEach((step, i) => {
    const changed = grouped(changes(names, walker, before, step.states)
      .map((c) => ({ part: c.part, text: `${c.before} \u2192 ${c.after}` })));
    lines.push(`  ${String(i + 1).padStart(2)}  ${actors[i].padEnd(broad)}  ${labels[i].padEnd(wide)}  ${told(changed)}`.trimEnd());
    for (const what of breaks(walker, before, step.states)) lines.push(`  violates ${what}`);
    before = step.states;
  });
  if (lost) lines.push(`  impossible from here on: ${lost.join(", ")}`);
  return `${lines.join("\n")}\n`;
}
