// Sets to start from: the minimal ones that are unsafe, the maximal ones that are tolerated,
// the smallest that tell two designs apart, and the fault modes of the case.

import { button, count, h, partly } from "./dom.js";
import { transition } from "./machine.js";
import { LABELS, ORDER } from "./names.js";
import { itemParts, sign } from "./signs.js";
import { named } from "./verdict_view.js";

const MOST_SETS = 40;
/** A group with more sets than this is closed at first. */
const MOST_OPEN = 12;
const GROUPS = [["", "Size"], ["action", "Action"], ["class", "Class"], ["alike", "Equal part"]];

function isOn(store, items) {
  return items.length === store.state.on.length && items.every((item, i) => item === store.state.on[i]);
}

/** A row that switches on exactly a set. */
function setRow(page, items, key, extra = null) {
  const { names, store } = page;
  const shown = items.slice(0, 8).map((item) => h("span", { class: "item" }, itemParts(names, item, store.state.design)));
  return h("li", {}, h("button", {
    type: "button", class: "set", "data-key": key, "aria-pressed": String(isOn(store, items)),
    onclick: () => store.switch(isOn(store, items) ? [] : items),
  }, shown.length ? shown : h("span", { class: "quiet" }, "nothing"), items.length > 8 && h("span", { class: "quiet" }, `and ${items.length - 8} more`), extra));
}

function chanceOf({ names }, items) {
  const chance = names.chance(items);
  return chance && h("span", { class: "quiet" }, `probability ${chance}`);
}

/** Whether a set has all that is searched for. */
export function matches(names, items, text) {
  const asked = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!asked.length) return true;
  const told = items.map((item) => names.text(item)).join(" ");
  return asked.every((word) => told.includes(word));
}

/** What sets have in common that stand below one heading. */
function heading({ names, problem }, group, items) {
  const each = (tell) => [...new Set(items.map(tell))].join(" + ");
  if (group === "class") return each((item) => names.kind(item));
  if (group === "action") return each((item) => names.told(transition(problem, item).action));
  if (group === "alike") return each((item) => names.item(item).replace(/\d+/g, "*"));
  const unit = problem.modes.length ? "fault mode" : "change";
  return items.length === 1 ? `one ${unit}` : `${items.length} ${unit}s`;
}

/** Minimal unsafe sets, grouped as one likes, the worst verdict first. */
export function setsPanel(page) {
  const { problem, more, store, names } = page;
  const { design, text } = store.state;
  const { sets } = problem.designs[design].answers;
  const kinds = problem.modes.length ? GROUPS.filter(([key]) => !key || key === "alike") : GROUPS;
  const group = kinds.some(([key]) => key === store.state.group) ? store.state.group : "";
  const found = sets.found.filter(({ items }) => matches(names, items, text));
  const groups = new Map();
  for (const { verdict, items } of found) {
    const title = heading(page, group, items);
    const key = `${ORDER.indexOf(verdict)} ${title}`;
    if (!groups.has(key)) groups.set(key, { verdict, title, all: [] });
    groups.get(key).all.push(items);
  }
  const sorted = [...groups].sort(([, x], [, y]) => ORDER.indexOf(x.verdict) - ORDER.indexOf(y.verdict));
  const parts = [
    h("p", { class: "hint" }, `Minimal sets of ${problem.modes.length ? "fault modes" : "changes"} that violate a property. Choose one to see its trace.`),
    h("div", { class: "filters", role: "group", "aria-label": "Group by" }, h("span", { class: "quiet" }, "Group by"),
      kinds.map(([key, label]) => button(label, () => store.change({ group: key }), {
        class: "filter", "aria-pressed": String(group === key), "data-key": `group ${key}`,
      }))),
    text && h("p", { class: "quiet" }, `${count(found.length, "set")} of ${sets.found.length.toLocaleString("en")} match the search. `,
      button("Clear the search", () => store.change({ text: "" }), { class: "plain" })),
  ];
  if (!text && !sets.found.some((set) => set.verdict === "hazardous")) {
    parts.push(h("p", {}, sets.complete || sets.found.length
      ? "No set within the assumptions is hazardous." : "None was found in the given time."));
  }
  for (const [key, { verdict, title, all }] of sorted) {
    parts.push(h("details", { open: all.length <= MOST_OPEN || sorted.length < 3, class: "group" },
      h("summary", {}, sign(verdict), h("span", {}, h("b", {}, LABELS[verdict]), `, ${title} `), h("span", { class: "quiet" },
        group === "alike" && all.length > 1 ? `on each of ${all.length.toLocaleString("en")}` : all.length.toLocaleString("en"))),
      partly(all, more.get(key, MOST_SETS), (items) => setRow(page, items, `set ${items.join()}`, chanceOf(page, items)),
        (rows) => h("ul", { class: "sets" }, rows), () => more.add(key, MOST_SETS))));
  }
  if (!sets.complete) parts.push(h("p", { class: "more" }, "The search was stopped, so there may be more sets. The verdict on what you switch on does not depend on this list."));
  return parts;
}

/** Δ as groups: candidates that are in the same deviations are one group. */
export function deviationsPanel(page) {
  const { problem, names, store, more } = page;
  const design = store.state.design;
  const { left_out: left, complete } = problem.designs[design].answers.deviations;
  const tolerated = page.toleratedAlone(design);
  const unit = problem.modes.length ? "fault mode" : "transition";
  const lacking = new Map();
  left.forEach((items, number) => items.forEach((item) => {
    if (!lacking.has(item)) lacking.set(item, []);
    lacking.get(item).push(number);
  }));
  const shared = tolerated.filter((item) => !lacking.has(item));
  const groups = new Map();
  for (const [item, numbers] of lacking) {
    const key = numbers.join();
    if (!groups.has(key)) groups.set(key, { items: [], letter: "" });
    groups.get(key).items.push(item);
  }
  const listed = [...groups.values()];
  listed.forEach((group, i) => {
    group.items.sort((x, y) => x - y);
    group.letter = i < 26 ? String.fromCharCode(65 + i) : `G${i + 1}`;
  });
  const letterOf = new Map(listed.flatMap((group) => group.items.map((item) => [item, group.letter])));
  const known = complete ? `All ${count(left.length, "maximal deviation")}` : `The first ${count(left.length, "maximal deviation")}`;
  const parts = [
    h("p", { class: "hint" }, `${known}: the largest sets of changes that the controller tolerates. A group contains changes that are always left out together.`),
    h("h3", {}, `In each of them `, h("span", { class: "quiet" }, count(shared.length, unit))),
    shared.length > 0 && h("p", {}, names.items(shared, 6), ". ", button("Switch these on", () => store.switch(shared), { class: "plain" })),
    listed.length > 0 && h("h3", {}, "Groups that some deviations leave out"),
    partly(listed, more.get("groups", MOST_SETS), ({ letter, items }) => h("li", {}, h("button", {
      type: "button", class: "set group", "data-key": `group ${letter}`, onclick: () => store.toggle(items),
      "aria-pressed": String(items.every((item) => store.state.on.includes(item))),
    }, h("span", { class: "letter" }, letter), items.slice(0, 6).map((item) => h("span", { class: "item" }, names.item(item))),
    items.length > 6 && h("span", { class: "quiet" }, `and ${items.length - 6} more`))),
    (rows) => h("ul", { class: "sets" }, rows), () => more.add("groups", MOST_SETS)),
    h("h3", {}, "Deviations"),
    partly(left, more.get("deviations", MOST_SETS), (items, number) => {
      const without = new Set(items);
      const rest = tolerated.filter((item) => !without.has(item));
      const letters = [...new Set(items.map((item) => letterOf.get(item)))];
      return h("li", {}, h("button", {
        type: "button", class: "set", "data-key": `deviation ${number}`, "aria-pressed": String(isOn(store, rest)),
        onclick: () => store.switch(isOn(store, rest) ? [] : rest),
      }, h("b", {}, `Deviation ${number + 1}`), h("span", {}, count(rest.length, `new ${unit}`)),
      h("span", { class: "quiet" }, letters.length ? `without ${letters.slice(0, 12).join(", ")}${letters.length > 12 ? " \u2026" : ""}` : "leaves nothing out")));
    }, (rows) => h("ul", { class: "sets" }, rows), () => more.add("deviations", MOST_SETS)),
    !complete && h("p", { class: "more" }, "The list is incomplete."),
  ];
  return parts;
}

/** Where two designs differ, and the smallest set to start from. */
export function comparePanel(page) {
  const { problem, store } = page;
  const { verdict, status, only } = problem.comparison;
  const [a, b] = problem.designs;
  return [
    h("p", {}, h("b", {}, "A"), ` ${a.name}`, h("br"), h("b", {}, "B"), ` ${b.name}`),
    h("p", { class: "said" }, verdict || "How they compare is unknown."),
    status !== "complete" && h("p", { class: "more" }, "The comparison was stopped before it was complete."),
    only.map((side, i) => {
      const [yes, no] = i ? ["B", "A"] : ["A", "B"];
      if (!side) return h("p", { class: "quiet" }, `No set is known that ${yes} tolerates and ${no} does not.`);
      return [
        h("h3", {}, `${side.smallest ? "The smallest set" : "A set"} that ${yes} tolerates and ${no} does not`),
        h("ul", { class: "sets" }, setRow(page, side.items, `only ${i}`)),
      ];
    }),
    h("p", { class: "more" }, "Whatever you switch on is judged for both designs."),
    store.state.on.length > 0 && h("p", {}, `Now: ${problem.designs.map((d, i) => `${"AB"[i]} ${page.answers[i].verdict.replace("-", " ")}`).join(", ")}.`),
  ];
}

/** How often a trace may use a fault mode. */
function bound({ problem, single }, item) {
  const [, most] = problem.bounds.find(([mode]) => single + mode === item) ?? [];
  return most === undefined ? "" : `, at most ${count(most, "step")} of a trace`;
}

/** The fault modes of the case, each to be switched on as a whole. */
export function modesPanel(page) {
  const { names, store, more } = page;
  const { design, text, on } = store.state;
  const found = page.ranked(design).filter((item) => matches(names, [item], text));
  return [
    h("p", { class: "hint" }, "Named changes of the environment, each switched as a whole, with its individual verdict."),
    partly(found, more.get("modes", MOST_SETS), (item) => {
      const verdict = names.alone(item, design);
      return h("li", {}, h("button", {
        type: "button", class: `set ${verdict}`, "data-key": `mode ${item}`, "aria-pressed": String(on.includes(item)),
        onclick: () => store.toggle([item]),
      }, sign(verdict), h("b", {}, names.item(item)), h("span", { class: "quiet" }, LABELS[verdict] + bound(names, item)),
      h("span", { class: "quiet brought" }, `adds: ${named(names.brought(item), 2)}`)));
    }, (rows) => h("ul", { class: "sets" }, rows), () => more.add("modes", 4 * MOST_SETS)),
  ];
}
