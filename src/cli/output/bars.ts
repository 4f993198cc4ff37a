const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const LEVELS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/** A horizontal bar: `value` of `most` in `width` columns. A value above 0 shows at least a sliver. */
export function formatBar(value: number, most: number, width: number): string {
  if (!(value > 0) || !(most > 0)) return "";
  const eighths = Math.max(1, Math.round(Math.min(1, value / most) * width * 8));
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
}

const NOTHING = "·";

/** One character for each value, as high as the value; a dot for 0. */
export function formatSparkline(values: readonly number[]): string {
  const most = Math.max(0, ...values);
  return values
    .map((value) => (value > 0 ? (LEVELS[Math.min(7, Math.floor((value / most) * 8))] ?? "") : NOTHING))
    .join("");
}
