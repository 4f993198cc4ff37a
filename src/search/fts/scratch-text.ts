import { type Database, loadSqlite } from "../../store/native.ts";
import { prepared } from "../../store/statements.ts";

const DEFINITION = "SELECT sql FROM search.sqlite_schema WHERE name = 'entry_text'";

/** A full text of a few entries, in memory, that cuts texts into words as that of the index does. */
export class ScratchText {
  readonly #database: Database;

  /** @param reader the connection that sees the full text as `search.entry_text` */
  constructor(reader: Database) {
    this.#database = new (loadSqlite())(":memory:");
    this.#database.exec(String(prepared(reader, DEFINITION).pluck().get()));
  }

  /** Holds these texts, in UTF-8, from now on, and no others. */
  fill(texts: ReadonlyMap<number, Buffer>): void {
    const insert = this.#database.prepare("INSERT INTO entry_text (rowid, text) VALUES (?, ?)");
    this.#database.transaction(() => {
      this.#database.exec("INSERT INTO entry_text (entry_text) VALUES ('delete-all')");
      for (const [key, text] of texts) insert.run(key, text);
    })();
  }

  /** How many words each text is made of, as the full text's own table `entry_text_docsize` has it, in hexadecimal. */
  sizes(): Map<number, string> {
    const rows = prepared(this.#database, "SELECT id, hex(sz) FROM entry_text_docsize").raw().all();
    return new Map(rows as [number, string][]);
  }

  /** All words of the texts, each once, as the full text has them. */
  words(): string[] {
    this.#database.exec("CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5vocab(entry_text, 'row')");
    return prepared(this.#database, "SELECT term FROM words").pluck().all() as string[];
  }

  /** The keys of the texts that an expression of the full text's own language matches. */
  keysOf(expression: string): Set<number> {
    const sql = "SELECT rowid FROM entry_text WHERE entry_text MATCH ?";
    return new Set(prepared(this.#database, sql).pluck().all(expression) as number[]);
  }

  close(): void {
    this.#database.close();
  }
}
