// The tools at the top: search, undo, redo, link, colours, keys; and the keyboard.

import { announce, byId, h } from "./dom.js";
import { LABELS, MEANINGS } from "./names.js";
import { sign } from "./signs.js";

const KEYS = [
  ["/", "search"], ["1 \u2026 8", "panel"], ["\u2190 \u2192", "one step back, one step forward"], ["Home End", "to the start, to the end of the trace"],
  ["p", "play, pause"], ["u", "undo"], ["r", "redo"], ["c", "switch everything off"], ["v", "to the verdict"], ["?", "this help"],
  ["Tab, Enter", "every control, every state and line of the picture"],
];
/** Among so many, a search waits for a pause in typing, in milliseconds. */
const MANY_ITEMS = 10_000;
const TYPING_PAUSE = 250;
const SCHEMES = ["auto", "light", "dark"];

export class Tools {
  constructor(page) {
    this.page = page;
    const { store } = page;
    const on = (id, action) => byId(id).addEventListener("click", action);
    on("undo", () => store.undo());
    on("redo", () => store.redo());
    on("link", () => this.link());
    on("scheme", () => this.scheme());
    on("help", () => this.help());
    on("to-trace", () => this.toTrace());
    // The button for the trace is of no use where the trace is in sight.
    new IntersectionObserver(([{ isIntersecting }]) => (byId("to-trace").hidden = isIntersecting), { rootMargin: "0px 0px -40% 0px" })
      .observe(byId("run"));
    on("close-keys", () => byId("keys").close());
    byId("search").addEventListener("input", ({ target }) => {
      clearTimeout(this.typing);
      if (page.candidates.length < MANY_ITEMS) this.search(target.value);
      else this.typing = setTimeout(() => this.search(target.value), TYPING_PAUSE);
    });
    byId("word-list").append(...Object.keys(LABELS).filter((verdict) => verdict !== "asking").map((verdict) =>
      h("div", {}, h("dt", { class: verdict }, sign(verdict), ` ${LABELS[verdict]}`), h("dd", {}, MEANINGS[verdict]))));
    byId("key-list").append(...KEYS.map(([key, what]) => h("div", {}, h("dt", {}, key), h("dd", {}, what))));
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("visibilitychange", () => document.hidden && page.runView.stop());
  }

  /** On a narrow screen the trace is below what is chosen. */
  toTrace() {
    if (getComputedStyle(byId("to-trace")).position === "fixed") byId("run").scrollIntoView();
  }

  show() {
    const { store } = this.page;
    byId("undo").disabled = store.index === 0;
    byId("redo").disabled = store.index >= store.last;
    const search = byId("search");
    if (search.value !== store.state.text) search.value = store.state.text;
  }

  search(text) {
    const { store } = this.page;
    const lists = ["sets", "candidates", "modes"];
    const tab = lists.includes(store.state.tab) ? store.state.tab : store.tabs.includes("candidates") ? "candidates" : "modes";
    store.change({ text, tab });
  }

  link() {
    const { store, copy } = this.page;
    if (!store.linked) return announce("Too much is switched on for a link");
    const { href } = document.location;
    return copy(href.startsWith("about:") ? `#${store.link()}` : href, "The link");
  }

  scheme() {
    const root = document.documentElement;
    const next = SCHEMES[(SCHEMES.indexOf(root.dataset.scheme ?? "auto") + 1) % SCHEMES.length];
    root.dataset.scheme = next;
    announce(`Colours: ${next}`);
  }

  help() {
    const dialog = byId("keys");
    if (dialog.open) dialog.close();
    else dialog.showModal();
  }

  key(event) {
    const { target, key } = event;
    if ((event.ctrlKey || event.metaKey) && !event.altKey) {
      const way = { z: event.shiftKey ? "redo" : "undo", y: "redo" }[key.toLowerCase()];
      if (!way || target.matches("input")) return;
      event.preventDefault();
      this.page.store[way]();
      return;
    }
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (target.matches("input")) {
      if (key === "Escape") target.blur();
      return;
    }
    if (byId("keys").open && key !== "?") return;
    const action = this.action(key, target);
    if (!action) return;
    event.preventDefault();
    action();
  }

  action(key, target) {
    const { page } = this;
    const { store, walk } = page;
    if (target.closest("[role=tab], .scroll[tabindex]") && /Arrow|Home|End/.test(key)) return undefined;
    if (/^[1-8]$/.test(key)) {
      const tab = store.tabs[Number(key) - 1];
      return tab && (() => store.change({ tab }));
    }
    return {
      "/": () => byId("search").focus(),
      ArrowLeft: () => page.goTo(page.position() - 1),
      ArrowRight: () => page.goTo(page.position() + 1),
      Home: () => page.goTo(0),
      End: () => page.goTo(walk.steps.length),
      p: () => page.runView.play(),
      u: () => store.undo(),
      r: () => store.redo(),
      c: () => store.switch([]),
      v: () => byId("verdicts").focus(),
      "?": () => this.help(),
    }[key];
  }
}
