#!/usr/bin/env node
import { indexedText, textsToIndex } from "../../build/src/format/indexed-text.js";
import { parseLine } from "../../build/src/format/parse.js";
import { textPlaces } from "../../build/src/format/tape/line-texts.js";
import { Tape } from "../../build/src/format/tape/tape.js";
// From lines to an inverted index, in one run: by FTS5, and by src/sync/full-text/segments/, from texts that were
// parsed and from texts where they stand. CPU time of all threads, because garbage of parsing is collected by others,
// too.
import { connect } from "../../build/src/store/native.js";
import { Alphabet } from "../../build/src/sync/full-text/segments/letters.js";
import { RunBuilder } from "../../build/src/sync/full-text/segments/run-builder.js";
import { corpusLines, cpuOf } from "./corpus-lines.mjs";
import { assertEqual, inTurn, median } from "./measure.mjs";
import { asMarkdown, timesLess } from "./rows.mjs";

const ROUNDS = 5;
const DEFINITION = `CREATE VIRTUAL TABLE entry_text USING fts5(
  text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2')`;
/** How many bytes a run gets. */
const ENOUGH = 4 * 1024 * 1024;

/** A full text in memory. @param {Buffer[]} lines */
function inserted(lines) {
  const database = connect(":memory:", {});
  database.exec(`${DEFINITION};
    INSERT INTO entry_text (entry_text, rank) VALUES ('automerge', 0);
    INSERT INTO entry_text (entry_text, rank) VALUES ('hashsize', 2097152)`);
  const insert = database.prepare("INSERT INTO entry_text (rowid, text) VALUES (?, ?)");
  const insertAll = database.transaction(() => {
    for (const [key, line] of lines.entries()) {
      const parsed = parseLine(line);
      const text = parsed.kind === "entry" ? indexedText(parsed.entry) : null;
      if (text !== null) insert.run(key, text);
    }
  });
  insertAll();
  return database;
}

/** @param {import("better-sqlite3").Database} database */
function wordsIn(database) {
  database.exec("CREATE VIRTUAL TABLE words USING fts5vocab('entry_text', 'row')");
  return Number(database.prepare("SELECT total(cnt) FROM words").pluck().get());
}

const alphabet = new Alphabet(DEFINITION);
const memory = new Uint8Array(4 * ENOUGH);

/** @param {Buffer[]} lines @param {(builder: RunBuilder, key: number, line: Buffer) => void} add */
function built(lines, add) {
  const builder = new RunBuilder(alphabet);
  let words = 0;
  const finish = () => {
    for (const count of builder.finish(memory).counts.words) words += count;
  };
  for (const [key, line] of lines.entries()) {
    add(builder, key, line);
    if (builder.size >= ENOUGH) finish();
  }
  finish();
  return words;
}

/** @type {Parameters<typeof built>[1]} */
function addParsed(builder, key, line) {
  const parsed = parseLine(line);
  const texts = parsed.kind === "entry" ? textsToIndex(parsed.entry) : [];
  if (texts.length > 0) builder.add(key, texts);
}

const tape = new Tape();

/** @type {Parameters<typeof built>[1]} */
function addPlaced(builder, key, line) {
  const { lines } = builder;
  const places = line.copy(lines) === line.length && tape.scan(line) ? textPlaces(tape) : null;
  if (places === null) addParsed(builder, key, line);
  else if (places.length > 0) builder.addLine(key, { line: lines.subarray(0, line.length), tape, places });
}

const rows = [];
for (const { what, lines } of corpusLines("cut-words")) {
  const database = inserted(lines);
  const words = wordsIn(database);
  database.close();
  const results = await inTurn(
    {
      inserted: () => cpuOf(() => inserted(lines).close()),
      parsed: () => cpuOf(() => built(lines, addParsed)),
      placed: () => cpuOf(() => built(lines, addPlaced)),
    },
    ROUNDS,
  );
  for (const side of [results.parsed, results.placed]) assertEqual(`${what}, words`, side[0]?.value, words);
  const [ofFts5, parsed, placed] = Object.values(results).map((all) => median(all.map(({ ms }) => ms)));
  rows.push(timesLess(what, { name: "parsed and inserted into FTS5", value: ofFts5 }, placed, null));
  rows.push(timesLess(what, { name: "parsed", value: parsed }, placed, null));
}
alphabet.close();
console.log(asMarkdown(rows));
