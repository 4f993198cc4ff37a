import { CODE_WORDS } from "./word-lists.mjs";

/** @typedef {import("./random.mjs").Random} Random */
/** @typedef {import("./session.mjs").Plan} Plan */

/**
 * @typedef {object} CorpusShape
 * @property {number} sessions
 * @property {number} projects
 * @property {number} bytes
 * @property {number} median of the files' lengths
 * @property {number} largest
 * @property {number} bytesPerLine
 * @property {number} forks share of the sessions
 * @property {number} [entries] exactly, for a corpus of one session, compacted at 97 % of them
 * @property {number} quick the scale of `--quick`
 */

/** The corpora that measurements name. @type {Record<"M" | "L" | "B100", CorpusShape>} */
export const CORPORA = {
  M: {
    sessions: 3000,
    projects: 1000,
    bytes: 630e6,
    median: 97e3,
    largest: 26e6,
    bytesPerLine: 2300,
    forks: 0.05,
    quick: 0.02,
  },
  L: {
    sessions: 20_000,
    projects: 5000,
    bytes: 217e6,
    median: 6e3,
    largest: 1.5e6,
    bytesPerLine: 2300,
    forks: 0.05,
    quick: 0.02,
  },
  B100: {
    sessions: 1,
    projects: 1,
    bytes: 100e6,
    median: 100e6,
    largest: 100e6,
    bytesPerLine: 5000,
    forks: 0,
    entries: 20_000,
    quick: 0.05,
  },
};

const FIRST_DAY = Date.UTC(2025, 0, 6);
const DAYS = 300;
const DAY = 86_400_000;

/**
 * The corpus with `scale` times the sessions, projects and bytes; files keep their usual length.
 * @param {CorpusShape} shape
 * @param {number} scale
 * @returns {CorpusShape}
 */
export function scaled(shape, scale) {
  const { sessions, projects, bytes, median, largest, entries } = shape;
  const atLeastOne = (/** @type {number} */ count) => Math.max(1, Math.round(count * scale));
  if (entries !== undefined) return { ...shape, bytes: bytes * scale, entries: atLeastOne(entries) };
  return {
    ...shape,
    sessions: atLeastOne(sessions),
    projects: atLeastOne(projects),
    bytes: bytes * scale,
    largest: Math.min(largest, Math.max(largest * scale, 8 * median)),
  };
}

/**
 * The plans of all sessions, in the order of their times.
 * @param {Random} random
 * @param {CorpusShape} shape
 * @returns {Plan[]}
 */
export function planSessions(random, shape) {
  const { sessions, projects, entries } = shape;
  const sizes = entries === undefined ? random.shuffle(fileSizes(shape)) : [shape.bytes];
  const folders = projectFolders(random, projects);
  // Every project has at least one session, some have many.
  const chosen = Array.from({ length: sessions }, (_, n) =>
    n < projects ? n : Math.floor(projects * random.unit() ** 3),
  );
  random.shuffle(chosen);
  const compactAfter = entries === undefined ? undefined : Math.floor(entries * 0.97);
  return sizes.map((bytes, n) => {
    const time = FIRST_DAY + Math.floor(((n + random.unit()) / sessions) * DAYS * DAY);
    const cwd = folders[chosen[n] ?? 0] ?? "/";
    return { id: uuidAt(random, time), cwd, time, bytes, ...(entries ? { entries, compactAfter } : {}) };
  });
}

/**
 * Log-normal lengths around the median, with a tail that climbs to the largest, adding up to the total.
 * @param {CorpusShape} shape
 */
function fileSizes({ sessions, bytes, median, largest }) {
  let [low, high] = [0.05, 4];
  for (let step = 0; step < 50; step++) {
    const spread = (low + high) / 2;
    if (sum(sizesFor(spread)) > bytes) high = spread;
    else low = spread;
  }
  return sizesFor(low);

  /** @param {number} spread */
  function sizesFor(spread) {
    const sizes = new Float64Array(sessions);
    for (let n = 0; n < sessions; n++) {
      sizes[n] = Math.min(
        largest,
        Math.max(700, median * Math.exp(spread * normalQuantile((n + 0.5) / sessions))),
      );
    }
    const tail = Math.ceil(sessions * 0.004);
    const foot = sizes[sessions - tail - 1] ?? median;
    for (let n = 1; n <= tail; n++) sizes[sessions - tail + n - 1] = foot * (largest / foot) ** (n / tail);
    return [...sizes];
  }
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((sofar, number) => sofar + number, 0);
}

/**
 * The place that has this share of the normal distribution to its left, to three digits (Abramowitz and Stegun
 * 26.2.23).
 * @param {number} share between 0 and 1
 * @returns {number}
 */
function normalQuantile(share) {
  if (share > 0.5) return -normalQuantile(1 - share);
  const t = Math.sqrt(-2 * Math.log(share));
  const above = 2.515517 + t * (0.802853 + t * 0.010328);
  return above / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
}

/**
 * @param {Random} random
 * @param {number} count
 */
function projectFolders(random, count) {
  const owners = ["/home/ada/work", "/home/ada/src", "/home/ada", "/Users/ada/code"];
  const name = (/** @type {number} */ n) => `${random.pick(CODE_WORDS)}-${random.pick(CODE_WORDS)}-${n}`;
  return Array.from({ length: count }, (_, n) => `${random.pick(owners)}/${name(n)}`);
}

/**
 * A version 7 UUID of this moment.
 * @param {Random} random
 * @param {number} time
 */
function uuidAt(random, time) {
  const clock = time.toString(16).padStart(12, "0");
  const variant = random.pick(["8", "9", "a", "b"]);
  const tail = `7${random.hex(3)}-${variant}${random.hex(3)}-${random.hex(8)}${random.hex(4)}`;
  return `${clock.slice(0, 8)}-${clock.slice(8)}-${tail}`;
}
