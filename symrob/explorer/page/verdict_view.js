// The verdict, always in sight: what is on, what it amounts to, the part that does it.

import { button, count, h, replace } from "./dom.js";
import { LABELS, MEANINGS } from "./names.js";

const MOST_CHIPS = 6;

/** Draw the bar; `answers` has one entry for each design. */
export function showVerdicts(place, page) {
  const { names, store, problem, answers } = page;
  const { on } = store.state;
  replace(place,
    h("div", { class: "chips", role: "group", "aria-label": "Switched on" }, chips(page)),
    h("div", { class: "cards" }, answers.map((answer, design) =>
      card(page, answer, problem.designs[design], design, answers.length > 1))),
  );
  document.title = `${LABELS[answers[0].verdict]}: ${names.items(on, 1) || "the plan"} \u2013 ${problem.title}`;
}

function chips({ names, store }) {
  const { on } = store.state;
  if (!on.length) return h("p", { class: "quiet" }, "Nothing is switched on: the plan as it is.");
  return [
    on.slice(0, MOST_CHIPS).map((item) => {
      const label = names.item(item);
      return h("button", {
        type: "button", class: "chip", "data-key": `off ${item}`, title: "Switch off",
        "aria-label": `Switch off ${label}`, onclick: () => store.toggle([item]),
      }, h("span", {}, label), h("span", { class: "cross", "aria-hidden": "true" }, "\u00d7"));
    }),
    on.length > MOST_CHIPS &&
      h("span", { class: "quiet" }, `${MOST_CHIPS} of ${on.length.toLocaleString("en")} shown`),
    names.chance(on) && h("span", { class: "quiet" }, `all of it possible with probability ${names.chance(on)}`),
    button("Clear", () => store.switch([]), { class: "plain" }),
  ];
}

function card(page, answer, design, index, named) {
  const { verdict } = answer;
  return h("article", { class: `verdict ${verdict}`, "data-verdict": verdict },
    named && h("p", { class: "whose" }, design.name),
    h("p", { class: "word" }, h("strong", {}, LABELS[verdict])),
    h("p", { class: "meaning" }, MEANINGS[verdict], " ", broken(page, answer, design)),
    h("p", { class: "part" }, part(page, answer), further(page, answer, index)),
  );
}

/** What breaks, each with its run. */
function broken({ show }, answer, design) {
  const index = answer.design;
  const all = [
    ...answer.properties.map((run) => ["p", run, run.own
      ? "the controller's own ERROR" : design.properties[run.index].said]),
    ...answer.assumptions.map((run) => ["a", run, design.constraints[run.index].said]),
  ];
  if (!all.length) return null;
  return ["Broken: ", all.map(([kind, run, said], i) => [
    i ? "; " : "",
    h("button", {
      type: "button", class: "link", "data-key": `run ${kind}${run.index}`,
      onclick: () => show(index, `${kind}${run.index}`),
    }, `${said} (${count(run.steps.length, "step")})`),
  ])];
}

function part({ names, store }, answer) {
  if (answer.verdict === "tolerated" || answer.verdict === "asking") return null;
  if (answer.part === undefined) return answer.verdict === "undecided" ? null : "Looking for a minimal part \u2026";
  if (answer.part === null) return null;
  const { items, verdict } = answer.part;
  const whole = items.length === store.state.on.length;
  if (whole) return items.length > 1 ? "No part of it does so." : null;
  const kind = verdict === answer.verdict || verdict === null ? "" : `, ${LABELS[verdict].toLowerCase()}`;
  return [
    items.length === 1 ? "One of them does it: " : `${items.length} of them do it: `,
    h("b", {}, names.items(items)), kind, ". ",
    button("Keep only this", () => store.switch(items), { class: "plain" }),
  ];
}

function further({ store }, answer) {
  if (answer.verdict !== "tolerated") return null;
  const nothing = answer.addable ? answer.addable.total === 0 : !answer.among;
  if (nothing) return "Nothing more is tolerated even alone.";
  if (!answer.addable) return "Looking for what could be added \u2026";
  const { safe, idle, tried, total, bound } = answer.addable;
  const can = safe.length + idle.length;
  const state = tried < total ? ` (${tried.toLocaleString("en")} of ${total.toLocaleString("en")} tried)` : "";
  return [
    `${can.toLocaleString("en")} of ${total.toLocaleString("en")} more that are tolerated alone could be added to this, one at a time${state}`,
    bound.length ? `; ${bound.length.toLocaleString("en")} not decided. ` : ". ",
    can > 0 && button("Show them", () => store.change({ tab: store.tabs.includes("candidates") ? "candidates" : "modes", only: "addable", text: "", source: -1, target: -1 }), { class: "plain" }),
  ];
}
