// What is known beside the sets: properties, assumptions, the summary.

import { h } from "./dom.js";

function monitors(page, title, list, found, empty) {
  const answer = page.answers[page.store.state.design];
  const asking = answer.verdict === "asking";
  const broken = new Set(found(answer).filter((run) => !run.own).map((run) => run.index));
  return [
    h("h3", {}, title),
    list.length ? h("ul", { class: "facts" }, list.map((monitor, i) => h("li", {},
      h("span", { class: `state ${broken.has(i) ? "is-broken" : "is-kept"}` }, asking ? "\u2026" : broken.has(i) ? "\u2716\ufe0e violated" : "\u2714\ufe0e kept"),
      h("span", {}, monitor.said, monitor.said !== monitor.name && h("span", { class: "quiet" }, ` ${monitor.name}`)))))
      : h("p", { class: "quiet" }, empty),
  ];
}

/** What must hold, and what is assumed, with what is switched on. */
export function assumptionsPanel(page) {
  const { properties, constraints } = page.problem.designs[page.store.state.design];
  return [
    h("p", { class: "hint" }, "Properties must hold for the environment with the controller. Assumptions say what the environment alone never does."),
    monitors(page, "Properties", properties, (answer) => answer.properties, ""),
    monitors(page, "Assumptions", constraints, (answer) => answer.assumptions, "No assumptions: every deviation counts."),
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
