// All candidates as a table: searched, filtered, switched one by one.

import { button, h, partly } from "./dom.js";
import { transition } from "./machine.js";
import { LABELS, SHORT } from "./names.js";

const MOST_ROWS = 100;
const FILTERS = ["hazardous", "excluded-unsafe", "excluded-safe", "tolerated", "undecided"];

/** The candidates that fit what is asked for, and how many there are. */
export function fitting(page) {
  const { names, store, problem } = page;
  const { text, only, source, target, design, on } = store.state;
  const asked = text.toLowerCase().split(/\s+/).filter(Boolean);
  const { addable } = page.answers[design];
  const can = only === "addable" ? new Set([...(addable?.safe ?? []), ...(addable?.idle ?? [])]) : null;
  const lit = only === "on" ? new Set(on) : null;
  const found = [];
  for (const item of page.candidates) {
    if (can && !can.has(item)) continue;
    if (lit && !lit.has(item)) continue;
    if (!can && !lit && only && names.alone(item, design) !== only) continue;
    const { source: from, target: to } = transition(problem, item);
    if (source >= 0 && from !== source) continue;
    if (target >= 0 && to !== target) continue;
    if (asked.length) {
      const line = `${names.item(item)} ${names.kind(item)}`.toLowerCase();
      if (!asked.every((word) => line.includes(word))) continue;
    }
    found.push(item);
  }
  return found;
}

export function candidatesPanel(page) {
  const { store, names, problem, more } = page;
  const { only, source, target, design } = store.state;
  const { states } = problem.environment;
  const { addable } = page.answers[design];
  const on = new Set(store.state.on);
  const found = fitting(page);
  const filter = (value, label) => button(label, () => store.change({ only: only === value ? "" : value }), {
    "aria-pressed": String(only === value), class: "filter", "data-key": `only ${value}`,
  });
  const used = FILTERS.filter((v) => v !== "undecided" || problem.designs.some((d) => /[b?]/.test(d.answers.alone)));
  return [
    h("div", { class: "filters", role: "group", "aria-label": "Show only" },
      used.map((v) => filter(v, LABELS[v])),
      filter("addable", "Could be added"), filter("on", "Switched on")),
    (source >= 0 || target >= 0) && h("p", { class: "hint" },
      source >= 0 ? `From ${states[source]}` : "", target >= 0 ? ` to ${states[target]}` : " (choose a second state for what leads there)", ". ",
      button("All states", () => store.change({ source: -1, target: -1 }), { class: "plain" })),
    h("p", { class: "quiet", "aria-live": "polite" }, `${found.length.toLocaleString("en")} of ${page.candidates.length.toLocaleString("en")} candidates`),
    partly(found, more.get("candidates", MOST_ROWS), (item) => row(page, item, on, addable), (rows) =>
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Candidates" }, h("table", { class: "candidates" },
        h("thead", {}, h("tr", {}, ["", "Action", "From", "To", "Class", "Alone", names.chances.size && "Probability"].filter((head) => head !== 0).map((head) => h("th", { scope: "col" }, head)))),
        h("tbody", {}, rows))), () => more.add("candidates", 4 * MOST_ROWS)),
  ];
}

function row(page, item, on, addable) {
  const { names, problem, store } = page;
  const { source, action, target } = transition(problem, item);
  const { states } = problem.environment;
  const verdict = names.alone(item, store.state.design);
  const lit = on.has(item);
  const mark = addable && !lit && on.size
    ? addable.unsafe.includes(item) ? "no longer" : addable.idle.includes(item) ? "never fires" : "" : "";
  return h("tr", { class: lit ? "lit" : "" },
    h("td", {}, h("button", {
      type: "button", class: "switch", role: "switch", "aria-checked": String(lit), "aria-label": names.item(item),
      "data-key": `switch ${item}`, onclick: () => store.toggle([item]),
    })),
    h("td", {}, names.action(action)),
    h("td", {}, states[source]),
    h("td", {}, states[target]),
    h("td", { class: "quiet" }, names.kind(item)),
    h("td", { class: verdict, title: SHORT[verdict] }, h("span", { class: "dot", "aria-hidden": "true" }), LABELS[verdict], mark && h("em", {}, ` ${mark}`)),
    names.chances.size > 0 && h("td", { class: "quiet" }, names.chance([item])));
}
