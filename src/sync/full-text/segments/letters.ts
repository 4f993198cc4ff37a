import { type Lesson, LetterLessons } from "../../../db/letter-lessons.ts";
import { spacedAlone } from "../../../format/words.ts";

/** What `Letters.of` gives for a character that ends a word. */
export const SEPARATOR = -1;
/** For one that is left out within a word, and begins none. */
export const LEFT_OUT = -2;
/** For a character that cannot be spelt by itself: what stands beside it matters. */
export const SPECIAL = -3;

/** What it gives for a letter: in these bits its code point; further bits say that it is a word of its own, or was a capital. */
export const LETTER = 0x1fffff;
export const OWN_WORD = 0x200000;
export const CAPITAL = 0x400000;

const UNKNOWN = 0;
const CODES = 0x110000;

/** How many characters are asked about at once: where one is used, those near it in Unicode often are, too. */
const LESSON = 128;

const [FIRST_SURROGATE, LAST_SURROGATE] = [0xd800, 0xdfff];

/** How a character is spelt for the full text; null for one that depends on what stands beside it. */
export type Spell = (character: string) => string | null;

/** What the full text makes of characters, learnt from SQLite when they are first met. */
export class Letters {
  readonly #lessons: LetterLessons;
  readonly #spell: Spell;
  /** By code point; 4 MB, of which few are ever touched. */
  readonly #known = new Int32Array(CODES);

  constructor(lessons: LetterLessons, spell: Spell) {
    this.#lessons = lessons;
    this.#spell = spell;
  }

  /** What a character becomes, by its code point: `SEPARATOR`, `LEFT_OUT`, `SPECIAL`, or a letter. */
  of(code: number): number {
    const known = this.#known[code] ?? SEPARATOR;
    return known === UNKNOWN ? this.#learn(code) : known;
  }

  #learn(code: number): number {
    const first = code - (code % LESSON);
    const codes = Array.from({ length: LESSON }, (_, at) => first + at).filter(isCharacter);
    const spelt = codes.map((each) => this.#spell(String.fromCodePoint(each)));
    const lessons = this.#lessons.about(spelt.map((each) => each ?? "")).values();
    for (const [at, each] of codes.entries()) {
      const lesson: Lesson = lessons.next().value ?? { kind: "other" };
      const spelling = spelt[at] ?? null;
      this.#known[each] = spelling === null ? SPECIAL : numberOf(lesson, spelling);
    }
    return this.#known[code] ?? SPECIAL;
  }
}

/** What becomes of characters of texts as they were written, and as `spaced` has respelt them. */
export class Alphabet {
  readonly written: Letters;
  readonly respelt: Letters;
  readonly #lessons: LetterLessons;

  /** @param definition the statement that made the full text, with its tokenizer */
  constructor(definition: string) {
    this.#lessons = new LetterLessons(definition);
    this.written = new Letters(this.#lessons, spacedAlone);
    this.respelt = new Letters(this.#lessons, String);
  }

  close(): void {
    this.#lessons.close();
  }
}

function isCharacter(code: number): boolean {
  return code < FIRST_SURROGATE || code > LAST_SURROGATE;
}

function numberOf(lesson: Lesson, spelling: string): number {
  switch (lesson.kind) {
    case "separator":
      return SEPARATOR;
    case "left out":
      return LEFT_OUT;
    case "other":
      return SPECIAL;
    default: {
      const capital = /\p{Lu}/u.test(spelling) ? CAPITAL : 0;
      return lesson.code | capital | (lesson.kind === "word" ? OWN_WORD : 0);
    }
  }
}
