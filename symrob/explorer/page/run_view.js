// A run to step through, and to go on with as one likes.

import { button, byId, count, h, replace } from "./dom.js";
import { breaks, changes, runText } from "./runtext.js";

const PLAY = 900;
const MOST_OPTIONS = 60;

export class RunView {
  constructor(page) {
    this.page = page;
    this.place = byId("run");
    this.timer = null;
  }

  /** Draw; `walk` is what is walked, `title` what it is. */
  show() {
    const { page } = this;
    const { walk, walker, names, store } = page;
    const at = page.position();
    const total = walk.steps.length;
    const here = at ? walk.steps[at - 1].states : walk.start;
    const go = (to) => page.goTo(to);
    const label = this.timer ? "Pause" : "Play";
    replace(this.place,
      h("header", {},
        h("h2", {}, "Run ", h("span", { class: "quiet" }, walk.title)),
        page.problem.designs.length > 1 && h("span", { class: "segmented", role: "group", "aria-label": "Design" },
          page.problem.designs.map((design, i) => button(design.name, () => page.show(i, ""), {
            "aria-pressed": String(store.state.design === i), "data-key": `design ${i}`,
          })))),
      h("div", { class: "controls", role: "group", "aria-label": "Steps" },
        this.control("\u00ab", "To the start", () => go(0), at === 0),
        this.control("\u2039", "One step back", () => go(at - 1), at === 0),
        button(label, () => this.play(), { class: "play", disabled: total === 0 }),
        this.control("\u203a", "One step on", () => go(at + 1), at === total),
        this.control("\u00bb", "To the end", () => go(total), at === total),
        h("span", { class: "quiet", "aria-live": "polite" }, `step ${at} of ${total}`),
        h("span", { class: "grow" }),
        button("Copy as text", () => page.copy(runText(names, walker, walk), "The run"), { class: "plain" }),
        button("Walk from the start", () => page.walkFrom([]), { class: "plain" })),
      h("div", { class: "scroll" }, h("ol", { class: "steps" },
        h("li", { class: at === 0 ? "now" : "" }, this.row(0, [h("span", { class: "who" }, ""), h("span", { class: "act" }, "start")])),
        walk.steps.map((step, i) => this.step(step, i, at)))),
      this.next(here, at),
    );
    this.reveal();
  }

  /** Scroll the list, and not the page, to the present step. */
  reveal() {
    const list = this.place.querySelector(".scroll");
    const now = list.querySelector(".now");
    const above = now.offsetTop - list.offsetTop;
    if (above < list.scrollTop) list.scrollTop = above;
    const below = above + now.offsetHeight - list.clientHeight;
    if (below > list.scrollTop) list.scrollTop = below;
  }

  control(sign, label, onclick, disabled) {
    return h("button", { type: "button", class: "icon", onclick, disabled, title: label, "aria-label": label, "data-key": label },
      h("span", { "aria-hidden": "true" }, sign));
  }

  row(position, children) {
    return h("button", {
      type: "button", class: "row", "data-key": `step ${position}`,
      "aria-current": this.page.position() === position ? "step" : null,
      onclick: () => this.page.goTo(position),
    }, h("span", { class: "number" }, position || ""), children);
  }

  step(step, i, at) {
    const { walk, walker, names } = this.page;
    const before = i ? walk.steps[i - 1].states : walk.start;
    const broken = breaks(walker, before, step.states);
    return h("li", { class: `${i + 1 === at ? "now" : ""}${i + 1 > at ? " later" : ""}` },
      this.row(i + 1, [
        h("span", { class: `who ${step.who}`, title: WHO[step.who] }, step.who),
        h("span", { class: "act" }, names.told(step.action, step.inside), step.id >= 0 && h("em", { class: "added" }, "added")),
        h("span", { class: "changes" }, changes(names, walker, before, step.states).map((c) =>
          h("span", { class: "change" }, h("span", { class: "quiet" }, `${c.part} `), `${c.before} \u2192 `, h("b", {}, c.after)))),
      ]),
      broken.map((what) => h("p", { class: "broken" }, h("strong", {}, "Violated: "), what)));
  }

  /** What can come next, to be chosen, and what is refused by whom. */
  next(here, at) {
    const { walker, names, page } = { ...this.page, page: this.page };
    const options = walker.options(here);
    const blocked = walker.blocked(here);
    const called = (index) => index < 0 ? names.problem.environment.name : walker.components[index].word;
    return h("section", { class: "next" },
      h("h3", {}, "Choose the next action"),
      options.length ? h("div", { class: "options" }, options.slice(0, MOST_OPTIONS).map((step, i) => {
        const told = changes(names, walker, here, step.states);
        const broken = breaks(walker, here, step.states).length > 0;
        return h("button", {
          type: "button", class: `option${broken ? " breaking" : ""}`, "data-key": `option ${i}`,
          onclick: () => page.choose(at, i),
        },
        h("span", { class: `who ${step.who}` }, step.who),
        h("span", {}, names.told(step.action, step.inside), step.id >= 0 && h("em", { class: "added" }, "added")),
        h("span", { class: "quiet" }, told.map((c) => `${c.part}: ${c.after}`).join("; ")));
      })) : h("p", { class: "quiet" }, "Nothing can happen: a deadlock."),
      options.length > MOST_OPTIONS && h("p", { class: "more" }, `${MOST_OPTIONS} of ${options.length} shown`),
      blocked.length > 0 && h("details", { class: "blocked" },
        h("summary", {}, count(blocked.length, "action"), " blocked"),
        h("ul", {}, blocked.map((b) => h("li", {},
          h("b", {}, names.told(b.action, b.inside)), " offered by ", b.offers.map(called).join(", "),
          ", blocked by ", b.blocks.map(called).join(", "))))));
  }

  play() {
    const { page } = this;
    if (this.timer) return this.pause();
    if (page.position() === page.walk.steps.length) page.goTo(0);
    this.timer = setInterval(() => {
      if (page.position() >= page.walk.steps.length) this.pause();
      else page.goTo(page.position() + 1);
    }, PLAY);
    this.show();
    return undefined;
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.show();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
  }
}

const WHO = { E: "the environment alone", C: "the controller alone", both: "both together" };
