import { type Lesson, LetterLessons } from "../../../db/letter-lessons.ts";

/** What `Letters.becomes` gives for a character that ends a word. */
export const SEPARATOR = -1;
/** And for one that is left out within a word, and begins none. */
export const PASSED_OVER = -2;

const UNKNOWN = 0;
const CODES = 0x110000;

/** Characters that are asked about at once: those beside one that is used are often used as well. */
const LESSON = 128;

const [FIRST_SURROGATE, LAST_SURROGATE] = [0xd800, 0xdfff];

/** What the full text makes of characters beyond ASCII, learnt from SQLite when they are first met. */
export class Letters {
  readonly #lessons: LetterLessons;
  /** By code point; 4 MB, of which few are ever touched. */
  readonly #known = new Int32Array(CODES);

  /** @param definition the statement that made the full text, with its tokenizer */
  constructor(definition: string) {
    this.#lessons = new LetterLessons(definition);
  }

  /** The code point of the letter a character becomes, or `SEPARATOR` or `PASSED_OVER`. */
  becomes(code: number): number {
    const known = this.#known[code] ?? SEPARATOR;
    return known === UNKNOWN ? this.#learn(code) : known;
  }

  close(): void {
    this.#lessons.close();
  }

  #learn(code: number): number {
    const first = code - (code % LESSON);
    const codes = Array.from({ length: LESSON }, (_, at) => first + at).filter(isCharacter);
    const lessons = this.#lessons.about(codes);
    for (const [at, lesson] of lessons.entries()) this.#known[codes[at] ?? 0] = numberOf(lesson);
    return this.#known[code] ?? SEPARATOR;
  }
}

function isCharacter(code: number): boolean {
  return code < FIRST_SURROGATE || code > LAST_SURROGATE;
}

function numberOf(lesson: Lesson): number {
  switch (lesson) {
    case "separator":
      return SEPARATOR;
    case "passed over":
      return PASSED_OVER;
    default:
      return lesson.letter;
  }
}
