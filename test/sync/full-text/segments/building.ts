import { utimesSync } from "node:fs";
import { openShadow } from "../../../../src/db/open-shadow.ts";
import type { Index } from "../../../../src/store/open.ts";
import { SearchFeeder } from "../../../../src/sync/full-text/search-feed.ts";
import {
  type BuiltRun,
  EntriesReader,
  type KeyRange,
  ROOM_BYTES,
} from "../../../../src/sync/full-text/segments/entries-reader.ts";
import { SegmentAdder } from "../../../../src/sync/full-text/segments/segment-adder.ts";
import { StopFlag } from "../../../../src/sync/stop-flag.ts";
import { theAlphabet } from "../../../helpers/full-text-image.ts";
import { session } from "../../../helpers/session-builder.ts";
import { Store } from "../../store.ts";

/** Sessions are read in this order: the newest first. Each has a question and an answer. */
export function storeOf(...texts: string[]): Store {
  const store = new Store();
  const now = Date.now() / 1000;
  texts.forEach((text, at) => {
    const path = session({ id: `s${at}` })
      .user(text)
      .assistant({ text: `answer ${at}` })
      .write(store.path(`${at}.jsonl`));
    utimesSync(path, now, now - at);
  });
  store.sync();
  return store;
}

/** Runs of a range as a thread would build them: each ends after so many entries of it at most. */
export function runsOf(index: Index, range: KeyRange, most = Number.POSITIVE_INFINITY): BuiltRun[] {
  const reader = new EntriesReader(index.database, theAlphabet(), new StopFlag());
  const runs: BuiltRun[] = [];
  for (let after = range.after; after < range.upTo; ) {
    const run = reader.read(
      { after, upTo: Math.min(range.upTo, after + most) },
      new SharedArrayBuffer(ROOM_BYTES),
    );
    if (run === null) throw new Error("it was not told to stop");
    runs.push(run);
    after = run.range.upTo;
  }
  return runs;
}

/** Runs of all that is behind. */
export function runsBehind(index: Index, most?: number): BuiltRun[] {
  const { watermark, lastKey } = new SearchFeeder(index).reach;
  return runsOf(index, { after: watermark, upTo: lastKey }, most);
}

/** Adds runs as one segment, by a connection of their own. */
export function addRuns(
  index: Index,
  runs: readonly BuiltRun[],
  mayGoOn: () => boolean = () => true,
): boolean {
  const shadow = openShadow(index.location, { busyTimeoutMs: 250, cacheKiB: 2048 });
  try {
    return new SegmentAdder(index, shadow).add(runs, mayGoOn);
  } finally {
    shadow.close();
  }
}

/** Fills the full text as it is filled where very much is behind, and by insertion only with what was missed. */
export function feedBuilt(index: Index, most?: number): boolean {
  const feeder = new SearchFeeder(index);
  feeder.forgetGone();
  const isAdded = addRuns(index, runsBehind(index, most));
  feeder.run();
  return isAdded;
}

/** The tables of the full text, word by word. */
export function contentOf({ search }: Index): unknown {
  search.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab(main, entry_text, instance)");
  const tables = ["temp.words", "compound_names", "key_blocks", "missed_keys"];
  const rows = tables.map((table) => search.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).raw().all());
  return [...rows, search.prepare("SELECT id, hex(sz) FROM entry_text_docsize ORDER BY id").raw().all()];
}

/** What FTS5 itself, and SQLite, say of it. */
export function integrityOf({ search }: Index): unknown {
  search.exec("INSERT INTO entry_text (entry_text, rank) VALUES ('integrity-check', 0)");
  return search.pragma("quick_check", { simple: true });
}
