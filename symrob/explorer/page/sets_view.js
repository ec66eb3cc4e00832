// Sets to start from: the minimal ones that hurt, the maximal ones that are tolerated,
// the smallest that tell two designs apart, and the fault modes of the case.

import { button, count, h, partly } from "./dom.js";
import { LABELS } from "./names.js";

const MOST_SETS = 40;

function isOn(store, items) {
  return items.length === store.state.on.length && items.every((item, i) => item === store.state.on[i]);
}

/** A row that switches on exactly a set. */
function setRow(page, items, key, extra = null) {
  const { names, store } = page;
  const shown = items.slice(0, 8).map((item) => h("span", { class: "item" }, names.item(item)));
  return h("li", {}, h("button", {
    type: "button", class: "set", "data-key": key, "aria-pressed": String(isOn(store, items)),
    onclick: () => store.switch(isOn(store, items) ? [] : items),
  }, shown.length ? shown : h("span", { class: "quiet" }, "nothing"), items.length > 8 && h("span", { class: "quiet" }, `and ${items.length - 8} more`), extra));
}

function chanceOf({ names }, items) {
  const chance = names.chance(items);
  return chance && h("span", { class: "quiet" }, `probability ${chance}`);
}

/** Minimal sets that hurt, by verdict and size. */
export function setsPanel(page) {
  const { problem, more, store } = page;
  const { sets } = problem.designs[store.state.design].answers;
  const groups = new Map();
  for (const { verdict, items } of sets.found) {
    const key = `${verdict} ${items.length}`;
    if (!groups.has(key)) groups.set(key, { verdict, size: items.length, all: [] });
    groups.get(key).all.push(items);
  }
  const unit = problem.modes.length ? "fault mode" : "transition";
  const parts = [
    h("p", { class: "hint" }, `The smallest sets of ${problem.modes.length ? "fault modes" : "added transitions"} that hurt; without any one of them nothing does. Choose one to see its run.`),
  ];
  if (!sets.found.some((set) => set.verdict === "hazardous")) {
    parts.push(h("p", {}, sets.complete || sets.found.length
      ? "No set within the assumptions is hazardous." : "None was found in the time that was given."));
  }
  for (const [key, { verdict, size, all }] of groups) {
    parts.push(h("h3", { class: verdict }, h("span", { class: "dot", "aria-hidden": "true" }),
      `${LABELS[verdict]}, ${size === 1 ? "one" : size} ${unit}${size === 1 ? "" : "s"} `, h("span", { class: "quiet" }, all.length.toLocaleString("en"))));
    parts.push(partly(all, more.get(key, MOST_SETS), (items) => setRow(page, items, `set ${items.join()}`, chanceOf(page, items)),
      (rows) => h("ul", { class: "sets" }, rows), () => more.add(key, MOST_SETS)));
  }
  if (!sets.complete) parts.push(h("p", { class: "more" }, "There may be others: the search was stopped. What you switch on is judged all the same."));
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
    h("p", { class: "hint" }, `${known}: the largest sets that the controller still forgives. Groups hold what is always left out together.`),
    h("h3", {}, `In each of them `, h("span", { class: "quiet" }, count(shared.length, unit))),
    shared.length > 0 && h("p", {}, names.items(shared, 6), ". ", button("Switch these on", () => store.switch(shared), { class: "plain" })),
    listed.length > 0 && h("h3", {}, "Groups that some leave out"),
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
    !complete && h("p", { class: "more" }, "There are others, or there may be: the list was stopped."),
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
    h("p", { class: "said" }, verdict || "How they compare is not known."),
    status !== "complete" && h("p", { class: "more" }, "The comparison was stopped before it was complete."),
    only.map((side, i) => {
      const [yes, no] = i ? ["B", "A"] : ["A", "B"];
      if (!side) return h("p", { class: "quiet" }, `No set is known that ${yes} tolerates and ${no} does not.`);
      return [
        h("h3", {}, `${side.smallest ? "The smallest set" : "A set"} that ${yes} tolerates and ${no} does not`),
        h("ul", { class: "sets" }, setRow(page, side.items, `only ${i}`)),
      ];
    }),
    h("p", { class: "more" }, "What you switch on is asked of both."),
    store.state.on.length > 0 && h("p", {}, `Now: ${problem.designs.map((d, i) => `${"AB"[i]} ${page.answers[i].verdict.replace("-", " ")}`).join(", ")}.`),
  ];
}

/** The fault modes of the case, each to be switched on as a whole. */
export function modesPanel(page) {
  const { names, store, more, candidates } = page;
  const { design, text, on } = store.state;
  const asked = text.toLowerCase();
  const found = candidates.filter((item) => names.item(item).toLowerCase().includes(asked));
  return [
    h("p", { class: "hint" }, "Named changes of the environment, each switched as a whole; the colour says what it amounts to alone."),
    partly(found, more.get("modes", MOST_SETS), (item) => {
      const verdict = names.alone(item, design);
      return h("li", {}, h("button", {
        type: "button", class: `set ${verdict}`, "data-key": `mode ${item}`, "aria-pressed": String(on.includes(item)),
        onclick: () => store.toggle([item]),
      }, h("span", { class: "dot", "aria-hidden": "true" }), h("b", {}, names.item(item)), h("span", { class: "quiet" }, LABELS[verdict])));
    }, (rows) => h("ul", { class: "sets" }, rows), () => more.add("modes", 4 * MOST_SETS)),
  ];
}
