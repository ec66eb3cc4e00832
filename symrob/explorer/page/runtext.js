// A run as text, in the words of the command line.

/** The parts of a state that are shown: E, then the components. */
export function partsOf(names, walker) {
  const { environment } = names.problem;
  return [
    { name: "E", told: environment.name, part: environment },
    ...walker.components.map((c) => ({ name: c.name, told: c.word, part: c })),
  ];
}

/** What a step changes: `{part, before, after}` in words. */
export function changes(names, walker, before, after) {
  return partsOf(names, walker).flatMap(({ told, part }, slot) =>
    before[slot] === after[slot] ? [] : [{
      part: told, slot,
      before: names.stateTold(part, before[slot]),
      after: names.stateTold(part, after[slot]),
    }]);
}

/** What a step breaks that was not broken before it. */
export function breaks(walker, before, after) {
  const old = walker.broken(before);
  return walker.broken(after)
    .filter((index) => !old.includes(index))
    .map((index) => {
      if (index < 0) return "the controller's own ERROR";
      const { said, name } = walker.monitors[index];
      return said === name ? name : `${said} (${name})`;
    });
}

export function runText(names, walker, { start, steps }) {
  const states = partsOf(names, walker)
    .map(({ told, part }, slot) => `${told}: ${names.stateTold(part, start[slot])}`);
  const lines = [`  start     ${states.join("; ")}`];
  const labels = steps.map((step) =>
    names.told(step.action, step.inside) + (step.id >= 0 ? " (added)" : ""));
  const wide = Math.min(28, Math.max(0, ...labels.map((label) => label.length)));
  let before = start;
  steps.forEach((step, i) => {
    const told = changes(names, walker, before, step.states)
      .map((c) => `${c.part}: ${c.before} \u2192 ${c.after}`).join("; ");
    lines.push(`  ${String(i + 1).padStart(2)}  ${step.who.padEnd(4)}  ${labels[i].padEnd(wide)}  ${told}`.trimEnd());
    for (const what of breaks(walker, before, step.states)) lines.push(`  violated: ${what}`);
    before = step.states;
  });
  return `${lines.join("\n")}\n`;
}
