// What is known beside the sets: properties, assumptions, the summary.

import { h } from "./dom.js";

function monitors(page, title, list, found, empty) {
  const answer = page.answers[page.store.state.design];
  const asking = answer.verdict === "asking";
  const broken = new Set(found(answer).filter((run) => !run.own).map((run) => run.index));
  return [
    h("h3", {}, title),
    list.length ? h("ul", { class: "facts" }, list.map((monitor, i) => h("li", {},
      h("span", { class: `state ${broken.has(i) ? "is-broken" : "is-kept"}` }, asking ? "\u2026" : broken.has(i) ? "broken" : "kept"),
      h("span", {}, monitor.said, monitor.said !== monitor.name && h("span", { class: "quiet" }, ` ${monitor.name}`)))))
      : h("p", { class: "quiet" }, empty),
  ];
}

/** What must hold, and what is assumed, with what is switched on. */
export function assumptionsPanel(page) {
  const { properties, constraints } = page.problem.designs[page.store.state.design];
  return [
    h("p", { class: "hint" }, "Properties must hold of the environment with the controller. Assumptions say what the environment alone is trusted not to do."),
    monitors(page, "Properties", properties, (answer) => answer.properties, ""),
    monitors(page, "Assumptions", constraints, (answer) => answer.assumptions, "None: every deviation counts."),
  ];
}

/** What questions about the whole case tell, the summary first. */
export function summaryPanel(page) {
  const { told } = page.problem.designs[page.store.state.design].answers;
  return told.length
    ? told.flatMap(({ title, lines }) => [
      told.length > 1 && h("h3", {}, title),
      h("pre", { class: "summary", tabindex: "0" }, lines.join("\n")),
    ])
    : h("p", { class: "quiet" }, "It was not finished in the time that was given.");
}
