import { connect, type Database, type Statement } from "./native.ts";

/** What the full text does with a character: ends a word at it, passes over it within a word, or takes it for a letter. */
export type Lesson = "separator" | "passed over" | { letter: number };

/** Letters that stand at both sides of a character that is asked about. */
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

  /** What becomes of characters, in their order, by their code points; 3 us each. */
  about(codes: readonly number[]): Lesson[] {
    const text = codes.map((code) => BEFORE + String.fromCodePoint(code) + AFTER).join(" ");
    this.#database.transaction(() => {
      this.#empty.run();
      this.#insert.run(text);
    })();
    // At a separator there are two words, of which the second says nothing.
    return (this.#words.all() as string[]).filter((word) => word !== AFTER).map(lessonOf);
  }

  close(): void {
    this.#database.close();
  }
}

function lessonOf(word: string): Lesson {
  if (word === BEFORE) return "separator";
  if (word === BEFORE + AFTER) return "passed over";
  return { letter: word.codePointAt(BEFORE.length) ?? 0 };
}
