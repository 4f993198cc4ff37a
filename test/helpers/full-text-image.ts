import { spaced } from "../../src/format/words.ts";
import { connect, type Database } from "../../src/store/native.ts";
import { addSegment } from "../../src/sync/full-text/segments/add-segment.ts";
import { Alphabet } from "../../src/sync/full-text/segments/letters.ts";
import { RunBuilder } from "../../src/sync/full-text/segments/run-builder.ts";
import { RunReader } from "../../src/sync/full-text/segments/run-reader.ts";
import { ShadowTables, type WordCounts } from "../../src/sync/full-text/segments/shadow-tables.ts";

/** The full text as the migration creates it. */
export const DEFINITION = `CREATE VIRTUAL TABLE entry_text USING fts5(
  text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2')`;

/** Texts by their keys, in ascending order. */
export type Texts = readonly (readonly [key: number, text: string])[];

/** All that FTS5 keeps, with the types of values in columns without a type. */
const TABLES = [
  "SELECT id, typeof(id), hex(block), typeof(block) FROM entry_text_data ORDER BY id",
  `SELECT segid, hex(term), pgno, typeof(segid) || typeof(term) || typeof(pgno)
     FROM entry_text_idx ORDER BY segid, term`,
  "SELECT id, hex(sz), origin, typeof(id) || typeof(sz) || typeof(origin) FROM entry_text_docsize ORDER BY id",
];

export function imageOf(database: Database): unknown[][] {
  return TABLES.map((table) => database.prepare(table).raw().all());
}

/** An empty full text in memory that merges nothing by itself, and writes each transaction as one segment. */
export function emptyFullText(pageBytes = 4050): Database {
  const database = connect(":memory:", {});
  database.exec(DEFINITION);
  setOptions(database, { pgsz: pageBytes, automerge: 0, crisismerge: 1999, hashsize: 2 ** 30 });
  return database;
}

/** Sets options of FTS5, which takes them as literals only. */
export function setOptions(database: Database, options: Record<string, number>): void {
  for (const [name, value] of Object.entries(options)) {
    database.exec(`INSERT INTO entry_text (entry_text, rank) VALUES ('${name}', ${value})`);
  }
}

/** Inserts texts through FTS5, in one transaction, respelt as this program does it. */
export function insertTexts(database: Database, texts: Texts): void {
  const insert = database.prepare("INSERT INTO entry_text (rowid, text) VALUES (?, ?)");
  database.transaction(() => {
    for (const [key, text] of texts) insert.run(key, spaced(text));
  })();
}

/** Made once for all tests of a file. */
let alphabet: Alphabet | undefined;

export function theAlphabet(): Alphabet {
  alphabet ??= new Alphabet(DEFINITION);
  return alphabet;
}

/** Inserts texts as this program does: as one segment, of runs that end at the places in `cuts`. */
export function buildTexts(database: Database, texts: Texts, cuts: readonly number[] = []): void {
  const builder = new RunBuilder(theAlphabet());
  const built: [RunReader, WordCounts][] = [];
  for (const [at, [key, text]] of texts.entries()) {
    if (!builder.add(key, [text])) throw new Error(`no room for text ${at}`);
    if (cuts.includes(at + 1) || at + 1 === texts.length) built.push(finishRun(builder));
  }
  addRuns(database, built);
}

function finishRun(builder: RunBuilder): [RunReader, WordCounts] {
  const memory = new Uint8Array(builder.size);
  const { end, counts } = builder.finish(memory);
  return [new RunReader(memory, end, counts.firstKey), counts];
}

function addRuns(database: Database, built: readonly [RunReader, WordCounts][]): void {
  database.unsafeMode(true);
  const tables = new ShadowTables(database);
  const structure = tables.structure();
  if (structure === null) throw new Error("the structure cannot be read");
  const texts = { runs: built.map(([run]) => run), counts: built.map(([, counts]) => counts) };
  database.transaction(() => addSegment(tables, structure, texts, () => true))();
  database.unsafeMode(false);
}
