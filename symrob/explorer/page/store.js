// What is being looked at: the one state of the page, with undo, redo and a link.
//
// In:  changes from controls.
// Out: the state to everybody who listens, and in the hash of the address, so that a
//      question can be shared by a link.

const LONGEST_LINK = 8_000;

const EMPTY = {
  on: [], tab: "sets", design: 0, run: "", path: null, at: -1,
  text: "", only: "", source: -1, target: -1,
};

export class Store {
  constructor(isItem, tabs) {
    this.isItem = isItem;
    this.tabs = tabs;
    this.state = { ...EMPTY, tab: tabs[0] };
    this.past = [];
    this.future = [];
    this.listeners = [];
    this.lost = [];
  }

  listen(listener) {
    this.listeners.push(listener);
  }

  /** Change what is switched on; can be undone. */
  switch(on) {
    const sorted = [...new Set(on)].sort((x, y) => x - y);
    if (sorted.join() === this.state.on.join()) return;
    this.past.push(this.state.on);
    this.future = [];
    this.change({ on: sorted, run: "", path: null, at: -1 });
  }

  toggle(items) {
    const on = new Set(this.state.on);
    const all = items.every((item) => on.has(item));
    for (const item of items) all ? on.delete(item) : on.add(item);
    this.switch(on);
  }

  undo() {
    this.travel(this.past, this.future);
  }

  redo() {
    this.travel(this.future, this.past);
  }

  travel(from, to) {
    if (!from.length) return;
    to.push(this.state.on);
    this.change({ on: from.pop(), run: "", path: null, at: -1 });
  }

  /** Change anything else. */
  change(parts) {
    const before = this.state;
    this.state = { ...before, ...parts };
    this.write();
    for (const listener of this.listeners) listener(this.state, before);
  }

  link() {
    const { on, tab, design, run, path, at, text, only, source, target } = this.state;
    const parts = new URLSearchParams();
    if (on.length) parts.set("on", on.map((item) => item.toString(36)).join("."));
    if (tab !== this.tabs[0]) parts.set("tab", tab);
    if (design) parts.set("design", String(design));
    if (run) parts.set("run", run);
    if (path) parts.set("path", path.map((choice) => choice.toString(36)).join("."));
    if (at >= 0) parts.set("at", String(at));
    if (text) parts.set("find", text);
    if (only) parts.set("only", only);
    if (source >= 0) parts.set("from", String(source));
    if (target >= 0) parts.set("to", String(target));
    return parts.toString();
  }

  write() {
    const link = this.link();
    this.linked = link.length <= LONGEST_LINK;
    try {
      history.replaceState(null, "", `#${this.linked ? link : ""}`);
    } catch {
      // A page inside a notebook has no address of its own.
    }
  }

  /** Take the state from a link; `lost` is then what of it means nothing here. */
  read(hash) {
    const parts = new URLSearchParams(hash.replace(/^#/, ""));
    const numbers = (text, base) =>
      (text ? text.split(".") : []).map((each) => parseInt(each, base));
    const asked = numbers(parts.get("on"), 36);
    const on = asked.filter(this.isItem).sort((x, y) => x - y);
    const whole = (name, none) => {
      const value = parseInt(parts.get(name), 10);
      return Number.isInteger(value) && value >= 0 ? value : none;
    };
    const tab = parts.get("tab");
    this.change({
      ...EMPTY,
      on: [...new Set(on)],
      tab: this.tabs.includes(tab) ? tab : this.tabs[0],
      design: whole("design", 0),
      run: parts.get("run") ?? "",
      path: parts.has("path") ? numbers(parts.get("path"), 36) : null,
      at: whole("at", -1),
      text: parts.get("find") ?? "",
      only: parts.get("only") ?? "",
      source: whole("from", -1),
      target: whole("to", -1),
    });
    const known = new URLSearchParams(this.link());
    const dropped = asked.length - on.length;
    this.lost = [...parts].filter(([name, value]) => name !== "on" && known.get(name) !== value)
      .map(([name, value]) => `${name}=${value}`.slice(0, 40));
    if (dropped) this.lost.unshift(`${dropped} of what is switched on`);
  }
}
