/**
 * One line of the result: a ratio to a peer, and whether that reaches its target.
 *
 * @typedef {object} Row
 * @property {string} what
 * @property {string} peer What it is compared with
 * @property {number | null} theirs Null when the peer is not installed
 * @property {number} own
 * @property {"ms" | "MB" | "us" | "%" | "watches"} unit `%` of one core
 * @property {number | null} ratio
 * @property {number | null} target Null for a row without a target
 * @property {"atLeast" | "atMost"} sense
 * @property {boolean | null} reached
 */

/**
 * The peer's figure divided by ours: more is better.
 * @param {string} what @param {{ name: string, value: number | null }} peer @param {number} own
 * @param {number | null} target @param {Row["unit"]} [unit]
 * @returns {Row}
 */
export function timesLess(what, peer, own, target, unit = "ms") {
  const ratio = peer.value === null ? null : peer.value / own;
  return row({ what, peer: peer.name, theirs: peer.value, own, unit, ratio, target, sense: "atLeast" });
}

/**
 * Our figure divided by the peer's: less is better.
 * @param {string} what @param {{ name: string, value: number | null }} peer @param {number} own
 * @param {number | null} target @param {Row["unit"]} [unit]
 * @returns {Row}
 */
export function timesAsMuch(what, peer, own, target, unit = "ms") {
  const ratio = peer.value === null ? null : own / peer.value;
  return row({ what, peer: peer.name, theirs: peer.value, own, unit, ratio, target, sense: "atMost" });
}

/** @param {Omit<Row, "reached">} facts @returns {Row} */
function row(facts) {
  const { ratio, target, sense } = facts;
  const known = ratio !== null && target !== null;
  return { ...facts, reached: known ? (sense === "atLeast" ? ratio >= target : ratio <= target) : null };
}

/** @param {Row[]} rows */
export function asMarkdown(rows) {
  const lines = rows.map(
    (each) =>
      `| ${each.what} | ${each.peer}: ${shown(each.theirs, each.unit)} | ${shown(each.own, each.unit)} | ${ratioOf(each)} | ${targetOf(each)} |`,
  );
  return [
    "| what | compared with | ours | ratio | target |",
    "| --- | --- | ---: | ---: | --- |",
    ...lines,
  ].join("\n");
}

/** @param {number | null} value @param {string} unit */
function shown(value, unit) {
  if (value === null) return "not installed";
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
  return `${value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

/** @param {Row} row */
function ratioOf({ ratio }) {
  if (ratio === null) return "";
  return ratio >= 10 ? `${Math.round(ratio).toLocaleString("en-US")}x` : `${ratio.toFixed(2)}x`;
}

/** @param {Row} row */
function targetOf({ target, sense, reached }) {
  if (target === null) return "";
  const sign = sense === "atLeast" ? ">=" : "<=";
  const verdict = reached === null ? "not measured" : reached ? "reached" : "**missed**";
  return `${sign} ${target.toLocaleString("en-US")}x: ${verdict}`;
}
