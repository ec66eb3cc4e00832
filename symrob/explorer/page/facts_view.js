// What is known beside the sets: properties, assumptions, the summary.

import { count, h, traceLink } from "./dom.js";

/** A name that shows a trace where there is one. */
function shown({ show, store }, said, key, run) {
  const title = run && `Show the trace (${count(run.steps.length, "step")})`;
  return run ? traceLink(show, store.state.design, key, said, title, `see ${key}`) : said;
}

function monitors(page, title, kind, list, found, empty) {
  const answer = page.answers[page.store.state.design];
  const asking = answer.verdict === "asking";
  const broken = new Map(found(answer).filter((run) => !run.own).map((run) => [run.index, run]));
  return [
    h("h3", {}, title),
    list.length ? h("ul", { class: "facts" }, list.map((monitor, i) => h("li", {},
      h("span", { class: `state ${broken.has(i) ? "is-broken" : "is-kept"}` }, asking ? "\u2026" : broken.has(i) ? "\u2716\ufe0e violated" : "\u2714\ufe0e kept"),
      h("span", {}, shown(page, monitor.said, `${kind}${i}`, broken.get(i)), monitor.said !== monitor.name && h("span", { class: "quiet" }, ` ${monitor.name}`)))))
      : h("p", { class: "quiet" }, empty),
  ];
}

/** What must hold, and what is assumed, with what is switched on. */
export function assumptionsPanel(page) {
  const { properties, constraints, answers } = page.problem.designs[page.store.state.design];
  return [
    h("p", { class: "hint" }, "Properties must hold for the environment with the controller. Assumptions say what the environment alone never does."),
    monitors(page, "Properties", "p", properties, (answer) => answer.properties, ""),
    monitors(page, "Assumptions", "a", constraints, (answer) => answer.assumptions, "No assumptions: every deviation counts."),
    goals(page, answers.progress),
  ];
}

/** What must stay possible: no property, since it can be lost without harm. */
function goals(page, progress) {
  const { answers, names, store } = page;
  const { design } = store.state;
  const { lost, verdict, done } = answers[design];
  const title = h("h3", {}, "Goals");
  if (!progress) return [title, h("p", { class: "quiet" }, "Not computed in the given time.")];
  if (!progress.goals.length && !progress.lost.length) {
    return [title, h("p", { class: "quiet" }, "No goals: the plan does not end, and there is no action of C that it can always perform again.")];
  }
  const gone = new Map(lost?.map((each) => [each.goal, each]));
  const waiting = lost === undefined && verdict !== "undecided" && !done;
  const row = (name, broken, said) => h("li", {},
    h("span", { class: `state ${broken ? "is-broken" : "is-kept"}` }, said), h("span", {}, name));
  return [
    title,
    h("p", { class: "hint" }, "What the plan can always do again must stay possible. A lost goal violates no property: the machine may be safe only because it is stuck."),
    h("ul", { class: "facts" },
      progress.goals.map((_, goal) => row(shown(page, names.goal(goal, design), `g${goal}`, gone.get(goal)), gone.has(goal),
        waiting ? "\u2026" : gone.has(goal) ? "\u2716\ufe0e lost" : lost ? "\u2714\ufe0e kept" : "? not decided")),
      progress.lost.map((name) => row(name, true, "\u2716\ufe0e lost in the plan"))),
  ];
}

/** Answers to questions about the whole case, the summary first. */
export function summaryPanel(page) {
  const { told } = page.problem.designs[page.store.state.design].answers;
  return told.length
    ? told.flatMap(({ title, lines }) => [
      told.length > 1 && h("h3", {}, title),
      h("pre", { class: "summary", tabindex: "0" }, lines.join("\n")),
    ])
    : h("p", { class: "quiet" }, "Not computed in the given time.");
}
