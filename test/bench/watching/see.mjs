// A process that asks the index again and again, as `--no-sync` does, by a connection that only reads. It notes when
// each entry's row was there for the first time, and when the word that only this entry holds was found. Sent anything,
// it answers with what it saw.
//
//   fork("see.mjs", [JSON.stringify({ built, location })])
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { moduleAt } from "../measure.mjs";
import { sharedMs } from "./clock.mjs";

const ROWS = `SELECT e.key, f.real_path AS path, e.entry_id AS id, e.preview
  FROM entries e JOIN files f ON f.id = e.file_id WHERE e.key > ? ORDER BY e.key`;
/** The query of `search` for one word. */
const HIT = `SELECT e.key FROM search.entry_text t CROSS JOIN entries e ON e.key = t.rowid
  WHERE t.entry_text MATCH ?`;
/** How often texts are looked for, and for how long at once, in ms. Rows are looked for at every turn. */
const TEXTS_EVERY = 5;
const TEXTS_FOR = 1;

const { built, location } = JSON.parse(process.argv[2]);
const { openIndex } = await moduleAt(join(built, "src/store/open.js"));
const { reader } = openIndex(location, { readonly: true });
const rows = reader.prepare(ROWS);
const hit = reader.prepare(HIT);

let last = reader.prepare("SELECT coalesce(max(key), 0) FROM entries").pluck().get();
let lookedAt = 0;
let seen = [];
/** Entries whose text was not found yet; the full text takes entries in the order of their keys. */
let wanted = [];

process.on("message", () => {
  process.send({ seen, wanted: wanted.length });
  [seen, wanted] = [[], []];
});
process.send({ ready: true });
for (;;) {
  lookForRows();
  if (sharedMs() - lookedAt >= TEXTS_EVERY) lookForTexts();
  await setTimeout(1);
}

function lookForRows() {
  const found = rows.all(last);
  const rowAt = sharedMs();
  for (const { key, path, id, preview } of found) {
    const word = /\bmark\d+x\d+\b/.exec(preview ?? "")?.[0];
    const entry = { path, id, rowAt, textAt: null };
    seen.push(entry);
    if (word !== undefined) wanted.push({ entry, word });
    last = key;
  }
}

function lookForTexts() {
  lookedAt = sharedMs();
  let found = 0;
  for (const { entry, word } of wanted) {
    if (hit.get(word) === undefined) break;
    entry.textAt = sharedMs();
    found++;
    if (entry.textAt - lookedAt > TEXTS_FOR) break;
  }
  wanted.splice(0, found);
}
