// All candidates as a table: searched, filtered, switched one by one.

import { button, h, partly } from "./dom.js";
import { transition } from "./machine.js";
import { LABELS, MEANINGS } from "./names.js";
import { matches } from "./sets_view.js";
import { sign } from "./signs.js";

const MOST_ROWS = 100;
const FILTERS = ["hazardous", "excluded-unsafe", "excluded-safe", "breaking", "tolerated", "undecided"];

/** The candidates that fit what is asked for, and how many there are. */
export function fitting(page) {
  const { names, store, problem } = page;
  const { text, only, source, target, design, on } = store.state;
  const { addable } = page.answers[design];
  const can = only === "addable" ? new Set([...(addable?.safe ?? []), ...(addable?.idle ?? [])]) : null;
  const lit = only === "on" ? new Set(on) : null;
  const found = [];
  for (const item of page.ranked(design)) {
    if (can && !can.has(item)) continue;
    if (lit && !lit.has(item)) continue;
    if (!can && !lit && only && names.alone(item, design) !== only) continue;
    const { source: from, target: to } = transition(problem, item);
    if (source >= 0 && from !== source) continue;
    if (target >= 0 && to !== target) continue;
    if (matches(names, [item], text)) found.push(item);
  }
  return found;
}

export function candidatesPanel(page) {
  const { store, names, problem, more } = page;
  const { only, source, target, design } = store.state;
  const { environment } = problem;
  const { addable } = page.answers[design];
  const on = new Set(store.state.on);
  const found = fitting(page);
  const filter = (value, label) => button(label, () => store.change({ only: only === value ? "" : value }), {
    "aria-pressed": String(only === value), class: "filter", "data-key": `only ${value}`,
  });
  const rare = { breaking: /b/, undecided: /\?/ };
  const used = FILTERS.filter((v) => !rare[v] || problem.designs.some((d) => rare[v].test(d.answers.alone)));
  return [
    h("div", { class: "filters", role: "group", "aria-label": "Show only" },
      used.map((v) => button(LABELS[v], () => store.change({ only: only === v ? "" : v }), {
        "aria-pressed": String(only === v), class: `filter ${v}`, "data-key": `only ${v}`,
      })),
      filter("addable", "Could be added"), filter("on", "Switched on")),
    (source >= 0 || target >= 0) && h("p", { class: "hint" },
      source >= 0 ? `From \u201c${names.stateTold(environment, source)}\u201d` : "", target >= 0 ? ` to \u201c${names.stateTold(environment, target)}\u201d` : " (choose a second state as the target)", ". ",
      button("All states", () => store.change({ source: -1, target: -1 }), { class: "plain" })),
    h("p", { class: "quiet", "aria-live": "polite" }, `${found.length.toLocaleString("en")} of ${page.candidates.length.toLocaleString("en")} candidates`),
    partly(found, more.get("candidates", MOST_ROWS), (item) => row(page, item, on, addable), (rows) =>
      h("table", { class: "candidates" },
        h("thead", {}, h("tr", {}, [h("span", { class: "away" }, "Switch"), "Change", "Alone"].map((head) => h("th", { scope: "col" }, head)))),
        h("tbody", {}, rows)), () => more.add("candidates", 4 * MOST_ROWS)),
  ];
}

function row(page, item, on, addable) {
  const { names, store } = page;
  const verdict = names.alone(item, store.state.design);
  const lit = on.has(item);
  const mark = addable && !lit && on.size
    ? addable.unsafe.includes(item) ? "no longer" : addable.idle.includes(item) ? "never fires" : "" : "";
  const [words, raw, chance] = [names.item(item), names.raw(item), names.chance([item])];
  const kind = [names.kind(item), chance && `probability ${chance}`].filter(Boolean).join(", ");
  return h("tr", { class: lit ? "lit" : "" },
    h("td", {}, h("button", {
      type: "button", class: "switch", role: "switch", "aria-checked": String(lit), "aria-label": words,
      "data-key": `switch ${item}`, onclick: () => store.toggle([item]),
    })),
    h("td", {}, words, h("span", { class: "second" }, raw !== words && h("code", { class: "raw" }, raw), h("span", { class: "quiet" }, kind))),
    h("td", { class: verdict, title: MEANINGS[verdict] }, sign(verdict), " ", LABELS[verdict], mark && h("em", {}, ` ${mark}`)));
}
