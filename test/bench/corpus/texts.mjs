/** @typedef {import("./random.mjs").Random} Random */
/** @typedef {import("./out.mjs").Out} Out */
/** @typedef {import("./vocabulary.mjs").Sampler} Sampler */
/** @typedef {ReturnType<typeof import("./vocabulary.mjs").makeVocabulary>} Vocabulary */
/** @typedef {"en" | "zh" | "ja"} Language */

/** Room that one sentence or line needs beyond the length asked for. */
const MARGIN = 2048;
const SPACE = 0x20;

/**
 * The kind of word for which a letter in the patterns below stands, by the letter's byte.
 * @type {(keyof Vocabulary | undefined)[]}
 */
const KINDS = [];
for (const [letter, kind] of /** @type {const} */ ([
  ["N", "names"],
  ["P", "paths"],
  ["W", "prose"],
  ["#", "numbers"],
  ["@", "hashes"],
])) {
  KINDS[letter.charCodeAt(0)] = kind;
}

/**
 * Lines of programs and tool output. `N` stands for a name, `P` for a path, `W` for a word, `#` for a number, `@` for a
 * hash; the rest stays as it is. The lines are written inside a JSON string, so newlines and quotes are escaped.
 */
const CODE = lines(
  "const ~N~ = await ~N~.~N~(~N~, ~#~);",
  "  if (~N~ === undefined) return ~N~;",
  "  for (const ~N~ of ~N~.~N~()) ~N~.push(~N~);",
  "import { ~N~, ~N~ } from '../~P~';",
  "    throw new Error('~W~ ~W~ ~W~: ' + ~N~);",
  "  // ~W~ ~W~ ~W~ ~W~ ~W~ ~W~ ~W~",
  "  return { ~N~, ~N~: ~N~.~N~ ?? ~#~ };",
  "export function ~N~(~N~: ~N~): ~N~ {",
  "}",
  "",
);
const OUTPUT = lines(
  "~P~:~#~:  const ~N~ = ~N~(~N~);",
  "~P~:~#~:  ~W~ ~W~ ~W~ ~N~",
  " ✓ ~P~ (~#~ tests) ~#~ms",
  "@~ fix(~W~): ~W~ ~W~ ~W~ ~W~",
  "-rw-r--r-- 1 ada ada ~#~ ~P~",
  "~#~ ~W~ ~W~ ~N~ ~@",
  "    at ~N~.~N~ (~P~:~#~:~#~)",
  "+  ~N~(~N~.~N~, ~#~);",
  "-  ~N~(~N~);",
);

/** Writes text of some kind and about some length into `out`, as the inside of a JSON string. */
export class Texts {
  /**
   * @param {Out} out
   * @param {Random} random
   * @param {Vocabulary} vocabulary
   */
  constructor(out, random, vocabulary) {
    this.out = out;
    this.random = random;
    this.vocabulary = vocabulary;
    this.base64 = base64Noise(random, 1 << 20);
  }

  /**
   * @param {number} length in bytes
   * @param {Language} language
   */
  prose(length, language) {
    const { out, random } = this;
    for (const end = out.total + length; out.total < end; ) {
      out.ensure(MARGIN);
      const foreign = language === "en" ? random.chance(0.01) : random.chance(0.7);
      if (foreign) this.#foreignSentence(language === "ja" ? this.vocabulary.kana : this.vocabulary.han);
      else this.#sentence(Math.min(end - out.total, 160));
      out.text(random.chance(0.1) ? "\\n\\n" : " ");
    }
  }

  /** @param {number} length in bytes */
  code(length) {
    this.#fill(CODE, length);
  }

  /**
   * Output of commands: matches, listings, test runs, logs, differences.
   * @param {number} length in bytes
   */
  output(length) {
    this.#fill(OUTPUT, length);
  }

  /**
   * Noise in base64, of exactly this length.
   * @param {number} length in bytes
   */
  noise(length) {
    for (let left = length; left > 0; ) {
      const part = Math.min(left, this.base64.length >> 1);
      const from = this.random.below(this.base64.length - part);
      this.out.copy(this.base64.subarray(from, from + part));
      left -= part;
    }
  }

  /** @param {number} length in bytes, at most 160 */
  #sentence(length) {
    const { out, random, vocabulary } = this;
    const bytes = out.bytes;
    let at = out.at;
    for (const end = at + length; ; bytes[at++] = SPACE) {
      const draw = random.next() & 127;
      if (draw > 5) at = vocabulary.prose.put(random, bytes, at);
      else at = (draw > 0 ? vocabulary.names : vocabulary.paths).put(random, bytes, at);
      if (at >= end) break;
    }
    out.at = at;
    out.text(".");
  }

  /** @param {Sampler} characters */
  #foreignSentence(characters) {
    const { out, random } = this;
    for (let left = 4 + random.below(12); left > 0; left--)
      out.at = characters.put(random, out.bytes, out.at);
    out.text("。");
  }

  /** A comment as found in programs from China and Japan. */
  #foreignLine() {
    this.out.text("// ");
    this.#foreignSentence(this.random.chance(0.5) ? this.vocabulary.kana : this.vocabulary.han);
    this.out.text("\\n");
  }

  /**
   * @param {Uint8Array[][]} patterns
   * @param {number} length
   */
  #fill(patterns, length) {
    for (const end = this.out.total + length; this.out.total < end; ) {
      this.out.ensure(MARGIN);
      if (this.random.chance(0.01)) this.#foreignLine();
      else for (const part of this.random.pick(patterns)) this.#part(part);
    }
  }

  /** @param {Uint8Array} part */
  #part(part) {
    const { out, random, vocabulary } = this;
    const kind = part.length === 1 ? KINDS[part[0] ?? 0] : undefined;
    if (kind !== undefined) out.at = vocabulary[kind].put(random, out.bytes, out.at);
    else for (let from = 0; from < part.length; from++) out.bytes[out.at++] = part[from] ?? 0;
  }
}

/**
 * Patterns cut at `~` into parts, each ending in an escaped newline.
 * @param {string[]} patterns
 */
function lines(...patterns) {
  return patterns.map((pattern) =>
    `${pattern}~\\n`.split("~").map((part) => new Uint8Array(Buffer.from(part))),
  );
}

/**
 * @param {Random} random
 * @param {number} length
 */
function base64Noise(random, length) {
  const words = Uint32Array.from({ length: Math.ceil((length * 3) / 16) }, () => random.next());
  return new Uint8Array(Buffer.from(Buffer.from(words.buffer).toString("base64").slice(0, length)));
}
