// A component as a card: what it is called, the state that it is in, its picture.

import { h } from "./dom.js";
import { Drawing } from "./drawing.js";
import { ERROR } from "./machine.js";

export class Card {
  constructor(names, component, picture) {
    this.names = names;
    this.component = component;
    this.drawing = new Drawing(picture, component.word);
    this.chips = this.drawing.picture ? [] : component.states.map((_, state) =>
      h("span", { class: "state-chip" }, names.stateTold(component, state)));
    this.now = h("span", { class: "now-state" });
    this.element = h("figure", { class: "component" },
      h("figcaption", { title: component.name }, h("b", {}, component.word), " ", this.now),
      this.drawing.picture ? this.drawing.area : h("div", { class: "state-chips" }, this.chips));
  }

  /** Show a state, and the one before, if there was one; a state `null`: it takes no part. */
  show(state, before = null, lines = []) {
    const changed = state !== null && before !== null && before !== state;
    const { element, now, chips, drawing, names, component } = this;
    element.classList.toggle("changed", changed);
    now.textContent = state === null ? "takes no part in this trace" : names.stateTold(component, state);
    now.classList.toggle("error", state === ERROR);
    chips.forEach((chip, number) => chip.classList.toggle("here", number === state));
    if (!drawing.picture) return;
    drawing.draw(lines);
    drawing.light(state, changed ? before : null);
  }
}
