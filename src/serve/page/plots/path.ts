export type Point = readonly [x: number, y: number];

/** From point to point. */
export function pathOf(points: readonly Point[]): string {
  return points.map(([x, y], at) => `${at === 0 ? "M" : "L"}${fixed(x)} ${fixed(y)}`).join("");
}

/** Each point keeps its height until the next. */
export function stepsOf(points: readonly Point[]): string {
  return points
    .map(([x, y], at) => (at === 0 ? `M${fixed(x)} ${fixed(y)}` : `H${fixed(x)}V${fixed(y)}`))
    .join("");
}

/** A tenth of a pixel is seen by nobody. */
function fixed(value: number): number {
  return Math.round(value * 10) / 10;
}
