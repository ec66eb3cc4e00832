// Making elements. Text comes in as text only, never as markup: names are untrusted.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** An element of HTML: attributes, `onclick` and the like, then children. */
export function h(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** An element of SVG. */
export function s(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

export function byId(id) {
  return document.getElementById(id);
}

/** Put new children into an element and keep the keyboard where it was. */
export function replace(element, ...children) {
  const held = element.contains(document.activeElement)
    ? document.activeElement.getAttribute("data-key") : null;
  element.replaceChildren(...children.flat(Infinity).filter((child) => child || child === 0));
  if (held === null) return;
  for (const each of element.querySelectorAll("[data-key]")) {
    if (each.getAttribute("data-key") === held && !each.disabled) return each.focus();
  }
}

export function button(label, onclick, properties = {}) {
  return h("button", { type: "button", onclick, "data-key": label, ...properties }, label);
}

/** What is said of a trace, which a click shows. */
export function traceLink(show, design, run, said, title = null, key = `run ${run}`) {
  return h("button", { type: "button", class: "link", "data-key": key, title, onclick: () => show(design, run) }, said);
}

export function count(number, word) {
  return `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
}

/** A list that shows its first rows, says of how many, and shows more when asked. */
export function partly(rows, most, make, wrap, more) {
  const shown = rows.slice(0, most);
  const parts = [wrap(shown.map(make))];
  if (rows.length > most) {
    parts.push(h("p", { class: "more" },
      `${shown.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} shown `,
      button("Show more", more)));
  }
  return parts;
}

/** Say something to a screen reader, and for a moment on the page. */
export function announce(text, milliseconds = 2500) {
  const place = byId("notice");
  place.textContent = text;
  place.classList.add("shown");
  clearTimeout(announce.timer);
  announce.timer = setTimeout(() => place.classList.remove("shown"), milliseconds);
}
