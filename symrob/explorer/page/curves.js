// Where lines between the states of a picture run.

/** Where a state stands: its middle and half its size. */
export function box(group) {
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

/** A bent line between two states, or a loop; `turn` keeps several apart. Its `points` are where a label may stand. */
export function curve(a, b, turn, boxes) {
  if (a === b) {
    const out = 34 + 16 * turn;
    return {
      path: `M${a.x + a.w},${a.y - 7} C${a.x + a.w + out},${a.y - 22} ${a.x + a.w + out},${a.y + 22} ${a.x + a.w},${a.y + 7}`,
      points: [{ x: a.x + a.w + out * 0.78, y: a.y }, { x: a.x + a.w + out * 0.4, y: a.y - 18 }, { x: a.x + a.w + out * 0.4, y: a.y + 18 }],
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
  const at = (t) => ({
    x: (1 - t) ** 2 * from.x + 2 * t * (1 - t) * mx + t * t * to.x,
    y: (1 - t) ** 2 * from.y + 2 * t * (1 - t) * my + t * t * to.y,
  });
  return { path: `M${from.x},${from.y} Q${mx},${my} ${to.x},${to.y}`, points: [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8].map(at) };
}

/** How far a label stands from its line; the second where there is no room. */
const GAPS = [5, 24];

/** Where a label of some size covers least: around one of the points. */
export function labelled(points, width, height, taken) {
  const meets = (r, o) => r.x < o.x + o.width && o.x < r.x + r.width && r.y < o.y + o.height && o.y < r.y + r.height;
  const places = GAPS.flatMap((gap) => points.flatMap(({ x, y }) => [
    { x: x + gap, y: y - height / 2 }, { x: x - gap - width, y: y - height / 2 },
    { x: x - width / 2, y: y - gap - height }, { x: x - width / 2, y: y + gap },
    { x: x + gap, y }, { x: x + gap, y: y - height }, { x: x - gap - width, y }, { x: x - gap - width, y: y - height },
  ]));
  let best = null;
  for (const { x, y } of places) {
    const place = { x, y, width, height };
    const covered = taken.reduce((sum, other) => sum + (meets(place, other) ? other.weight : 0), 0);
    if (!best || covered < best.covered) best = { ...place, covered };
    if (!covered) break;
  }
  return best;
}
