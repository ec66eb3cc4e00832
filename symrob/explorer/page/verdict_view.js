// The verdict, always in sight: what is on, what it amounts to, the part that does it.

import { button, count, h, replace, traceLink } from "./dom.js";
import { LABELS, MEANINGS } from "./names.js";
import { traceKey } from "./runtext.js";
import { itemParts, sign } from "./signs.js";

/** The first of some names. */
export function named(all, most = 1) {
  return all.slice(0, most).join("; ") + (all.length > most ? `; and ${all.length - most} more` : "") || "nothing";
}

const MOST_CHIPS = 4;
const MOST_BROKEN = 3;
const MOST_ADDED = 2;
/** The letters of `alone` for what breaks an assumption and nothing that is known of. */
const KEPT_OUT = "ob";

/** Draw the bar; `answers` has one entry for each design. */
export function showVerdicts(place, page) {
  const { names, store, problem, answers } = page;
  const { on } = store.state;
  replace(place,
    on.length > 0 && h("div", { class: "chips", role: "group", "aria-label": "Switched on" }, chips(page)),
    h("div", { class: "cards" }, answers.map((answer, design) =>
      card(page, answer, problem.designs[design], design, answers.length > 1))),
    h("p", { class: "progress quiet", role: "status" }),
  );
  const what = names.items(on, 1) || "as planned";
  document.title = `${LABELS[answers[0].verdict]}: ${what} \u2013 ${problem.title}`;
  showProgress(place, page);
}

/** How long a search has taken, if that is worth a word, and a way to end it. */
export function showProgress(place, page) {
  const line = place.querySelector(".progress");
  const seconds = Math.round((performance.now() - page.since) / 1000);
  const stopped = page.waiting.some((answer) => answer.stopped);
  line.hidden = !stopped && (!page.isSearching() || seconds < 1);
  if (stopped) line.textContent = "The search was stopped.";
  if (line.hidden || stopped) return;
  const states = page.waiting.reduce((sum, answer) => sum + (answer.searched ?? 0), 0);
  const deciding = page.waiting.some((answer) => answer.verdict === "asking");
  const what = deciding ? "Searching" : page.waiting.some((a) => a.verdict === "tolerated") ? "Looking for what could be added" : "Looking for a minimal part";
  replace(line, `${what}: ${count(seconds, "second")}, ${count(states, "state")} `,
    button("Stop", () => page.stop(), { class: "plain" }));
}

function chips({ names, store, problem }) {
  const { on, design } = store.state;
  const { found } = problem.designs[design].answers.sets;
  const here = found.findIndex(({ items }) => items.length === on.length && items.every((item, i) => item === on[i]));
  return [
    on.slice(0, MOST_CHIPS).map((item) => h("button", {
      type: "button", class: "chip", "data-key": `off ${item}`, title: `${names.raw(item)}\nSwitch off`,
      "aria-label": `Switch off ${names.item(item)}`, onclick: () => store.toggle([item]),
    }, itemParts(names, item, design).slice(0, 2), h("span", { class: "cross", "aria-hidden": "true" }, "\u00d7"))),
    on.length > MOST_CHIPS &&
      h("span", { class: "quiet" }, `${MOST_CHIPS} of ${on.length.toLocaleString("en")} shown`),
    names.chance(on) && h("span", { class: "quiet" }, `probability ${names.chance(on)}`),
    here >= 0 && found.length > 1 && button(`Next minimal set (this is ${(here + 1).toLocaleString("en")} of ${found.length.toLocaleString("en")})`,
      () => store.switch(found[(here + 1) % found.length].items), { class: "plain", "data-key": "next" }),
    button("Clear", () => store.switch([]), { class: "plain" }),
  ];
}

function card(page, answer, design, index, named) {
  const { verdict } = answer;
  const isPlan = !page.store.state.on.length && verdict === "tolerated";
  return h("article", { class: `verdict ${verdict}${isPlan ? " plan" : ""}`, "data-verdict": verdict },
    h("p", { class: "word" }, sign(verdict), h("strong", {}, isPlan ? "As planned: safe" : LABELS[verdict]),
      named && h("span", { class: "whose" }, design.name),
      !isPlan && h("span", { class: "chosen" }, page.names.items(page.store.state.on, 1))),
    h("div", { class: "more-of-it" }, isPlan ? plan(page, answer, design, index) : [
      h("p", { class: "meaning" }, MEANINGS[verdict]),
      broken(page, answer, design),
      lost(page, answer),
      h("p", { class: "part" }, part(page, answer), further(page, answer, index)),
    ]),
  );
}

/** The first screen: how far the plan is from harm, and the way there. */
function plan(page, answer, design, index) {
  const { names, problem } = page;
  const { sets, worst, alone } = design.answers;
  const unit = problem.modes.length ? "fault mode" : "change";
  if (!worst) {
    const known = sets.complete ? "No set of changes violates a property." : "No set of changes is known that violates a property.";
    return h("p", { class: "meaning" }, sign("tolerated"), ` ${known} `, further(page, answer));
  }
  const { verdict, items } = worst;
  const all = items.length === 1 ? [...alone].filter((letter) => letter === { hazardous: "h", "excluded-unsafe": "w" }[verdict]).length
    : sets.found.filter((set) => set.verdict === verdict && set.items.length === items.length).length;
  const least = items.length > 1 && !sets.complete ? "at least " : "";
  const many = `${least}${sized(Math.max(all, 1), items.length, unit)}`;
  const said = verdict === "hazardous" ? `${many} ${all > 1 ? "are" : "is"} hazardous`
    : `safe only while the assumptions hold: ${many} ${all > 1 ? "violate" : "violates"} an assumption and a property`;
  const rank = names.chance(items) ? "most probable" : "most plausible";
  return [
    h("p", { class: "meaning" }, sign(verdict), h("strong", { class: verdict }, ` ${said[0].toUpperCase()}${said.slice(1)}`), all > 1 ? `; the ${rank}: ` : ": ",
      h("span", { class: "worst" }, names.items(items)), items.length === 1 && items[0] >= names.single && ` (${adds(names, items[0])})`),
    h("p", {}, button("Replay it", () => page.replayWorst(index, items), { class: "primary", "data-key": "replay" })),
    problem.designs.length < 2 && h("p", { class: "part" }, further(page, answer)),
  ];
}

/** What a fault mode adds; of many steps only the number, since its trace may take any of them. */
function adds(names, item) {
  const brought = names.brought(item);
  return brought.length > MOST_ADDED ? `adds ${brought.length} kinds of step` : `adds: ${named(brought, MOST_ADDED)}`;
}

function sized(number, size, unit) {
  const [many, s] = [number.toLocaleString("en"), number === 1 ? "" : "s"];
  if (size === 1) return `${many} single ${unit}${s}`;
  return size === 2 ? `${many} pair${s} of ${unit}s` : `${many} set${s} of ${size} ${unit}s`;
}

/** What is violated, each with its trace. */
function broken(page, answer, design) {
  const { show, walk, walker, store } = page;
  const index = answer.design;
  const here = index === store.state.design && walk?.steps.length && !walker.alone ? walker.broken(walk.steps.at(-1).states) : null;
  const elsewhere = (kind, run) => here && !run.own && !here.includes(kind === "a" ? design.properties.length + run.index : run.index);
  const all = [
    ...answer.properties.map((run) => ["p", run, run.own
      ? "the controller's own ERROR" : design.properties[run.index].said]),
    ...answer.assumptions.map((run) => ["a", run, design.constraints[run.index].said]),
  ];
  if (!all.length) return null;
  return h("ul", { class: "violated" }, all.slice(0, MOST_BROKEN).map(([kind, run, said]) => h("li", {},
    kind === "a" ? [sign("breaking"), " assumption: "] : [sign("hazardous"), " property: "],
    traceLink(show, index, `${kind}${run.index}`, said, `Show the trace that violates it (${count(run.steps.length, "step")})`),
    elsewhere(kind, run) && " (in another trace)")),
  all.length > MOST_BROKEN && h("li", { class: "quiet" }, `and ${all.length - MOST_BROKEN} more (see Requirements)`));
}

/** The goals of the plan that are lost, those with one trace together. */
function lost({ show, names }, { design, verdict, lost: all }) {
  if (all === null) return h("p", { class: "lost quiet" }, "Lost goals: not decided, E with C is too large.");
  if (!all?.length) return null;
  if (verdict !== "tolerated") {
    return h("p", { class: "lost" }, h("strong", {}, "\u25a0 Lost goals: "), `${count(all.length, "goal")} of the plan can become impossible (see Requirements).`);
  }
  const traces = new Map();
  for (const each of all) {
    const key = traceKey(each.steps);
    if (!traces.has(key)) traces.set(key, []);
    traces.get(key).push(each);
  }
  const listed = [...traces.values()].sort(([x], [y]) => x.steps.length - y.steps.length);
  const shown = listed.slice(0, MOST_BROKEN);
  const more = all.length - shown.flat().length;
  return h("p", { class: "lost" }, h("strong", {}, "\u25a0 Lost goals: "), shown.map((some, i) => [
    i ? "; " : "", traceLink(show, design, `g${some[0].goal}`,
      `${names.listed(some.map(({ goal }) => names.goal(goal, design)), 2)} (${count(some[0].steps.length, "step")})`),
  ]), more > 0 && `; and ${more} more (see Requirements)`, " can become impossible.");
}

function part({ names, store }, answer) {
  if (answer.verdict === "tolerated" || answer.verdict === "asking") return null;
  if (answer.part === undefined) return answer.verdict === "undecided" || answer.done ? null : "Looking for a minimal part \u2026";
  if (answer.part === null) return null;
  const { items, verdict, minimal } = answer.part;
  const whole = items.length === store.state.on.length;
  if (whole) return items.length > 1 ? minimal ? "No smaller part suffices." : "No smaller part was found within 10 s." : null;
  const kind = verdict === answer.verdict || verdict === null ? "" : `, ${LABELS[verdict].toLowerCase()}`;
  return [
    items.length === 1 ? "One of them suffices: " : `${items.length} of them suffice: `,
    h("b", {}, names.items(items)), kind, minimal ? ". " : ". A smaller part was not found within 10 s. ",
    button("Keep only this", () => store.switch(items), { class: "plain" }),
  ];
}

function further({ store, problem }, answer) {
  if (answer.verdict !== "tolerated") return null;
  if (!store.state.on.length && answer.addable?.bound.length === 0 && answer.addable.unsafe.length === 0 && answer.addable.total > 0) {
    const { total } = answer.addable;
    const out = [...problem.designs[answer.design].answers.alone].filter((letter) => KEPT_OUT.includes(letter)).length;
    const rest = out && `; ${out.toLocaleString("en")} ${out > 1 ? "violate" : "violates"} only an assumption`;
    return [`${count(total, problem.modes.length ? "fault mode" : "change")} ${total > 1 ? "are" : "is"} tolerated individually${rest || ""}. `, toAddable(store)];
  }
  const nothing = answer.addable ? answer.addable.total === 0 : !answer.among;
  if (nothing) return "Nothing more is tolerated individually.";
  if (!answer.addable) return answer.done ? null : "Looking for what could be added \u2026";
  const { safe, idle, tried, total, bound } = answer.addable;
  const can = safe.length + idle.length;
  const state = tried < total ? ` (${tried.toLocaleString("en")} of ${total.toLocaleString("en")} tried)` : "";
  return [
    `${can.toLocaleString("en")} of ${total.toLocaleString("en")} more that are tolerated individually could be added, one at a time${state}`,
    bound.length ? `; ${bound.length.toLocaleString("en")} not decided. ` : ". ",
    can > 0 && toAddable(store),
  ];
}

function toAddable(store) {
  const tab = store.tabs.includes("candidates") ? "candidates" : "modes";
  return button("Show them", () => store.change({ tab, only: "addable", text: "", source: -1, target: -1 }), { class: "plain" });
}
