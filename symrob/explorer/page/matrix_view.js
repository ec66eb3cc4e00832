// The matrix class x action: how many candidates there are, and with which verdicts.

import { button, h } from "./dom.js";
import { LABELS, ORDER } from "./names.js";
import { sign } from "./signs.js";

/** Verdicts that a cell shows as a sign too: a reader looks for these. */
const ALARMING = ["hazardous", "excluded-unsafe"];

/** Candidates by class and action, of one design; made once. */
export function cells(page, design) {
  const { problem, names } = page;
  const { states, actions } = problem.environment;
  const width = states.length;
  const found = problem.classes.names.map(() => Array.from({ length: actions }, () => []));
  for (const item of page.candidates) {
    const kind = problem.classes.of.charCodeAt(item) - 97;
    found[kind][Math.floor(item / width) % actions].push(item);
  }
  return found.map((row) => row.map((items) => {
    const by = Object.fromEntries(ORDER.map((verdict) => [verdict, 0]));
    for (const item of items) by[names.alone(item, design)]++;
    return { items, by };
  }));
}

function words(by) {
  return ORDER.filter((v) => by[v]).map((v) => `${by[v].toLocaleString("en")} ${LABELS[v].toLowerCase()}`).join(", ");
}

function bar(by, total) {
  return h("span", { class: "bar", "aria-hidden": "true" }, ORDER.filter((v) => by[v]).map((v) => {
    const part = h("span", { class: `fill ${v}` });
    part.style.flexGrow = String(by[v] / total);
    return part;
  }));
}

export function matrixPanel(page) {
  const { problem, store, names } = page;
  const design = store.state.design;
  const table = page.cells(design);
  const on = new Set(store.state.on);
  const heads = Array.from({ length: problem.environment.actions }, (_, action) => names.told(action));
  const cell = ({ items, by }, kind, action) => {
    if (!items.length) return h("td", { class: "none" }, h("span", { "aria-hidden": "true" }, "\u00b7"));
    const lit = items.filter((item) => on.has(item)).length;
    const pressed = lit === items.length ? "true" : lit ? "mixed" : "false";
    return h("td", {}, h("button", {
      type: "button", class: "cell", "data-key": `cell ${kind} ${action}`, "aria-pressed": pressed,
      title: `${problem.classes.names[kind]}, ${heads[action]}: ${words(by)}${items.length <= 3 ? `\n${items.map((i) => names.item(i)).join("\n")}` : ""}`,
      onclick: () => store.toggle(items),
    }, h("span", { class: "figure" }, items.length.toLocaleString("en"), ALARMING.filter((v) => by[v]).slice(0, 1).map(sign)),
    h("span", { class: "away" }, ` ${problem.classes.names[kind]}, ${heads[action]}: ${words(by)}`), bar(by, items.length)));
  };
  return [
    h("p", { class: "hint" }, "Candidates by class and action. A cell switches all its candidates on or off."),
    h("p", { class: "legend" }, ORDER.filter((v) => table.some((row) => row.some((c) => c.by[v])))
      .map((v) => h("span", { class: v }, h("span", { class: `fill ${v}`, "aria-hidden": "true" }), sign(v), LABELS[v]))),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Class by action" }, h("table", { class: heads.some((name) => name.length > 8) ? "matrix long" : "matrix" },
      h("thead", {}, h("tr", {}, h("td", {}), heads.map((name) => h("th", { scope: "col", title: problem.actions[heads.indexOf(name)] }, h("span", {}, name))))),
      h("tbody", {}, table.map((row, kind) => {
        const all = row.flatMap((c) => c.items);
        return all.length ? h("tr", {},
          h("th", { scope: "row" }, button(problem.classes.names[kind], () => store.toggle(all), { class: "link", title: `All ${all.length.toLocaleString("en")} of this class` })),
          row.map((c, action) => cell(c, kind, action))) : null;
      })))),
  ];
}
