import { CODE_WORDS, COMMON_WORDS, FOLDERS, HAN, KANA } from "./word-lists.mjs";

/** @typedef {import("./random.mjs").Random} Random */

/** The upper 20 bits of a random number choose the word. */
const CHOICES = 1 << 20;

/**
 * Of 16 words, so many are repeated from the last words of this text, and so many more from those of this session:
 * people name the things they work on again and again. In a real session, a word in a tool output of 2 KB occurs there
 * 2.4 times, and one of the first 50,000 words 18 times; in programs and documents cut to 2 KB it is 2.2 to 2.8 times.
 * Here it is 2.1 and 16 times (`timesEachWord` in `stats.mjs`); it was 1.4 and 4.7 when each word was drawn from all.
 */
const FROM_TEXT = 11;
const FROM_SESSION = 2;
/** From how many words back those of a text and those of a session are repeated; powers of 2. */
const TEXT = 1 << 6;
const SESSION = 1 << 11;

/** Words as bytes, ready to be copied: drawn by their Zipf frequency, or repeated from those drawn before. */
export class Sampler {
  /** The words drawn last, as a ring buffer. */
  #past = new Uint16Array(SESSION);
  #drawn = 0;

  /** @param {readonly string[]} words the most frequent first, at most 65,536, JSON-safe as they stand */
  constructor(words) {
    const blobs = words.map((word) => Buffer.from(word));
    this.blob = new Uint8Array(Buffer.concat(blobs));
    this.start = new Uint32Array(words.length + 1);
    for (const [index, blob] of blobs.entries())
      this.start[index + 1] = (this.start[index] ?? 0) + blob.length;
    this.table = zipfTable(words.length);
  }

  /**
   * Writes one word and returns the new end; there must be room.
   * @param {Random} random
   * @param {Uint8Array} bytes
   * @param {number} at
   */
  put(random, bytes, at) {
    const word = this.#draw(random.next());
    const end = this.start[word + 1] ?? 0;
    for (let from = this.start[word] ?? 0; from < end; from++) bytes[at++] = this.blob[from] ?? 0;
    return at;
  }

  /** @param {number} number of 32 random bits */
  #draw(number) {
    const back = number >>> 4;
    let word = this.table[number >>> 12] ?? 0;
    const kind = number & 15;
    if (kind < FROM_TEXT) word = this.#before(back & (TEXT - 1));
    else if (kind < FROM_TEXT + FROM_SESSION) word = this.#before(back & (SESSION - 1));
    this.#past[this.#drawn++ & (SESSION - 1)] = word;
    return word;
  }

  /** @param {number} back */
  #before(back) {
    return this.#past[(this.#drawn - 1 - back) & (SESSION - 1)] ?? 0;
  }

  /** @param {Random} random */
  string(random) {
    const bytes = Buffer.alloc(256);
    return bytes.toString("utf8", 0, this.put(random, bytes, 0));
  }
}

/**
 * All words of a corpus.
 * @param {Random} random
 */
export function makeVocabulary(random) {
  const names = identifiers(random, 25_000);
  return {
    prose: new Sampler([...COMMON_WORDS, ...mixed(CODE_WORDS, inventedWords(random, 40_000))]),
    names: new Sampler(names),
    paths: new Sampler(paths(random, 8_000)),
    numbers: new Sampler(Array.from({ length: 4_000 }, (_, number) => String(number))),
    hashes: new Sampler(distinct(60_000, () => random.hex(7))),
    han: new Sampler(runs(random, [...HAN], 4_000)),
    kana: new Sampler(runs(random, [...HAN, ...KANA, ...KANA], 4_000)),
  };
}

/** @param {number} count */
function zipfTable(count) {
  const table = new Uint16Array(CHOICES);
  const weight = (/** @type {number} */ rank) => 1 / (rank + 2.7);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) sum += weight(rank);
  let reached = 0;
  let filled = 0;
  for (let rank = 0; rank < count; rank++) {
    reached += weight(rank) / sum;
    const end = Math.min(CHOICES, Math.round(reached * CHOICES));
    table.fill(rank, filled, end);
    filled = end;
  }
  return table;
}

const ONSETS = [
  "b",
  "br",
  "c",
  "ch",
  "d",
  "dr",
  "f",
  "g",
  "gr",
  "h",
  "j",
  "k",
  "l",
  "m",
  "n",
  "p",
  "pl",
  "qu",
];
ONSETS.push("r", "s", "sh", "st", "t", "th", "tr", "v", "w", "z");
const VOWELS = ["a", "e", "i", "o", "u", "ai", "ea", "io", "ou"];
const CODAS = ["", "", "", "n", "r", "s", "t", "l", "m", "nd", "st", "ck", "ng", "x"];

/**
 * @param {Random} random
 * @param {number} count
 */
function inventedWords(random, count) {
  const syllable = () => random.pick(ONSETS) + random.pick(VOWELS) + random.pick(CODAS);
  return distinct(count, () => Array.from({ length: 1 + random.below(3) }, syllable).join(""));
}

/**
 * @param {Random} random
 * @param {number} count
 */
function identifiers(random, count) {
  const word = () => random.pick(CODE_WORDS);
  const capital = () => word().replace(/^./, (letter) => letter.toUpperCase());
  return distinct(count, () => {
    const parts = Array.from({ length: 1 + random.below(3) }, capital);
    const style = random.unit();
    if (style < 0.6) return word() + parts.join("");
    if (style < 0.8) return [word(), ...parts].join("_").toLowerCase();
    return style < 0.95 ? capital() + parts.join("") : [word(), ...parts].join("_").toUpperCase();
  });
}

/**
 * @param {Random} random
 * @param {number} count
 */
function paths(random, count) {
  const extensions = ["ts", "ts", "ts", "tsx", "md", "json", "py", "rs", "go", "css", "sql", "test.ts"];
  return distinct(count, () => {
    const folders = Array.from({ length: 1 + random.below(3) }, () => random.pick(FOLDERS));
    const name = `${random.pick(CODE_WORDS)}-${random.pick(CODE_WORDS)}`;
    return `${folders.join("/")}/${name}.${random.pick(extensions)}`;
  });
}

/**
 * Words of one to four characters, as in Chinese and Japanese.
 * @param {Random} random
 * @param {string[]} characters
 * @param {number} count
 */
function runs(random, characters, count) {
  return distinct(count, () =>
    Array.from({ length: 1 + random.below(4) }, () => random.pick(characters)).join(""),
  );
}

/**
 * @param {number} count
 * @param {() => string} make
 */
function distinct(count, make) {
  const made = new Set();
  while (made.size < count) made.add(make());
  return /** @type {string[]} */ ([...made]);
}

/**
 * The first list spread over the beginning of the second: after each of its words come three of the second.
 * @param {readonly string[]} few
 * @param {string[]} many
 */
function mixed(few, many) {
  const known = new Set([...few, ...COMMON_WORDS]);
  const others = many.filter((word) => !known.has(word));
  const head = few.flatMap((word, index) => [word, ...others.slice(3 * index, 3 * index + 3)]);
  return [...head, ...others.slice(3 * few.length)];
}
