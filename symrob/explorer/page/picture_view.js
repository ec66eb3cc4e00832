// E as a picture, as its components or as a table, with what is switched on.

import { Card } from "./cards.js";
import { button, byId, h, replace } from "./dom.js";
import { Drawing, reveal, zoomTools } from "./drawing.js";
import { taking, transition, triples } from "./machine.js";
import { ORDER } from "./names.js";
import { sign } from "./signs.js";

const MOST_ACTIONS = 2;
/** With more states than this a table is shown first. */
const MANY_STATES = 24;
const MOST_MOVES = 400;
/** Lines that are drawn into one picture. */
const MOST_DRAWN = 120;
const FORMS = { parts: "Components", whole: "Picture", table: "Table" };

export class EnvironmentView {
  constructor(page) {
    const { problem, names } = page;
    const { environment } = problem;
    this.page = page;
    this.place = byId("environment");
    this.whole = new Drawing("E", environment.name);
    this.cards = environment.parts.map((part, i) => new Card(names, part, `E-${i}`));
    this.forms = Object.keys(FORMS).filter((form) =>
      ({ parts: this.cards.length > 1, whole: this.whole.picture, table: true })[form]);
    this.form = this.forms[0] === "whole" && environment.states.length > MANY_STATES ? "table" : this.forms[0];
    this.head = h("span", { class: "segmented" });
    this.saving = button("Save SVG", () => page.download("environment.svg", "image/svg+xml", this.whole.svg()), { class: "plain", title: "Save this picture as SVG" });
    this.tools = zoomTools(this.place, () => this.form === "whole" ? [this.whole] : this.cards.map((card) => card.drawing));
    this.body = h("div", { class: "body" });
    this.note = h("p", { class: "more" });
    this.place.append(
      h("header", {}, h("h2", {}, "Environment ", h("span", { class: "quiet" }, environment.name)), this.head, this.saving, this.tools),
      this.body, this.note);
    if (this.whole.picture) this.clickable();
  }

  /** A state, clicked, asks for what leads from it; a second one, for what leads there. */
  clickable() {
    const { store, problem, names } = this.page;
    if (!store.tabs.includes("candidates")) return;
    problem.environment.states.forEach((_, state) => {
      const group = this.whole.state(state);
      group.setAttribute("tabindex", "0");
      group.setAttribute("role", "button");
      group.setAttribute("aria-label", `State \u201c${names.stateTold(problem.environment, state)}\u201d: candidates from it`);
      const pick = () => {
        const { source, target, tab } = store.state;
        const second = tab === "candidates" && source >= 0 && target < 0;
        store.change(second ? { target: state } : { tab: "candidates", source: state, target: -1, only: "", text: "" });
      };
      group.addEventListener("click", pick);
      group.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          pick();
        }
      });
    });
  }

  /** Show what is on, where E is, and the step that led there. */
  show(here, step, before) {
    const { form } = this;
    const moved = step && step.who !== "C";
    replace(this.head, this.forms.length > 1 && this.forms.map((each) => button(FORMS[each], () => {
      this.form = each;
      this.page.drawStates();
    }, { class: "filter", "aria-pressed": String(each === form) })));
    this.saving.hidden = form !== "whole";
    this.tools.hidden = form === "table";
    this.note.textContent = "";
    this.body.classList.toggle("components", form === "parts");
    if (form !== "whole") this.place.parentElement.classList.remove("beside");
    if (form === "table") return this.table(here, step);
    const wanted = form === "whole" ? [this.whole.area] : this.cards.map((card) => card.element);
    if (this.body.firstChild !== wanted[0]) this.body.replaceChildren(...wanted);
    if (form === "parts") return this.parts(here, step, moved ? before[0] : null);
    const { source, target, tab } = this.page.store.state;
    this.whole.draw(this.lines((id) => transition(this.page.problem, id), step));
    const { width, height } = this.whole.picture.viewBox.baseVal;
    this.place.parentElement.classList.toggle("beside", height > width * 1.15);
    this.whole.light(here, moved && step.id < 0 ? before[0] : null);
    for (const group of this.whole.picture.querySelectorAll("g.node.state")) {
      const state = Number(group.getAttribute("data-id").slice(1));
      group.classList.toggle("picked", tab === "candidates" && (state === source || state === target));
    }
    return undefined;
  }

  /** Each component of E, with its own part of what is switched on. */
  parts(here, step, before) {
    const { environment } = this.page.problem;
    const { of } = environment;
    this.cards.forEach((card, i) => {
      const planned = new Set([...triples(card.component.transitions)].map(String));
      const own = (id) => {
        const { source, action, target } = transition(this.page.problem, id);
        if (!of[source]?.length || !of[target]?.length) return null;
        const local = [of[source][i], action, of[target][i]];
        const takesPart = card.component.alphabet.includes(action) || local[0] !== local[2];
        return takesPart && !planned.has(String(local)) ? { source: local[0], action, target: local[2] } : null;
      };
      card.show(of[here]?.[i] ?? null, before === null ? null : of[before]?.[i] ?? null, this.lines(own, step));
    });
  }

  /** The verdict of each transition that is added: of a fault mode's, that of the modes. */
  tones() {
    const { problem, names, ids, store } = this.page;
    const { on, design } = store.state;
    if (this.toned?.ids === ids && this.toned.design === design) return this.toned.of;
    const of = new Map();
    const worse = (id, verdict) => {
      if (!of.has(id) || ORDER.indexOf(verdict) < ORDER.indexOf(of.get(id))) of.set(id, verdict);
    };
    const lit = new Set(on);
    if (!problem.modes.length) for (const id of ids.keys()) of.set(id, names.alone(id, design));
    for (const [id, ...needs] of problem.steps) {
      if (!ids.has(id)) continue;
      for (const mode of needs.flat()) if (lit.has(names.single + mode)) worse(id, names.alone(names.single + mode, design));
    }
    this.toned = { ids, design, of };
    return of;
  }

  /** Lines for what is switched on; `place` says between which states, or null for none. */
  lines(place, step) {
    const { problem, names, store } = this.page;
    const tones = this.tones();
    const groups = new Map();
    for (const id of this.page.ids.keys()) {
      const at = place(id);
      if (!at) continue;
      const key = `${at.source}-${at.target}`;
      if (!groups.has(key)) groups.set(key, { ...at, ids: [], actions: new Set() });
      groups.get(key).ids.push(id);
      groups.get(key).actions.add(at.action);
    }
    const kept = [...groups.values()].slice(0, MOST_DRAWN);
    if (groups.size > MOST_DRAWN) this.note.textContent = `${MOST_DRAWN} of ${groups.size.toLocaleString("en")} lines drawn`;
    return kept.map(({ source, target, ids, actions }) => {
      const told = [...actions].map((action) => names.told(action));
      const items = () => taking(problem, store.state.on, new Set(ids));
      return {
        source, target, title: names.lines(ids, 4),
        kind: ORDER.find((kind) => ids.some((id) => tones.get(id) === kind)) ?? "undecided",
        label: told.slice(0, MOST_ACTIONS).join(", ") + (told.length > MOST_ACTIONS ? ` +${told.length - MOST_ACTIONS}` : ""),
        taken: step && step.id >= 0 && ids.includes(step.id),
        off: () => store.toggle(items()),
      };
    });
  }

  /** A large E: a row for each state, with what is planned there and what was added. */
  table(here, step) {
    const { problem, names, ids, store } = this.page;
    const { environment } = problem;
    const tones = this.tones();
    const moves = environment.states.map(() => []);
    const told = (action, target) => `${names.told(action)} \u2192 ${names.stateTold(environment, target)}`;
    for (const [source, action, target] of triples(environment.transitions)) {
      moves[source].push(h("span", { class: "move", title: names.action(action) }, told(action, target)));
    }
    for (const id of [...ids.keys()].slice(0, MOST_MOVES)) {
      const { source, action, target } = transition(problem, id);
      const kind = tones.get(id) ?? "undecided";
      moves[source].push(h("button", {
        type: "button", class: `move added ${kind}${step?.id === id ? " taken" : ""}`,
        "data-key": `move ${id}`, title: `${names.line(id)}\nSwitch off`, onclick: () => store.toggle(taking(problem, store.state.on, new Set([id]))),
      }, sign(kind), ` ${told(action, target)}`));
    }
    // Where words say the same of several states, names tell them apart.
    const words = environment.states.map((_, state) => names.stateTold(environment, state));
    const alike = new Set(words.filter((word, state) => words.indexOf(word) !== state && word !== environment.states[state]));
    replace(this.body, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "States of the environment" },
      h("table", { class: "states" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "state"), h("th", { scope: "col" }, "planned and added transitions"))),
        h("tbody", {}, environment.states.map((name, state) =>
          h("tr", { class: state === here ? "here" : "" },
            h("th", { scope: "row", title: name }, store.tabs.includes("candidates")
              ? button(names.stateTold(environment, state), () => store.change({ tab: "candidates", source: state, target: -1, only: "", text: "" }), { class: "link", "data-key": `state ${state}` })
              : names.stateTold(environment, state), alike.has(names.stateTold(environment, state)) && h("code", { class: "raw" }, ` ${name}`)),
            h("td", {}, moves[state])))))));
    if (ids.size > MOST_MOVES) this.note.textContent = `${MOST_MOVES} of ${ids.size.toLocaleString("en")} added transitions shown`;
    reveal(this.body.querySelector(".scroll"), this.body.querySelector("tr.here"));
  }
}
