// Verdicts as signs, and items in words with their names behind them.

import { h } from "./dom.js";
import { SIGNS } from "./names.js";

export function sign(verdict) {
  return h("span", { class: `sign ${verdict}`, "aria-hidden": "true" }, SIGNS[verdict]);
}

/** An item: its verdict alone, its words, then its name where that is another. */
export function itemParts(names, item, design) {
  const [words, raw] = [names.item(item), names.raw(item)];
  return [
    sign(names.alone(item, design)),
    h("span", { class: "words" }, words),
    raw !== words && h("code", { class: "raw" }, raw),
  ];
}
