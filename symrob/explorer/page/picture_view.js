// E as Graphviz drew it; what is switched on appears as lines between its states.

import { button, byId, h, replace, s } from "./dom.js";
import { ERROR, taking, transition } from "./machine.js";

const MOST_ACTIONS = 3;
/** With more states than this a table is shown first. */
const MANY_STATES = 24;
const MOST_MOVES = 400;

/** A copy of a picture that was drawn beforehand; `null` where there is none. */
export function pictureOf(name) {
  const found = document.querySelector(`template[data-picture="${name}"]`);
  return found ? found.content.firstElementChild.cloneNode(true) : null;
}

export function stateOf(picture, state) {
  return picture.querySelector(`[data-id="${state === ERROR ? "error" : `s${state}`}"]`);
}

/** Scroll a drawing, and not the page, so that a state is in sight. */
export function reveal(area, group) {
  if (!group) return;
  const [view, at] = [area, group].map((each) => each.getBoundingClientRect());
  area.scrollLeft += Math.min(0, at.left - view.left - 12) || Math.max(0, at.right - view.right + 12);
  area.scrollTop += Math.min(0, at.top - view.top - 12) || Math.max(0, at.bottom - view.bottom + 12);
}

/** Where a state stands: its middle and half its size. */
function box(group) {
  const { x, y, width, height } = group.querySelector("path, polygon, ellipse").getBBox();
  return { x: x + width / 2, y: y + height / 2, w: width / 2 + 2, h: height / 2 + 2 };
}

/** The point where a ray from the middle of a box leaves it. */
function edge(from, x, y) {
  const dx = x - from.x;
  const dy = y - from.y;
  const scale = Math.min(from.w / Math.abs(dx || 1e-9), from.h / Math.abs(dy || 1e-9));
  return { x: from.x + dx * scale, y: from.y + dy * scale };
}

/** How far a line between two states has to bend to keep off the others. */
function clearance(a, b, boxes) {
  const far = Math.hypot(b.x - a.x, b.y - a.y);
  const along = { x: (b.x - a.x) / far, y: (b.y - a.y) / far };
  let bend = 0;
  for (const other of boxes) {
    if (other === a || other === b) continue;
    const dx = other.x - a.x;
    const dy = other.y - a.y;
    const t = (dx * along.x + dy * along.y) / far;
    if (t < 0.08 || t > 0.92) continue;
    const aside = dy * along.x - dx * along.y;
    const half = Math.abs(along.y) * other.w + Math.abs(along.x) * other.h + 10;
    if (Math.abs(aside) < half) bend = Math.max(bend, (aside + half) / (2 * t * (1 - t)));
  }
  return Math.min(bend, 1.5 * far + 80);
}

/** A bent line between two states, or a loop; `turn` keeps several apart. */
function curve(a, b, turn, boxes) {
  if (a === b) {
    const out = 34 + 16 * turn;
    return {
      path: `M${a.x + a.w},${a.y - 7} C${a.x + a.w + out},${a.y - 22} ${a.x + a.w + out},${a.y + 22} ${a.x + a.w},${a.y + 7}`,
      x: a.x + a.w + out * 0.78, y: a.y + 3, anchor: "start",
    };
  }
  const dx = b.x - a.x;
  const dy = b.y - a.y;
  const far = Math.hypot(dx, dy);
  const bend = Math.max(Math.min(a.w, b.w) * 0.75 + 30, clearance(a, b, boxes)) + 22 * turn;
  const mx = (a.x + b.x) / 2 - (dy / far) * bend;
  const my = (a.y + b.y) / 2 + (dx / far) * bend;
  const from = edge(a, mx, my);
  const to = edge(b, mx, my);
  // The middle of the curve, where its label stands.
  const x = 0.25 * from.x + 0.5 * mx + 0.25 * to.x;
  const y = 0.25 * from.y + 0.5 * my + 0.25 * to.y;
  const anchor = Math.abs(dy) < Math.abs(dx) ? "middle" : x < (a.x + b.x) / 2 ? "end" : "start";
  const off = anchor === "middle" ? 0 : anchor === "end" ? -4 : 4;
  return { path: `M${from.x},${from.y} Q${mx},${my} ${to.x},${to.y}`, x: x + off, y: y + (anchor === "middle" && dx < 0 ? -4 : anchor === "middle" ? 12 : 3), anchor };
}

const VERDICT_ORDER = ["hazardous", "excluded-unsafe", "excluded-safe", "undecided", "tolerated"];

export class EnvironmentView {
  constructor(page) {
    this.page = page;
    this.place = byId("environment");
    this.picture = pictureOf("E");
    this.picture?.setAttribute("class", "picture");
    if (this.picture) this.arrows();
    this.area = h("div", { class: "drawing" });
    this.rows = h("div", {});
    this.asTable = !this.picture || page.problem.environment.states.length > MANY_STATES;
    this.other = button("", () => {
      this.asTable = !this.asTable;
      page.drawStates();
    }, { class: "plain" });
    this.saving = button("Save SVG", () => this.save(), { class: "plain", title: "Save the present picture" });
    this.place.append(
      h("header", {},
        h("h2", {}, "Environment ", h("span", { class: "quiet" }, page.problem.environment.name)),
        h("span", {}, this.picture && this.other, this.picture && this.saving)),
      this.area, this.rows,
    );
    if (this.picture) {
      this.area.append(this.picture);
      this.clickable();
    }
  }

  arrows() {
    const { picture } = this;
    const graph = picture.querySelector("g.graph");
    const arrow = (kind) => s("marker", {
      id: `arrow-${kind}`, class: `arrow ${kind}`, viewBox: "0 0 8 8", refX: "7", refY: "4",
      markerWidth: "9", markerHeight: "9", markerUnits: "userSpaceOnUse", orient: "auto",
    }, s("path", { d: "M0,0.6 L8,4 L0,7.4 z" }));
    picture.prepend(s("defs", {}, VERDICT_ORDER.map(arrow)));
    this.lines = s("g", { class: "lines" });
    graph.append(this.lines);
  }

  /** A state, clicked, asks for what leads from it; a second one, for what leads there. */
  clickable() {
    const { store, problem } = this.page;
    if (!store.tabs.includes("candidates")) return;
    problem.environment.states.forEach((name, state) => {
      const group = stateOf(this.picture, state);
      group.setAttribute("tabindex", "0");
      group.setAttribute("role", "button");
      group.setAttribute("aria-label", `State ${name}: what could lead from it`);
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
    this.area.hidden = this.saving.hidden = this.asTable;
    this.other.textContent = this.asTable ? "As picture" : "As table";
    if (this.asTable) return this.table(here, step);
    this.rows.replaceChildren();
    const { store, problem, names } = this.page;
    const { on, source, target, tab } = store.state;
    for (const group of this.picture.querySelectorAll("g.node.state")) {
      const state = Number(group.getAttribute("data-id").slice(1));
      group.classList.toggle("here", state === here);
      group.classList.toggle("picked", tab === "candidates" && (state === source || state === target));
    }
    const taken = step && step.who !== "C" ? `s${before[0]}-s${step.states[0]}-` : null;
    for (const group of this.picture.querySelectorAll("g.edge, g.label")) {
      const id = group.getAttribute("data-id");
      group.classList.toggle("taken", taken !== null && step.id < 0 && id.startsWith(taken));
    }
    this.draw(on, step, problem, names);
    reveal(this.area, stateOf(this.picture, here));
    return undefined;
  }

  draw(on, step, problem, names) {
    const { store } = this.page;
    const groups = new Map();
    for (const id of this.page.ids) {
      const { source, target } = transition(problem, id);
      const key = `${source}-${target}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(id);
    }
    const width = problem.environment.states.length;
    const boxes = [...Array(width).keys()].map((state) => box(stateOf(this.picture, state)));
    const made = [];
    for (const ids of groups.values()) {
      const { source, target } = transition(problem, ids[0]);
      const turn = source < target || !groups.has(`${target}-${source}`) ? 0 : 0.4;
      const line = curve(boxes[source], boxes[target], turn, boxes);
      const kind = VERDICT_ORDER.find((k) => ids.some((id) => names.tone(id) === k)) ?? "tolerated";
      const actions = ids.map((id) => names.action(transition(problem, id).action));
      const label = actions.slice(0, MOST_ACTIONS).join(", ") +
        (actions.length > MOST_ACTIONS ? ` +${actions.length - MOST_ACTIONS}` : "");
      const items = taking(problem, on, new Set(ids));
      const off = () => items.length && store.toggle(items);
      const taken = step && ids.includes(step.id) ? " taken" : "";
      made.push(s("g", {
        class: `line ${kind}${taken}`, tabindex: "0", role: "button",
        "aria-label": `${names.lines(ids, 4)}, switched on; switch off`,
        onclick: off,
        onkeydown: (event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          off();
        },
      },
      s("title", {}, `${names.lines(ids)}. Click to switch off.`),
      s("path", { class: "wide", d: line.path }),
      s("path", { class: "stroke", d: line.path, "marker-end": `url(#arrow-${kind})` }),
      s("text", { x: line.x, y: line.y, "text-anchor": line.anchor }, label)));
    }
    this.lines.replaceChildren(...made);
    this.fit();
  }

  /** Let the view hold all that is drawn. */
  fit() {
    const graph = this.picture.querySelector("g.graph");
    const ground = graph.querySelector("polygon");
    const held = ground.parentNode === graph && ground.getAttribute("stroke") === null;
    if (held && !this.ground) {
      this.ground = ground;
      ground.remove();
    }
    const { x, y, width, height } = graph.getBBox();
    if (!width) return;
    const shift = graph.transform.baseVal.consolidate()?.matrix ?? { e: 0, f: 0 };
    const pad = 8;
    this.picture.setAttribute("viewBox", [x + shift.e - pad, y + shift.f - pad, width + 2 * pad, height + 2 * pad].join(" "));
    this.picture.style.setProperty("--natural", `${Math.round((width + 2 * pad) * 1.5)}px`);
    this.picture.style.setProperty("--least", `${Math.round((width + 2 * pad) * 0.6)}px`);
    if (this.tall === undefined) {
      this.tall = height > width * 1.15;
      this.place.parentElement.classList.toggle("beside", this.tall);
    }
  }

  /** A large E: a row for each state, with what is planned there and what was added. */
  table(here, step) {
    const { problem, names, ids, store } = this.page;
    const { environment } = problem;
    const moves = environment.states.map(() => []);
    for (let i = 0; i < environment.transitions.length; i += 3) {
      const [source, action, target] = environment.transitions.slice(i, i + 3);
      moves[source].push(h("span", { class: "move" }, `${names.action(action)} \u2192 ${names.state(environment, target)}`));
    }
    let more = 0;
    for (const id of ids) {
      const { source, action, target } = transition(problem, id);
      if (++more > MOST_MOVES) break;
      moves[source].push(h("button", {
        type: "button", class: `move added ${names.tone(id)}${step?.id === id ? " taken" : ""}`,
        "data-key": `move ${id}`, title: "Switch off", onclick: () => store.toggle(taking(problem, store.state.on, new Set([id]))),
      }, `${names.action(action)} \u2192 ${names.state(environment, target)}`));
    }
    replace(this.rows, h("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "States of the environment" },
      h("table", { class: "states" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "state"), h("th", { scope: "col" }, "what it does, and what was added"))),
        h("tbody", {}, environment.states.map((name, state) =>
          h("tr", { class: state === here ? "here" : "" },
            h("th", { scope: "row" }, store.tabs.includes("candidates")
              ? button(name, () => store.change({ tab: "candidates", source: state, target: -1, only: "", text: "" }), { class: "link", "data-key": `state ${state}` }) : name),
            h("td", {}, moves[state])))))),
    ids.size > MOST_MOVES && h("p", { class: "more" }, `${MOST_MOVES} of ${ids.size.toLocaleString("en")} added transitions shown`));
    reveal(this.rows.querySelector(".scroll"), this.rows.querySelector("tr.here"));
  }

  /** The picture as a file: what the style sheet says is written into it. */
  save() {
    const copy = this.picture.cloneNode(true);
    const looks = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "font-weight", "paint-order", "opacity"];
    const both = [...this.picture.querySelectorAll("*")];
    [...copy.querySelectorAll("*")].forEach((element, i) => {
      const style = getComputedStyle(both[i]);
      for (const look of looks) element.setAttribute(look, style.getPropertyValue(look));
      for (const name of ["tabindex", "role", "aria-label"]) element.removeAttribute(name);
    });
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", copy.viewBox.baseVal.width);
    copy.setAttribute("height", copy.viewBox.baseVal.height);
    copy.removeAttribute("style");
    this.page.download("environment.svg", "image/svg+xml", new XMLSerializer().serializeToString(copy));
  }
}
