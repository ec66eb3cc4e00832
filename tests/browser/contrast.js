// The texts of a page that do not stand out from what is behind them.
() => {
  const channel = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      layers.unshift(colour);
      if (colour[3] === 255) break;
    }
    return layers.reduce((below, above) =>
      above.slice(0, 3).map((v, i) => v * above[3] / 255 + below[i] * (1 - above[3] / 255)), [255, 255, 255]);
  };
  const poor = [];
  const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (all.nextNode()) {
    const element = all.currentNode.parentElement;
    if (!all.currentNode.textContent.trim() || !element.checkVisibility()) continue;
    if (element.closest("svg, script, style, [aria-hidden], :disabled")) continue;
    const a = light(rgba(getComputedStyle(element).color));
    const b = light(behind(element));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push([element.className, all.currentNode.textContent, ratio.toFixed(2)]);
  }
  // In pictures: on the ground of the picture, or of the state that it names.
  for (const text of document.querySelectorAll("svg.picture text")) {
    if (!text.checkVisibility()) continue;
    const shape = text.closest(".node")?.querySelector("path, polygon, ellipse");
    const ground = shape ? rgba(getComputedStyle(shape).fill).slice(0, 3) : behind(text.closest("svg"));
    const [a, b] = [light(rgba(getComputedStyle(text).fill)), light(ground)];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(["svg", text.textContent, ratio.toFixed(2)]);
  }
  return poor;
}
