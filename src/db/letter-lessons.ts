import { connect, type Database, type Statement } from "../store/native.ts";

/**
 * What the full text makes of a character. `separator`: it ends a word. `left out`: it is left out within a word.
 * `letter`: it becomes this letter. `word`: it becomes a letter that is a word of its own. `other`: anything else.
 */
export type Lesson = { kind: "separator" | "left out" | "other" } | { kind: "letter" | "word"; code: number };

/** The letters that are put before and after the character that is asked about. */
const [BEFORE, AFTER] = ["x", "y"];

/**
 * Asks SQLite what its full text makes of characters, so that no table of Unicode need be kept, which might differ from
 * that of the SQLite in use.
 */
export class LetterLessons {
  readonly #database: Database;
  readonly #empty: Statement;
  readonly #insert: Statement;
  readonly #words: Statement;

  /** @param definition the statement that makes the table `entry_text` */
  constructor(definition: string) {
    this.#database = connect(":memory:", {});
    this.#database.exec(
      `${definition}; CREATE VIRTUAL TABLE words USING fts5vocab('entry_text', 'instance')`,
    );
    this.#empty = this.#database.prepare("INSERT INTO entry_text (entry_text) VALUES ('delete-all')");
    this.#insert = this.#database.prepare("INSERT INTO entry_text (rowid, text) VALUES (1, ?)");
    this.#words = this.#database.prepare("SELECT term FROM words ORDER BY offset").pluck();
  }

  /** What becomes of characters as they are spelt for the full text, in their order; 1 us each. */
  about(spelt: readonly string[]): Lesson[] {
    const text = spelt.map((each) => BEFORE + each + AFTER).join(" ");
    this.#database.transaction(() => {
      this.#empty.run();
      this.#insert.run(text);
    })();
    const words = (this.#words.all() as string[]).values();
    return spelt.map(() => nextLesson(words));
  }

  close(): void {
    this.#database.close();
  }
}

/** Reads one word that holds both letters, or the words from that with `BEFORE` to that with `AFTER`. */
function nextLesson(words: Iterator<string>): Lesson {
  const first = nextOf(words);
  if (first !== BEFORE) return lessonOf(first.slice(BEFORE.length, -AFTER.length), "letter", "left out");
  const own: string[] = [];
  for (let word = nextOf(words); word !== AFTER; word = nextOf(words)) own.push(word);
  return own.length > 1 ? { kind: "other" } : lessonOf(own[0] ?? "", "word", "separator");
}

function lessonOf(found: string, one: "letter" | "word", none: "left out" | "separator"): Lesson {
  const [character, ...others] = found;
  if (character === undefined) return { kind: none };
  return others.length > 0 ? { kind: "other" } : { kind: one, code: character.codePointAt(0) ?? 0 };
}

function nextOf(words: Iterator<string>): string {
  const next = words.next();
  return next.done ? AFTER : next.value;
}
