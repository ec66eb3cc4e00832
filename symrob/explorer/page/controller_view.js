// The components of C, each with its picture and the state that it is in.

import { Card } from "./cards.js";
import { byId, h, replace } from "./dom.js";
import { zoomTools } from "./drawing.js";

export class ControllerView {
  constructor(page) {
    this.page = page;
    this.place = byId("controller");
    this.cards = [];
    this.tools = zoomTools(this.place, () => this.cards.map((card) => card.drawing));
    this.design = -1;
  }

  build(design) {
    const { problem, names } = this.page;
    this.design = design;
    const { components, controller } = problem.designs[design];
    this.cards = components.map((component, i) => new Card(names, component, `${design}-${i}`));
    replace(this.place,
      h("header", {}, h("h2", {}, "Controller ", h("span", { class: "quiet" }, controller)), this.tools),
      h("div", { class: "components" }, this.cards.map((each) => each.element)));
  }

  show(states, before, alone) {
    const { store } = this.page;
    if (this.design !== store.state.design) this.build(store.state.design);
    this.place.classList.toggle("absent", alone);
    this.cards.forEach((card, i) => card.show(alone ? null : states[1 + i], before && !alone ? before[1 + i] : null));
  }
}
