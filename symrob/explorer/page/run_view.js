// A trace to step through, as a list or as lanes, and to go on with as one likes.

import { button, byId, count, h, replace } from "./dom.js";
import { SIGNS } from "./names.js";
import { actor, breaks, brokenBy, changes, grouped, partsOf, runText, stateTexts, takers } from "./runtext.js";
import { loadTrace, saveTrace } from "./trace_file.js";

const PLAY = 900;
const MOST_OPTIONS = 60;
const MOST_PRINTED = 30;

export class RunView {
  constructor(page) {
    this.page = page;
    this.place = byId("run");
    this.timer = null;
  }

  /** Draw; `walk` is what is walked, `title` what it is. */
  show() {
    const { page } = this;
    const { walk, store, problem } = page;
    const at = page.position();
    const here = at ? walk.steps[at - 1].states : walk.start;
    const lanes = store.state.view === "lanes";
    const design = problem.designs.length > 1 ? ` on ${problem.designs[store.state.design].name}` : "";
    replace(this.place,
      h("header", {}, h("h2", {}, `Trace${design} `, h("span", { class: "quiet walked" }, walk.title))),
      this.controls(at),
      h("div", { class: "scroll steps-area", tabindex: "0", role: "region", "aria-label": "Steps" },
        lanes ? this.lanes(at) : this.list(at), this.next(here, at)),
      walk.steps.length === 0 && h("pre", { class: "summary printed" }, this.story()),
      this.files(),
    );
    this.reveal();
  }

  /** What is on amounts to: added steps have its colour. */
  get verdict() {
    return this.page.answers[this.page.store.state.design].verdict;
  }

  /** On paper, where nothing can be replayed: how the summary begins. */
  story() {
    const { problem, store } = this.page;
    return problem.designs[store.state.design].answers.told[0]?.lines.slice(0, MOST_PRINTED).join("\n");
  }

  controls(at) {
    const { page } = this;
    const total = page.walk.steps.length;
    const go = (to) => page.goTo(to);
    return h("div", { class: "controls", role: "group", "aria-label": "Steps" },
      this.control("\u00ab", "To the start", () => go(0), at === 0),
      this.control("\u2039", "One step back", () => go(at - 1), at === 0),
      button(this.timer ? "Pause" : "Play", () => this.play(), { class: "play", disabled: total === 0, "data-key": "play" }),
      this.control("\u203a", "One step forward", () => go(at + 1), at === total),
      this.control("\u00bb", "To the end", () => go(total), at === total),
      h("span", { class: "quiet", "aria-live": "polite" }, `step ${at} of ${total}`), this.budget(at));
  }

  /** How many deviated steps are left here, where they are limited. */
  budget(at) {
    const { walk, walker, names, store } = this.page;
    const here = at ? walk.steps[at - 1].states : walk.start;
    const told = walker.left(here).filter(({ mode }) => mode < 0 || store.state.on.includes(names.single + mode))
      .map(({ mode, left, most }) => `${left} of ${count(most, "deviated step")} left${mode < 0 ? "" : ` for ${names.problem.modes[mode]}`}`);
    return told.length > 0 && h("span", { class: "quiet budget" }, told.join("; "));
  }

  /** What can be taken away, or brought back. */
  files() {
    const { page } = this;
    const { names, walker, walk, problem } = page;
    return h("footer", { class: "files" },
      h("span", { class: "segmented", role: "group", "aria-label": "Show the trace as" },
        [["", "List"], ["lanes", "Lanes"]].map(([view, label]) => button(label, () => page.store.change({ view }), {
          "aria-pressed": String(page.store.state.view === view), class: "filter",
        }))),
      button("Copy as text", () => page.copy(runText(names, walker, walk), "The trace"), { class: "plain" }),
      problem.designs[page.store.state.design].asked.length > 0 &&
        button("Copy as command", () => page.copyCommand(), { class: "plain", title: "symrob explain, for what is switched on" }),
      button("Save", () => saveTrace(page), { class: "plain", title: "Save the trace as JSON" }),
      button("Load", () => loadTrace(page), { class: "plain", title: "Load a saved trace" }),
      button("Walk from the start", () => page.begin(), { class: "plain" }));
  }

  /** Scroll the list, and not the page, to the present step. */
  reveal() {
    const list = this.place.querySelector(".steps-area");
    const now = list.querySelector(".now");
    const [view, row] = [list, now].map((each) => each.getBoundingClientRect());
    const head = list.querySelector("thead")?.offsetHeight ?? 0;
    list.scrollTop += Math.min(0, row.top - view.top - head - 8) || Math.max(0, row.bottom - view.bottom + 40);
    if (list.scrollHeight - list.clientHeight - list.scrollTop < 0) list.scrollTop = 0;
  }

  control(sign, label, onclick, disabled) {
    return h("button", { type: "button", class: "icon", onclick, disabled, title: label, "aria-label": label, "data-key": label },
      h("span", { "aria-hidden": "true" }, sign));
  }

  row(position, children, title = null) {
    return h("button", {
      type: "button", class: "row", "data-key": `step ${position}`, title,
      "aria-current": this.page.position() === position ? "step" : null,
      onclick: () => this.page.goTo(position),
    }, h("span", { class: "number" }, position || ""), children);
  }

  list(at) {
    const { walk, walker, names } = this.page;
    const start = at > 0 && walker.starts.length < 2 ? [] : this.entries(stateTexts(names, walker, walk.start));
    return h("ol", { class: `steps ${this.verdict}` },
      h("li", { class: at === 0 ? "now" : "" }, this.row(0, [
        h("span", { class: "act" }, "start"), h("span", { class: "changes" }, start)])),
      walk.steps.map((step, i) => this.step(step, i, at)),
      this.lost((line) => h("li", {}, line)));
  }

  /** After the last step: the goals that are impossible from there on. */
  lost(wrap) {
    const { walk: { lost }, names } = this.page;
    return lost && wrap(h("p", { class: "broken lost" }, h("strong", {}, "\u25a0 impossible from here on: "), names.listed(lost, 4)));
  }

  entries(list) {
    return list.map(({ part, text }) => h("span", { class: "change" }, h("span", { class: "quiet" }, `${part}: `), text));
  }

  before(i) {
    const { walk } = this.page;
    return i ? walk.steps[i - 1].states : walk.start;
  }

  step(step, i, at) {
    const { walker, names } = this.page;
    const before = this.before(i);
    const added = step.id >= 0;
    return h("li", { class: `${i + 1 === at ? "now" : ""}${added ? " is-added" : ""}` },
      this.row(i + 1, [
        h("span", { class: "act" }, names.told(step.action, step.inside), added && h("em", { class: "added" }, "added")),
        h("span", { class: "changes" }, this.entries(grouped(
          changes(names, walker, before, step.states).map((c) => ({ part: c.part, text: c.after }))))),
        added && h("span", { class: "changes quiet" }, this.allowed(step, before)),
      ], `by ${actor(names, walker, step.who)}`),
      this.broken(step, i));
  }

  /** What a step violates, which added steps led there, and who lets the last one happen. */
  broken(step, i) {
    const { walk } = this.page;
    const before = this.before(i);
    const led = walk.steps.slice(0, i).flatMap(({ id }, at) => (id >= 0 ? [at + 1] : []));
    return brokenBy(this.page.walker, before, step.states).map(({ assumed, what }) =>
      h("p", { class: `broken${assumed ? " assumed" : ""}` },
        h("strong", {}, `${assumed ? SIGNS.breaking : SIGNS.hazardous} violates `), what,
        !assumed && led.length > 0 && `; made possible by added step${led.length > 1 ? "s" : ""} ${led.join(", ")}`,
        !assumed && step.id < 0 && h("span", { class: "why" }, this.allowed(step, before))));
  }

  /** Which components of C let a step happen, and in which states; nothing in a trace of E alone. */
  allowed(step, before) {
    const { walker, names } = this.page;
    if (walker.alone) return "";
    const them = takers(names, walker, step, before).map(({ part, text }) => `${part} in \u201c${text}\u201d`).join(", ");
    if (!them) return "No component of the controller takes part, so none can refuse this step.";
    return `${step.who === "C" ? "Done" : "Accepted"} by ${them}.`;
  }

  /** A column for each part; a part that moves says where to. */
  lanes(at) {
    const { walk, walker, names } = this.page;
    const parts = partsOf(names, walker);
    const told = (states) => parts.map(({ part, slot, local }) => names.stateTold(part, local(states[slot])));
    const line = (position, label, states, moved, added) => h("tr", {
      class: `${position === at ? "now" : ""}${added ? " is-added" : ""}`,
    },
    h("th", { scope: "row" }, this.row(position, h("span", { class: "act" }, label, added && h("em", { class: "added" }, "added")))),
    told(states).map((state, i) => h("td", {}, moved.has(i) ? h("b", {}, state) : h("span", { class: "quiet", "aria-label": state }, "\u2502"))));
    const all = new Set(parts.keys());
    const rows = [line(0, "start", walk.start, all, false)];
    walk.steps.forEach((step, i) => {
      const before = this.before(i);
      const moved = new Set(changes(names, walker, before, step.states).map((c) => c.index));
      rows.push(line(i + 1, names.told(step.action, step.inside), step.states, moved, step.id >= 0));
      const broken = this.broken(step, i);
      if (broken.length) rows.push(h("tr", {}, h("td", { colspan: parts.length + 1 }, broken)));
    });
    rows.push(this.lost((line) => h("tr", {}, h("td", { colspan: parts.length + 1 }, line))));
    return h("table", { class: `lanes steps ${this.verdict}` },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "step"), parts.map(({ told: name }) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, rows));
  }

  /** What can come next, to be chosen, and what is refused by whom. */
  next(here, at) {
    const { page } = this;
    const { walker, names, walk, replay } = page;
    const options = walker.options(here);
    const blocked = walker.blocked(here);
    return h("section", { class: "next" },
      replay && this.replay(replay),
      at === 0 && !walker.alone && walker.starts.length > 1 && this.starts(),
      h("details", { open: walk.steps.length === 0 || page.store.state.path !== null, class: "choices" },
        h("summary", {}, `What can come next after step ${at} `, h("span", { class: "quiet" }, count(options.length, "option"))),
        options.length ? h("div", { class: "options" }, options.slice(0, MOST_OPTIONS).map((step, i) => this.option(step, i, here, at)))
          : h("p", { class: "quiet" }, "No step is possible: a deadlock."),
        options.length > MOST_OPTIONS && h("p", { class: "more" }, `${MOST_OPTIONS} of ${options.length} shown`),
        blocked.length > 0 && h("details", { class: "blocked" },
          h("summary", {}, count(blocked.length, "action"), " blocked"),
          h("ul", {}, blocked.map((b) => h("li", {},
            h("b", {}, names.told(b.action, b.inside)), " offered by ", b.offers.map((index) => walker.called(index)).join(", "),
            ", blocked by ", b.blocks.map((index) => walker.called(index)).join(", ")))))));
  }

  /** The states to begin in, where there are several. */
  starts() {
    const { page } = this;
    const { walker, names, walk } = page;
    const { starts } = walker;
    const told = ({ part, text }) => `${part}: ${text}`;
    const common = stateTexts(names, walker, starts[0]).map(told).filter((entry) =>
      starts.every((states) => stateTexts(names, walker, states).map(told).includes(entry)));
    return h("details", { open: page.store.state.path !== null, class: "choices" },
      h("summary", {}, "Other states to begin in ", h("span", { class: "quiet" }, count(starts.length - 1, "option"))),
      h("div", { class: "options" }, starts.slice(0, MOST_OPTIONS).map((states, i) => states !== walk.start &&
        h("button", { type: "button", class: "option", "data-key": `start ${i}`, onclick: () => page.begin(i) },
          stateTexts(names, walker, states).map(told).filter((entry) => !common.includes(entry)).join("; ")))),
      starts.length > MOST_OPTIONS && h("p", { class: "more" }, `${MOST_OPTIONS} of ${starts.length} shown`));
  }

  option(step, i, here, at) {
    const { page } = this;
    const { walker, names } = page;
    const told = changes(names, walker, here, step.states);
    const broken = breaks(walker, here, step.states);
    return h("button", {
      type: "button", class: `option${broken.length ? " breaking" : ""}`, "data-key": `option ${i}`,
      onclick: () => page.choose(at, i),
    },
    h("span", {}, broken.length > 0 && "\u2716\ufe0e ", names.told(step.action, step.inside), step.id >= 0 && h("em", { class: "added" }, "added")),
    h("span", { class: "quiet" }, told.map((c) => `${c.part}: ${c.after}`).join("; ")));
  }

  /** How far the other design follows this trace. */
  replay({ design, answer }) {
    const { page } = this;
    const { names, walk } = page;
    const { name } = page.problem.designs[design];
    if (!answer) return h("p", { class: "replay" }, `Too many ways to follow this trace on ${name}.`);
    const { refused, blockers, start, steps } = answer;
    const what = refused < 0
      ? `${name} follows all ${count(walk.steps.length, "step")} of this trace.`
      : `On ${name} this trace stops at step ${refused + 1}: ${blockers.join(", ")} ${blockers.length > 1 ? "refuse" : "refuses"} \u201c${names.told(walk.steps[refused].action, walk.steps[refused].inside)}\u201d.`;
    return h("p", { class: "replay" }, h("strong", {}, what), " ",
      button(`Show it on ${name}`, () => page.showOn(design, { start, steps }), { class: "plain" }));
  }

  /** Play from where we are, or from a step; at the end, from the start. */
  play(from = this.page.position()) {
    const { page } = this;
    if (this.timer) return this.pause();
    page.goTo(from === page.walk.steps.length ? 0 : from);
    this.timer = setInterval(() => {
      page.goTo(page.position() + 1);
      if (page.position() >= page.walk.steps.length) this.pause();
    }, PLAY);
    this.show();
    return undefined;
  }

  pause() {
    this.stop();
    this.show();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
  }
}
