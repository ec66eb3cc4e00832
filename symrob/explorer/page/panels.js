// The panels of the side where one chooses: one tab each.

import { candidatesPanel } from "./candidates_view.js";
import { button, byId, h, replace } from "./dom.js";
import { assumptionsPanel, summaryPanel } from "./facts_view.js";
import { matrixPanel } from "./matrix_view.js";
import { comparePanel, deviationsPanel, modesPanel, setsPanel } from "./sets_view.js";

const ALL = {
  compare: ["Two designs", comparePanel, (problem) => problem.designs.length > 1],
  modes: ["Fault modes", modesPanel, (problem) => problem.modes.length > 0],
  sets: ["Hazards", setsPanel, () => true],
  matrix: ["Classes", matrixPanel, (problem) => !problem.modes.length],
  candidates: ["Candidates", candidatesPanel, (problem) => !problem.modes.length],
  deviations: ["Tolerated", deviationsPanel, () => true],
  assumptions: ["Requirements", assumptionsPanel, () => true],
  summary: ["Summary", summaryPanel, () => true],
};

export function tabsOf(problem) {
  return Object.keys(ALL).filter((tab) => ALL[tab][2](problem));
}

/** How much of each list is shown, until the question is another one. */
export class More {
  constructor(redraw) {
    this.extra = new Map();
    this.redraw = redraw;
  }

  get(key, most) {
    return most + (this.extra.get(key) ?? 0);
  }

  add(key, step) {
    this.extra.set(key, (this.extra.get(key) ?? 0) + step);
    this.redraw();
  }
}

export class Panels {
  constructor(page) {
    this.page = page;
    this.list = byId("tabs");
    this.panel = byId("panel");
    this.tabs = page.store.tabs.map((tab, i) => h("button", {
      type: "button", role: "tab", id: `tab-${tab}`, "aria-controls": "panel", "data-tab": tab,
      onclick: () => page.store.change({ tab }),
      onkeydown: (event) => this.move(event, i),
    }, ALL[tab][0]));
    this.list.append(...this.tabs);
    this.designs = byId("designs");
    this.designs.hidden = page.problem.designs.length < 2;
  }

  /** Arrows, Home and End go from tab to tab, as everywhere. */
  move(event, i) {
    const count = this.tabs.length;
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: count - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = this.tabs[(to + count) % count];
    next.focus();
    next.click();
  }

  show() {
    const { page } = this;
    const { store, problem } = page;
    const { tab, design } = store.state;
    const several = problem.designs.length > 1;
    if (several) {
      replace(this.designs, h("span", { class: "quiet" }, "Design"), problem.designs.map(({ name }, i) =>
        button(name, () => store.change({ design: i, run: "", path: null, at: -1 }), {
          class: "filter", "aria-pressed": String(i === design), "data-key": `design ${i}`,
        })));
    }
    for (const each of this.tabs) {
      const chosen = each.getAttribute("data-tab") === tab;
      each.setAttribute("aria-selected", String(chosen));
      each.tabIndex = chosen ? 0 : -1;
    }
    this.panel.setAttribute("aria-labelledby", `tab-${tab}`);
    const held = [...this.panel.querySelectorAll(".scroll")].map((each) => [each.scrollLeft, each.scrollTop]);
    const same = this.shown === tab;
    const top = this.panel.scrollTop;
    replace(this.panel, several && tab !== "compare" && h("h3", { class: "of-design" }, problem.designs[design].name),
      ALL[tab][1](page));
    this.panel.scrollTop = same ? top : 0;
    if (same) {
      this.panel.querySelectorAll(".scroll").forEach((each, i) => {
        if (held[i]) [each.scrollLeft, each.scrollTop] = held[i];
      });
    }
    this.shown = tab;
  }
}
