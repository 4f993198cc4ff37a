import { type Database, loadSqlite, type Statement } from "../../store/native.ts";

/** What may stand in a word: ASCII letters and digits, and of all others whatever the full text makes of them. */
const RUN = /[A-Za-z0-9\u0080-\uffff]+/g;
const FOREIGN = /[\u0080-\uffff]/;
/** In bytes; FTS5 cuts longer words off. */
const LONGEST = 32_768;
/** So many foreign runs are remembered, some 10 MB. */
const MOST_KNOWN = 50_000;

let cutter: FullTextCutter | undefined;

/**
 * The words of a text that is spelt for the full text (`tokenizer.ts`), in order, exactly as the full text has them. The full
 * text itself is asked about runs of other letters than ASCII, each once: so nobody has to know its tables. It takes a
 * tenth of the time of asking it about everything.
 */
export function fullTextWords(spelt: string): string[] {
  cutter ??= new FullTextCutter();
  const words: string[] = [];
  for (const [run] of spelt.matchAll(RUN)) {
    if (FOREIGN.test(run)) words.push(...cutter.wordsOf(run));
    else words.push(run.slice(0, LONGEST).toLowerCase());
  }
  return words;
}

/** A full text in memory that is only asked for its words. */
class FullTextCutter {
  readonly #database: Database;
  readonly #clear: Statement;
  readonly #insert: Statement;
  readonly #words: Statement;
  readonly #known = new Map<string, readonly string[]>();

  constructor() {
    this.#database = new (loadSqlite())(":memory:");
    this.#database.exec(`CREATE VIRTUAL TABLE entry_text USING fts5(text, content = '', contentless_delete = 1,
        tokenize = 'unicode61 remove_diacritics 2');
      CREATE VIRTUAL TABLE words USING fts5vocab('entry_text', 'instance')`);
    this.#clear = this.#database.prepare("INSERT INTO entry_text (entry_text) VALUES ('delete-all')");
    this.#insert = this.#database.prepare("INSERT INTO entry_text (rowid, text) VALUES (1, ?)");
    this.#words = this.#database.prepare('SELECT term FROM words ORDER BY "offset"').pluck();
  }

  wordsOf(run: string): readonly string[] {
    const known = this.#known.get(run);
    if (known !== undefined) return known;
    this.#clear.run();
    this.#insert.run(run);
    const words = this.#words.all() as string[];
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(run, words);
    return words;
  }
}
