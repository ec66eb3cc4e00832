// What is being looked at: the one state of the page, with undo, redo and a link.
//
// In:  changes from controls.
// Out: the state to everybody who listens, and in the hash of the address, so that a
//      question can be shared by a link. A link ends with a checksum and names the models
//      that it is for: its numbers mean something else in others.
//
// Each change that can be undone is an entry of the browser's history, so Back undoes it.
// A page in a frame leaves the history of the page around it alone.

const LONGEST_LINK = 8_000;

const EMPTY = {
  on: [], tab: "sets", design: 0, run: "", path: null, at: -1, view: "",
  text: "", only: "", group: "", source: -1, target: -1,
};
/** A step through a trace, and what is typed, is no entry of its own. */
const PASSING = new Set(["at", "text"]);
/** What names transitions or states, so it means nothing in other models. */
const OF_MODELS = new Set(["on", "run", "path", "at", "from", "to", "only"]);

/** FNV-1a, in base 36. */
function checksum(text) {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
  return (value >>> 0).toString(36);
}

const numbers = (text, base) => (text ? text.split(".") : []).map((each) => parseInt(each, base));

export class Store {
  constructor(isItem, tabs, fingerprint) {
    this.isItem = isItem;
    this.tabs = tabs;
    this.fingerprint = fingerprint;
    this.state = { ...EMPTY, tab: tabs[0] };
    this.listeners = [];
    this.problem = "";
    this.lost = [];
    this.addressed = globalThis.top === globalThis;
    this.index = (this.addressed && history.state?.symrob) || 0;
    this.last = this.index;
    this.entries = [];
    if (this.addressed) {
      globalThis.addEventListener("popstate", ({ state }) => this.arrive(state?.symrob));
    }
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  /** Change what is switched on. */
  switch(on) {
    const sorted = [...new Set(on)].sort((x, y) => x - y);
    if (sorted.join() === this.state.on.join()) return;
    this.change({ on: sorted, run: "", path: null, at: -1 });
  }

  toggle(items) {
    const on = new Set(this.state.on);
    const all = items.every((item) => on.has(item));
    for (const item of items) all ? on.delete(item) : on.add(item);
    this.switch(on);
  }

  /** Change anything. */
  change(parts) {
    const before = this.state;
    this.state = { ...before, ...parts };
    const isStep = Object.keys(parts).some((name) =>
      !PASSING.has(name) && before[name] !== this.state[name] && String(before[name]) !== String(this.state[name]));
    if (isStep) this.last = ++this.index;
    this.write(isStep);
    this.tell(before);
  }

  tell(before) {
    for (const listener of this.listeners) listener(this.state, before);
  }

  undo() {
    this.go(-1);
  }

  redo() {
    this.go(1);
  }

  go(by) {
    const to = this.index + by;
    if (to < 0 || to > this.last) return;
    if (this.addressed) history.go(by);
    else this.arrive(to);
  }

  /** Be at an entry of the history; one without a number was typed into the address. */
  arrive(index) {
    const before = this.state;
    if (index === undefined) this.last = ++this.index;
    else this.index = index;
    if (!this.entries[index]) {
      this.read(location.hash);
      return;
    }
    this.state = this.entries[index];
    this.tell(before);
  }

  link() {
    const { on, tab, design, run, path, at, view, text, only, group, source, target } = this.state;
    if (on.length > LONGEST_LINK) return null;
    const parts = new URLSearchParams();
    const base36 = (list) => list.map((each) => each.toString(36)).join(".");
    if (on.length) parts.set("on", base36(on));
    if (tab !== this.tabs[0]) parts.set("tab", tab);
    if (design) parts.set("design", String(design));
    if (run) parts.set("run", run);
    if (path) parts.set("path", base36(path));
    if (at >= 0) parts.set("at", String(at));
    if (view) parts.set("view", view);
    if (text) parts.set("find", text);
    if (only) parts.set("only", only);
    if (group) parts.set("group", group);
    if (source >= 0) parts.set("from", String(source));
    if (target >= 0) parts.set("to", String(target));
    const body = `m=${this.fingerprint}&${parts}`;
    return parts.size ? `${body}&sum=${checksum(body)}` : "";
  }

  write(isStep = false) {
    this.entries[this.index] = this.state;
    this.entries.length = this.last + 1;
    const link = this.link();
    this.linked = link !== null && link.length <= LONGEST_LINK;
    if (!this.addressed) return undefined;
    const address = this.linked && link ? `#${link}` : "#";
    return history[isStep ? "pushState" : "replaceState"]({ symrob: this.index }, "", address);
  }

  /**
   * Take the state from a link, as far as it means something here.
   *
   * `problem` is then "" or what is wrong with the link as a whole, `lost` what was left out.
   * isStep: whether it is a new entry of the history.
   */
  read(hash, isStep = false) {
    const text = hash.replace(/^#/, "");
    const [, body, sum] = /^(.*)&sum=([0-9a-z]*)$/s.exec(text) ?? [null, text, null];
    const given = [...new URLSearchParams(body)];
    const parts = new Map(given);
    const whole = !text || sum === checksum(body);
    const model = parts.get("m");
    this.problem = whole ? "" : "damaged";
    if (text && model && model !== this.fingerprint) this.problem = "other";
    parts.delete("m");
    const lost = [];
    if (this.problem === "other") {
      for (const name of [...parts.keys()]) if (OF_MODELS.has(name)) parts.delete(name);
    } else if (sum === null && model) this.drop(parts, given.at(-1)[0]);
    const asked = numbers(parts.get("on"), 36);
    const on = [...new Set(asked.filter(this.isItem))].sort((x, y) => x - y);
    const count = (name, none) => {
      const value = Number(parts.get(name) ?? none);
      return Number.isInteger(value) && value >= 0 ? value : none;
    };
    const path = parts.has("path") ? numbers(parts.get("path"), 36) : null;
    const before = this.state;
    const tab = parts.get("tab");
    this.state = {
      ...EMPTY,
      on,
      tab: this.tabs.includes(tab) ? tab : this.tabs[0],
      design: count("design", 0),
      run: parts.get("run") ?? "",
      path: path?.every((each) => each >= 0) ? path : null,
      at: count("at", -1),
      view: parts.get("view") === "lanes" ? "lanes" : "",
      text: parts.get("find") ?? "",
      only: parts.get("only") ?? "",
      group: parts.get("group") ?? "",
      source: count("from", -1),
      target: count("to", -1),
    };
    const known = new URLSearchParams(this.link() ?? "");
    const dropped = asked.filter((item) => !this.isItem(item)).length;
    if (dropped) lost.push(`${dropped} of the changes`);
    for (const [name, value] of parts) {
      if (name !== "on" && known.get(name) !== value) lost.push(`${name}=${value}`.slice(0, 40));
    }
    this.lost = lost;
    if (isStep) this.last = ++this.index;
    this.write(isStep);
    this.tell(before);
  }

  /** A link that was cut may have lost a part of its last value. */
  drop(parts, name) {
    const left = name === "on" || name === "path" ? (parts.get(name) ?? "").split(".").slice(0, -1) : [];
    if (left.length) parts.set(name, left.join("."));
    else parts.delete(name);
  }
}
