// A trace as a file: what is switched on and the steps, to read, and a link to load.

import { h } from "./dom.js";
import { actor, breaks, changes, stateTexts } from "./runtext.js";

const FORM = "symrob-trace/1";
const MOST_BYTES = 1_000_000;

/** Save the present trace. */
export function saveTrace(page) {
  const { names, walker, walk, store, problem } = page;
  if (!store.linked) {
    page.warn("Too much is switched on for a file.");
    return;
  }
  let before = walk.start;
  const steps = walk.steps.map((step) => {
    const told = {
      action: names.action(step.action, step.inside),
      by: actor(names, walker, step.who),
      added: step.id >= 0,
      changes: changes(names, walker, before, step.states).map((c) => ({ part: c.part, from: c.before, to: c.after })),
      violates: breaks(walker, before, step.states),
    };
    before = step.states;
    return told;
  });
  const data = {
    schema: FORM, title: problem.title, models: problem.fingerprint,
    design: problem.designs[store.state.design].name,
    added: store.state.on.map((item) => names.raw(item)), start: stateTexts(names, walker, walk.start).map(({ part, text }) => ({ part, state: text })), steps, impossible: walk.lost ?? [], link: store.link(),
  };
  page.download("trace.json", "application/json", `${JSON.stringify(data, null, 2)}\n`);
}

/** Ask for a file, and look at the trace that is in it. */
export function loadTrace(page) {
  const input = h("input", { type: "file", accept: ".json,application/json", class: "away", "aria-label": "A saved trace" });
  const take = async () => {
    const [file] = input.files;
    input.remove();
    let data = null;
    try {
      if (file.size <= MOST_BYTES) data = JSON.parse(await file.text());
    } catch {
      // What is no JSON has no schema either.
    }
    if (data?.schema !== FORM || typeof data.link !== "string") page.warn(`${file.name} is not a trace that this page saved.`);
    else page.read(data.link);
  };
  input.addEventListener("change", take);
  input.addEventListener("cancel", () => input.remove());
  document.body.append(input);
  input.click();
}
