import type { Database, Statement } from "../db/native.ts";
import type { Index } from "../db/open.ts";
import { LONGEST_LINE, STEP_BYTES } from "../file/lines.ts";
import { readRange } from "../file/range.ts";
import { type JsonObject, stringOrNull } from "../format/json.ts";
import { parseLine } from "../format/parse.ts";
import { searchableTexts } from "../format/searchable.ts";
import { upgradeEntry } from "../format/upgrade.ts";
import { spaced } from "../format/words.ts";
import { CompoundNames } from "./compound-names.ts";
import { forgetRemoved } from "./search-removal.ts";
import { SearchState } from "./search-state.ts";
import type { SyncProgress } from "./sync-all.ts";

export interface FeedOptions {
  /** Unix ms: stop at the first batch boundary after it. */
  deadlineMs?: number;
  signal?: AbortSignal;
  onProgress?: (progress: SyncProgress) => void;
}

export interface FeedResult {
  /** Everything the index has is searchable. */
  complete: boolean;
  /** Entries that are not searchable yet. */
  behind: number;
  added: number;
}

/** One batch, which is one transaction, takes this many entries or stops after this many bytes of lines. */
const BATCH_ENTRIES = 4000;
const BATCH_BYTES = 8 * 1024 * 1024;

/** Between two texts of one entry stands a word nobody types, so that no phrase spans them. */
const BETWEEN_TEXTS = " \ue000 ";

const NEXT = `SELECT e.key, e.file_id, e.offset, e.length, e.entry_id, e.type, f.real_path, s.version
  FROM entries e JOIN files f ON f.id = e.file_id JOIN sessions s ON s.file_id = e.file_id
  WHERE e.key > ? ORDER BY e.key LIMIT ${BATCH_ENTRIES}`;

type NextRow = [
  key: number,
  fileId: number,
  offset: number,
  length: number,
  entryId: string | null,
  type: string,
  realPath: string,
  version: number,
];

/**
 * Brings the full text up to date with the rows: forgets entries that are gone, then reads the texts of new
 * ones from the session files. Several processes may do this at once; each batch re-reads the watermark.
 *
 * @throws SQLite's errors (`SQLITE_BUSY` when another process is writing the full text)
 */
export function feedSearch(index: Index, options: FeedOptions = {}): FeedResult {
  const feed = new Feed(index);
  let more = true;
  while (more && !isOver(options)) {
    more = feed.batch();
    options.onProgress?.(feed.progress());
  }
  if (!more && feed.added > 0) mergeSegments(index.search);
  return feed.result(!more);
}

function isOver({ deadlineMs, signal }: FeedOptions): boolean {
  return signal?.aborted === true || (deadlineMs !== undefined && Date.now() >= deadlineMs);
}

class Feed {
  added = 0;
  readonly #rows: Database;
  readonly #search: Database;
  readonly #state: SearchState;
  readonly #next: Statement;
  readonly #insert: Statement;
  readonly #names: CompoundNames;

  constructor(index: Index) {
    this.#rows = index.database;
    this.#search = index.search;
    this.#state = new SearchState(index);
    this.#next = this.#rows.prepare(NEXT).raw();
    this.#names = new CompoundNames(this.#search);
    this.#insert = this.#search.prepare("INSERT INTO entry_text (rowid, text) VALUES (?, ?)");
  }

  /** One transaction. Returns whether there may be more to do. */
  batch(): boolean {
    if (!this.#state.hasWork()) return false;
    return this.#search
      .transaction(() => {
        this.#state.follow();
        this.#names.forget();
        if (forgetRemoved(this.#rows, this.#search, this.#state)) return true;
        return this.#addNext();
      })
      .immediate();
  }

  progress(): SyncProgress {
    const { watermark, lastKey } = this.#state;
    return { phase: "search", done: Math.min(watermark, lastKey), total: lastKey };
  }

  result(complete: boolean): FeedResult {
    return { complete, behind: this.#state.behind(), added: this.added };
  }

  #addNext(): boolean {
    const rows = this.#next.all(this.#state.watermark) as NextRow[];
    const last = rows.at(-1);
    if (last === undefined) return false;
    let bytes = 0;
    let done = 0;
    while (done < rows.length && bytes < BATCH_BYTES) {
      const run = contiguousRun(rows, done);
      bytes += this.#addRun(run);
      done += run.length;
    }
    this.#state.saveWatermark((rows[done - 1] as NextRow)[0]);
    return done < rows.length || rows.length === BATCH_ENTRIES;
  }

  /** Adds entries that stand close together in one file, from one read. Returns how many bytes it read. */
  #addRun(run: NextRow[]): number {
    const [first, last] = [run[0] as NextRow, run.at(-1) as NextRow];
    const from = first[2];
    const length = last[2] + last[3] - from;
    // What cannot be read now has changed: the rows will follow the file, and the text the rows.
    const bytes = length > LONGEST_LINE ? null : readRange(first[6], from, length);
    if (bytes === null) return 0;
    for (const row of run) {
      const [key, , offset, length] = row;
      const entry = entryOf(bytes.subarray(offset - from, offset - from + length), row);
      if (entry !== null) this.#add(key, entry);
    }
    return bytes.length;
  }

  #add(key: number, entry: JsonObject): void {
    const texts = searchableTexts(entry);
    if (texts.length === 0) return;
    const text = texts.join(BETWEEN_TEXTS);
    this.#insert.run(key, spaced(text));
    this.#names.add(text);
    this.added++;
  }
}

/** Rows from `start` on that stand in one file, within one read's length, and can be decoded. */
function contiguousRun(rows: NextRow[], start: number): NextRow[] {
  const [, fileId, from] = rows[start] as NextRow;
  let end = start + 1;
  for (; end < rows.length; end++) {
    const [, nextFile, offset, length] = rows[end] as NextRow;
    if (nextFile !== fileId || offset < from || offset + length - from > STEP_BYTES) break;
  }
  return rows.slice(start, end);
}

/** Upgrading needs a position only to name entries without ids, and names are not searched. */
const NOWHERE = { line: 0, previousId: null };

/** The entry, if the bytes still are the one the row speaks of; else the file changed and will be read again. */
function entryOf(bytes: Buffer, [, , , , entryId, type, , version]: NextRow): JsonObject | null {
  const parsed = parseLine(bytes);
  if (parsed.kind !== "entry" || stringOrNull(parsed.entry.type) !== (type || null)) return null;
  const isSame = version < 2 || stringOrNull(parsed.entry.id) === entryId;
  return isSame ? upgradeEntry(parsed.entry, version, NOWHERE) : null;
}

/** Pages a merge step may write; a step of 512 takes about 65 ms. */
const MERGE_PAGES = 512;
const MERGE_STEPS = 200;

/** Each batch leaves a segment of its own, and a query looks into every one: merge until nothing changes. */
function mergeSegments(search: Database): void {
  const merge = search.prepare(`INSERT INTO entry_text (entry_text, rank) VALUES ('merge', ${MERGE_PAGES})`);
  const changes = search.prepare("SELECT total_changes()").pluck();
  for (let step = 0; step < MERGE_STEPS; step++) {
    const before = Number(changes.get());
    merge.run();
    // The statement itself counts as one change; fewer than two means there was nothing to merge.
    if (Number(changes.get()) - before < 2) break;
  }
  // Merging leaves the old segments' pages free: give them back.
  search.pragma("incremental_vacuum");
}
