// The components of C: their pictures, with the states that they are in lit.

import { byId, h, replace } from "./dom.js";
import { ERROR } from "./machine.js";
import { pictureOf, reveal, stateOf } from "./picture_view.js";

export class ControllerView {
  constructor(page) {
    this.page = page;
    this.place = byId("controller");
    this.design = -1;
  }

  build(design) {
    this.design = design;
    const { components } = this.page.problem.designs[design];
    this.cards = components.map((component, i) => {
      const picture = pictureOf(`${design}-${i}`);
      picture?.setAttribute("class", "picture small");
      const chips = picture ? null : component.states.map((name) => h("span", { class: "state-chip" }, name));
      const now = h("p", { class: "now-state" });
      const card = h("figure", { class: "component" },
        h("figcaption", {}, h("b", {}, component.word), component.word !== component.name && h("span", { class: "quiet" }, ` ${component.name}`)),
        now,
        picture ? h("div", { class: "drawing", tabindex: "0", role: "group", "aria-label": component.word }, picture) : h("div", { class: "state-chips" }, chips));
      return { picture, chips, now, card };
    });
    replace(this.place,
      h("header", {}, h("h2", {}, "Controller ", h("span", { class: "quiet" }, this.page.problem.designs.length > 1
        ? this.page.problem.designs[design].name : ""))),
      h("div", { class: "components" }, this.cards.map((each) => each.card)));
    for (const { picture } of this.cards) this.fit(picture);
  }

  /** No larger than it is drawn: small systems are not blown up. */
  fit(picture) {
    if (!picture) return;
    const { width } = picture.viewBox.baseVal;
    picture.style.setProperty("--natural", `${Math.round(width * 1.15)}px`);
    picture.style.setProperty("--least", `${Math.round(width * 0.7)}px`);
  }

  show(states, before, alone, step) {
    const { store, problem, names } = this.page;
    if (this.design !== store.state.design) this.build(store.state.design);
    const { components } = problem.designs[this.design];
    this.place.classList.toggle("absent", alone);
    this.cards.forEach(({ picture, chips, now, card }, i) => {
      const state = states[1 + i];
      const changed = Boolean(before) && before[1 + i] !== state;
      card.classList.toggle("changed", changed && !alone);
      now.textContent = alone ? "takes no part in this run" : names.stateTold(components[i], state);
      now.classList.toggle("error", state === ERROR);
      if (picture) {
        for (const group of picture.querySelectorAll("g.node.state")) group.classList.remove("here");
        if (!alone) {
          const group = stateOf(picture, state);
          group?.classList.add("here");
          reveal(picture.parentElement, group);
        }
        const taken = changed && step ? `s${before[1 + i]}-s${state}-` : null;
        for (const group of picture.querySelectorAll("g.edge, g.label")) {
          group.classList.toggle("taken", taken !== null && !alone && group.getAttribute("data-id").startsWith(taken));
        }
      } else {
        chips.forEach((chip, number) => chip.classList.toggle("here", !alone && number === state));
      }
    });
  }
}
