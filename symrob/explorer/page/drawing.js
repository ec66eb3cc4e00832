// One picture that Graphviz drew: states lit in it, lines added to it, zoomed and moved.

import { box, curve, labelled } from "./curves.js";
import { h, s } from "./dom.js";
import { ERROR } from "./machine.js";
import { ORDER, SIGNS } from "./names.js";

/** Pixels for each unit of a picture: its smallest text has 10 units, which are 11 pixels then. */
const LEAST = 1.1;
const MOST = 1.5;
const STEP = 1.25;
const RANGE = [0.2, 5];
/** Characters of a line of a label, and lines of one. */
const WIDE = 20;
const MOST_LINES = 3;
/** What a character and a line of a label take, in units of the picture. */
const CHARACTER = 5;
const LINE = 11;

const dot = ({ x, y }) => ({ x, y, width: 1, height: 1, weight: 1 });

/** A copy of a picture that was drawn beforehand; `null` where there is none. */
function pictureOf(name) {
  const found = document.querySelector(`template[data-picture="${name}"]`);
  return found ? found.content.firstElementChild.cloneNode(true) : null;
}

/** Scroll a drawing, and not the page, so that what matters most of `groups`, the first, is in sight: all, if there is room. */
export function reveal(area, ...groups) {
  const [first, ...others] = groups.filter(Boolean).map((group) => group.getBoundingClientRect());
  if (!first) return;
  const view = area.getBoundingClientRect();
  for (const [low, high, scroll] of [["left", "right", "scrollLeft"], ["top", "bottom", "scrollTop"]]) {
    let span = [first[low], first[high]];
    for (const other of others) {
      const wider = [Math.min(span[0], other[low]), Math.max(span[1], other[high])];
      if (wider[1] - wider[0] <= view[high] - view[low]) span = wider;
    }
    if (span[0] < view[low] || span[1] > view[high]) area[scroll] += (span[0] + span[1] - view[low] - view[high]) / 2;
  }
}

/** A label in lines of some characters. */
function wrapped(text) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length <= WIDE || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES - 1), `${lines[MOST_LINES - 1]} \u2026`] : lines;
}

/** The drawing of a system; where there is no picture of it, `picture` is null. */
export class Drawing {
  constructor(name, label) {
    this.name = name;
    this.picture = pictureOf(name);
    if (!this.picture) return;
    this.picture.setAttribute("class", "picture");
    // What is inside can be reached and clicked, so it is no image.
    this.picture.setAttribute("role", "group");
    this.area = h("div", { class: "drawing", tabindex: "0", role: "group", "aria-label": label }, this.picture);
    const arrow = (kind) => s("marker", {
      id: `arrow-${name}-${kind}`, class: `arrow ${kind}`, viewBox: "0 0 8 8", refX: "7", refY: "4",
      markerWidth: "9", markerHeight: "9", markerUnits: "userSpaceOnUse", orient: "auto",
    }, s("path", { d: "M0,0.6 L8,4 L0,7.4 z" }));
    this.picture.prepend(s("defs", {}, ORDER.map(arrow)));
    this.lines = s("g", { class: "lines" });
    this.picture.querySelector("g.graph").append(this.lines);
    this.scale = null;
    this.movable();
    new ResizeObserver(() => this.size()).observe(this.area);
  }

  /** Dragging moves it, and so does the wheel; with Ctrl that zooms. */
  movable() {
    const { area } = this;
    let from = null;
    area.addEventListener("pointerdown", (event) => {
      if (event.button === 0 && event.pointerType === "mouse") from = [event.clientX + area.scrollLeft, event.clientY + area.scrollTop];
    });
    area.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons) return;
      area.scrollTo(from[0] - event.clientX, from[1] - event.clientY);
    });
    area.addEventListener("pointerup", () => (from = null));
    area.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? STEP : 1 / STEP);
    }, { passive: false });
  }

  zoom(factor) {
    if (!this.picture) return;
    this.scale = Math.min(RANGE[1], Math.max(RANGE[0], this.shown * factor));
    this.size();
  }

  /** Let the whole picture be in sight; `whole` false: as at first. */
  fit(whole = true) {
    if (!this.picture) return;
    const { width, height } = this.picture.viewBox.baseVal;
    const { clientWidth, clientHeight } = this.area;
    this.scale = whole ? Math.min(clientWidth / width, clientHeight / height, 3) : null;
    this.size();
  }

  /** As large as there is room, but neither blown up nor too small to be read, unless asked for. */
  size() {
    const { width, height } = this.picture.viewBox.baseVal;
    const { clientWidth, clientHeight } = this.area;
    const fitting = Math.min(MOST, Math.max(LEAST, Math.min(clientWidth / width, clientHeight / height)));
    this.shown = this.scale ?? fitting;
    this.picture.style.width = `${Math.floor(width * this.shown)}px`;
  }

  state(state) {
    return this.picture.querySelector(`[data-id="${state === ERROR ? "error" : `s${state}`}"]`);
  }

  /** Light one state, and the planned edges that were just taken there. */
  light(here, from = null) {
    for (const group of this.picture.querySelectorAll("g.node.state")) group.classList.remove("here");
    const group = here === null ? null : this.state(here);
    group?.classList.add("here");
    const taken = from === null ? null : `s${from}-s${here}-`;
    for (const edge of this.picture.querySelectorAll("g.edge, g.label")) {
      edge.classList.toggle("taken", taken !== null && edge.getAttribute("data-id").startsWith(taken));
    }
    reveal(this.area, group, from === null ? null : this.state(from), ...this.picture.querySelectorAll(".taken"));
  }

  /** Where in the picture labels should not be: states, other labels, and points of edges. */
  get taken() {
    if (this.covered) return this.covered;
    const rect = (weight) => (element) => {
      const { x, y, width, height } = element.getBBox();
      return { x, y, width, height, weight };
    };
    const points = [...this.picture.querySelectorAll("g.edge path")].flatMap((path) => {
      const long = path.getTotalLength();
      return Array.from({ length: Math.ceil(long / 8) }, (_, i) => dot(path.getPointAtLength(8 * i)));
    });
    const all = [
      ...[...this.picture.querySelectorAll("g.node")].map(rect(40)),
      ...[...this.picture.querySelectorAll("g.label text")].map(rect(25)), ...points,
    ];
    // What is not shown has no size yet.
    if (this.area.clientWidth) this.covered = all;
    return all;
  }

  /** Draw lines `{source, target, label, kind, title, taken, off}` between states. */
  draw(lines) {
    const between = new Set(lines.map(({ source, target }) => `${source}-${target}`));
    const boxes = new Map();
    for (const group of lines.length ? this.picture.querySelectorAll("g.node.state") : []) {
      boxes.set(Number(group.getAttribute("data-id").slice(1)), box(group));
    }
    const all = [...boxes.values()];
    const ways = lines.map(({ source, target }) => {
      const turn = source < target || !between.has(`${target}-${source}`) ? 0 : 0.4;
      return curve(boxes.get(source), boxes.get(target), turn, all);
    });
    const covered = lines.length ? [...this.taken, ...ways.flatMap(({ points }) => points.map(dot))] : [];
    this.lines.replaceChildren(...lines.map((line, number) => {
      const { label, kind, title, taken, off } = line;
      const way = ways[number];
      const text = wrapped(`${SIGNS[kind]} ${label}`);
      const place = labelled(way.points, CHARACTER * Math.max(...text.map(({ length }) => length)), LINE * text.length, covered);
      covered.push({ ...place, weight: 25 });
      return s("g", {
        class: `line ${kind}${taken ? " taken" : ""}`, tabindex: off && "0", role: off && "button", "aria-label": off && `${SIGNS[kind]} ${label}: ${title}; switch off`,
        onclick: off ?? undefined,
        onkeydown: (event) => {
          if (!off || (event.key !== "Enter" && event.key !== " ")) return;
          event.preventDefault();
          off();
        },
      },
      s("title", {}, off ? `${title}. Click to switch off.` : title),
      s("path", { class: "wide", d: way.path }),
      s("path", { class: "stroke", d: way.path, "marker-end": `url(#arrow-${this.name}-${kind})` }),
      s("text", { "text-anchor": "middle" }, text.map((part, i) =>
        s("tspan", { x: place.x + place.width / 2, y: place.y + LINE * i + 9 }, `${part} `))));
    }));
    this.frame();
  }

  /** Let the view hold all that is drawn. */
  frame() {
    const graph = this.picture.querySelector("g.graph");
    const ground = graph.querySelector(":scope > polygon:not([stroke])");
    ground?.remove();
    const { x, y, width, height } = graph.getBBox();
    if (!width) return;
    const shift = graph.transform.baseVal.consolidate()?.matrix ?? { e: 0, f: 0 };
    const pad = 8;
    this.picture.setAttribute("viewBox", [x + shift.e - pad, y + shift.f - pad, width + 2 * pad, height + 2 * pad].join(" "));
    this.size();
  }

  /** The picture as a file: what the style sheet says is written into it. */
  svg() {
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
    return new XMLSerializer().serializeToString(copy);
  }
}

/** Buttons to zoom the drawings of a section, and to give it the whole window. */
export function zoomTools(section, drawings) {
  const of = section.getAttribute("aria-label");
  const tool = (label, sign, act) => h("button", {
    type: "button", class: "icon plain", title: label, "aria-label": `${label}: ${of}`, "data-key": `${label} ${of}`, onclick: act,
  }, h("span", { "aria-hidden": "true" }, sign));
  const each = (act) => () => drawings().filter((drawing) => drawing.picture).forEach(act);
  const full = (on) => {
    section.classList.toggle("full", on);
    each((drawing) => drawing.fit(on))();
  };
  section.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && section.classList.contains("full")) full(false);
  });
  return h("span", { class: "zoom", role: "group", "aria-label": `Size of ${of}` },
    tool("Smaller", "\u2212", each((drawing) => drawing.zoom(1 / STEP))),
    tool("Larger", "+", each((drawing) => drawing.zoom(STEP))),
    tool("Fit", "Fit", each((drawing) => drawing.fit())),
    tool("Full screen", "\u2922", () => full(!section.classList.contains("full"))));
}
