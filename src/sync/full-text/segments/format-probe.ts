import { isSqliteError } from "../../../errors.ts";
import { spaced } from "../../../format/words.ts";
import { connect, type Database } from "../../../store/native.ts";
import { addSegment } from "./add-segment.ts";
import { isInverterThere } from "./inverter.ts";
import { Alphabet } from "./letters.ts";
import { RunBuilder } from "./run-builder.ts";
import { RunReader } from "./run-reader.ts";
import { ShadowTables, type WordCounts } from "./shadow-tables.ts";

/** So small that a list of a few hundred entries spans pages, and has an index. Bytes. */
const PAGE_BYTES = 256;

/** Numbers in literals only: an option that is bound fails. */
const OPTIONS = `INSERT INTO entry_text (entry_text, rank) VALUES ('pgsz', ${PAGE_BYTES});
  INSERT INTO entry_text (entry_text, rank) VALUES ('automerge', 0)`;

/** All that FTS5 keeps of a full text. */
const TABLES = [
  "SELECT id, hex(block) FROM entry_text_data ORDER BY id",
  "SELECT segid, hex(term), pgno FROM entry_text_idx ORDER BY segid, term",
  "SELECT id, hex(sz), origin FROM entry_text_docsize ORDER BY id",
];

/** Texts with an example of everything that is written in a way of its own. */
function someTexts(): Map<number, string> {
  const texts = [
    "",
    "Plain words, and plain again; CONSTANT snake_case fooBar x86_64",
    "Größe café ÉTAT e\u0301 \u0301x ﬁ ß ø đ 天 气 Привет γεια \u{f0940} \ue000 — → ─┐ ½ ٣",
    `${"long".repeat(300)} ${"é".repeat(200)} ${"nearly".repeat(2)}`,
    `first ${"often ".repeat(300)} ${Array.from({ length: 200 }, (_, at) => `w${at}`).join(" ")} first`,
  ];
  const many = Array.from(
    { length: 600 },
    (_, at) => `everywhere n${at % 7} ${"everywhere ".repeat(at % 3)}`,
  );
  return new Map([...texts, ...many].map((text, at) => [3 + at + 20_000 * Math.floor(at / 90), text]));
}

/**
 * Whether the SQLite in use writes a full text as this program does, byte for byte: tried with a few texts, in 20 ms. Not
 * where this program cannot write one.
 *
 * @param definition the statement that made the full text
 */
export function isFormatKnown(definition: string): boolean {
  if (!isInverterThere()) return false;
  const texts = someTexts();
  try {
    const inserted = imageOf(definition, (database) => insertAll(database, texts));
    return inserted === imageOf(definition, (database) => buildAll(database, definition, texts));
  } catch (error) {
    // Tables or columns that are not there.
    if (isSqliteError(error)) return false;
    throw error;
  }
}

/** All that is kept of a full text in memory after it was filled. */
function imageOf(definition: string, fill: (database: Database) => void): string {
  const database = connect(":memory:", {});
  try {
    database.exec(`${definition}; ${OPTIONS}`);
    fill(database);
    return JSON.stringify(TABLES.map((table) => database.prepare(table).raw().all()));
  } finally {
    database.close();
  }
}

function insertAll(database: Database, texts: ReadonlyMap<number, string>): void {
  const insert = database.prepare("INSERT INTO entry_text (rowid, text) VALUES (?, ?)");
  database.transaction(() => {
    for (const [key, text] of texts) insert.run(key, spaced(text));
  })();
}

/** Adds the texts as this program does: two runs, merged into one segment. */
function buildAll(database: Database, definition: string, texts: ReadonlyMap<number, string>): void {
  const alphabet = new Alphabet(definition);
  try {
    const builder = new RunBuilder(alphabet);
    const all = [...texts];
    const half = all.length / 2;
    const runs = [all.slice(0, half), all.slice(half)].map((some) => runOf(builder, some));
    addRuns(database, runs);
  } finally {
    alphabet.close();
  }
}

function runOf(builder: RunBuilder, texts: readonly [key: number, text: string][]): [RunReader, WordCounts] {
  for (const [key, text] of texts) builder.add(key, [text]);
  const memory = new Uint8Array(builder.size);
  const { end, counts } = builder.finish(memory);
  return [new RunReader(memory, end, counts.firstKey), counts];
}

function addRuns(database: Database, runs: readonly [RunReader, WordCounts][]): void {
  database.unsafeMode(true);
  const tables = new ShadowTables(database);
  const structure = tables.structure();
  if (structure === null) return;
  const texts = { runs: runs.map(([run]) => run), counts: runs.map(([, counts]) => counts) };
  database.transaction(() => addSegment(tables, structure, texts, () => true))();
}
