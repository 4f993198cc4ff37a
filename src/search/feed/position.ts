import { emptyFullText } from "../../store/databases.ts";
import type { Database, Statement } from "../../store/native.ts";
import type { Index } from "../../store/open.ts";
import { indexIdOf, prepared } from "../../store/statements.ts";
import { entriesAfter, lastKeyOf } from "../../store/tables/entry-rows.ts";

/** How far a full text has followed the rows of an index. */
export interface Followed {
  /** The index that it follows; empty for none. */
  indexId: string;
  /** The last entry key that it has taken in; 0 for none. */
  watermark: number;
  /** The lot of keys that this one was handed out with. */
  lot: string;
  /** The last removal that it has carried out. */
  removedSeq: number;
}

const FOLLOWED = `SELECT coalesce(max(value) FILTER (WHERE name = 'index_id'), '') AS indexId,
  CAST(coalesce(max(value) FILTER (WHERE name = 'watermark'), 0) AS INTEGER) AS watermark,
  coalesce(max(value) FILTER (WHERE name = 'watermark_lot'), '') AS lot,
  CAST(coalesce(max(value) FILTER (WHERE name = 'removed_seq'), 0) AS INTEGER) AS removedSeq`;

/** What a full text says of itself; a connection to an index sees it as `search`. */
export function readFollowed(database: Database, schema: "main" | "search" = "main"): Followed {
  return prepared(database, `${FOLLOWED} FROM ${schema}.meta`).get() as Followed;
}

/**
 * Whether a full text has followed this index, and a state of it that led to the present one: otherwise its keys mean
 * nothing.
 *
 * The index may be put back to an earlier state (a restored copy, a lost write-ahead log) and hand out keys a second time.
 * Then the watermark's key is of another lot. The full text itself may be put back, or another one may have been purged in
 * its place: then removals that it has still to carry out are missing.
 */
export function hasFollowed(rows: Database, { indexId, watermark, lot, removedSeq }: Followed): boolean {
  if (indexId !== indexIdOf(rows) || removedSeq > lastRemoval(rows)) return false;
  const next = prepared(rows, NEXT_REMOVAL).pluck().get(removedSeq);
  if (next !== null && next !== removedSeq + 1) return false;
  return watermark === 0 || lotOf(rows, watermark) === lot;
}

/** Their numbers have no gap, and they are deleted from the first on: where this one is not the next, others are missing. */
const NEXT_REMOVAL = "SELECT min(seq) FROM main.removed_keys WHERE seq > ?";

/** The number of the newest removal, 0 when there was none. */
export function lastRemoval(rows: Database): number {
  return Number(prepared(rows, "SELECT max(seq) FROM main.removed_keys").pluck().get() ?? 0);
}

const LOT = `SELECT first_key || ':' || token FROM main.key_lots WHERE first_key <= ?
  ORDER BY first_key DESC LIMIT 1`;

/** The lot of keys that a key was handed out with; empty where that is not known. */
export function lotOf(rows: Database, key: number): string {
  return String(prepared(rows, LOT).pluck().get(key) ?? "");
}

const REMOVALS_SINCE = `SELECT count(*) AS known,
    count(*) FILTER (WHERE first_key <= @last AND last_key >= @first) AS touched
  FROM removed_keys WHERE seq > @removalsBefore`;

/** A quarter of a megabyte. */
const MANY_LOTS = 10_000;
const HAS_MANY_LOTS = `SELECT EXISTS (SELECT 1 FROM key_lots LIMIT 1 OFFSET ${MANY_LOTS})`;

/** Entries that were handed over, and what tells whether they still are those of the index. */
export interface HandedKeys {
  /** Keys of the first and the last entry; all between them are there, too. */
  first: number;
  last: number;
  /** The number of the last removal before these entries came. */
  removalsBefore: number;
  /** The lot of keys that these were handed out with. */
  lot: string;
}

/** How far the full text has followed the rows, for what makes it follow them. */
export class SearchState {
  readonly #database: Database;
  readonly #search: Database;
  readonly #read: Statement;
  readonly #write: Statement;
  readonly #between: Statement;
  readonly #removals: Statement;
  readonly #hasManyLots: Statement;
  #followed: Followed;

  constructor(index: Pick<Index, "database" | "search">) {
    this.#database = index.database;
    this.#search = index.search;
    this.#read = this.#search.prepare("SELECT value FROM meta WHERE name = ?").pluck();
    this.#write = this.#search.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)");
    this.#between = this.#database.prepare("SELECT 1 FROM entry_rows WHERE key > ? AND key < ? LIMIT 1");
    this.#removals = this.#database.prepare(REMOVALS_SINCE);
    this.#hasManyLots = this.#database.prepare(HAS_MANY_LOTS).pluck();
    this.#followed = readFollowed(this.#search);
  }

  /** The last entry key that the full text has taken in; 0 for none. */
  get watermark(): number {
    return this.#followed.watermark;
  }

  /** The last removal that it has carried out. */
  get removedSeq(): number {
    return this.#followed.removedSeq;
  }

  get lastKey(): number {
    return lastKeyOf(this.#database);
  }

  /** The number of the newest removal, 0 when there was none. */
  get lastRemoval(): number {
    return lastRemoval(this.#database);
  }

  /** Whether a transaction would find anything to do up to a key; looks without locking. */
  hasWork(upTo: number): boolean {
    this.load();
    if (!this.#isFollowed()) return true;
    return Math.min(this.lastKey, upTo) > this.watermark || this.lastRemoval > this.removedSeq;
  }

  /** Whether there are entries between what was taken in and this key. */
  lacksBefore(key: number): boolean {
    return this.#between.get(this.watermark, key) !== undefined;
  }

  /** Whether the entries that were handed over are still those of the index: none of them was removed since. */
  holds({ first, last, removalsBefore, lot }: HandedKeys): boolean {
    if (lotOf(this.#database, last) !== lot) return false;
    const { known, touched } = this.#removals.get({ removalsBefore, first, last }) as Record<string, number>;
    // Removals that somebody has dropped by now may have been of these entries.
    return touched === 0 && known === this.lastRemoval - removalsBefore;
  }

  /** Inside the transaction: reads how far the full text has come, and empties it when the index is another one. */
  follow(): void {
    this.load();
    if (this.#isFollowed()) return;
    emptyFullText(this.#search);
    // Bulk loading with automatic merging and a small table of new words takes 1.65 times as long; a merge in
    // a small update stalls it for seconds. `mergeSegments` merges instead. (Options take literals only.)
    this.#search.exec(`INSERT INTO entry_text (entry_text, rank) VALUES ('automerge', 0);
      INSERT INTO entry_text (entry_text, rank) VALUES ('hashsize', 4194304);
      INSERT INTO entry_text (entry_text, rank) VALUES ('crisismerge', 1000)`);
    this.#followed.indexId = indexIdOf(this.#database);
    this.#write.run("index_id", this.#followed.indexId);
    this.saveWatermark(0);
    // The full text is empty: there is nothing that earlier removals could take out of it.
    this.saveRemovedSeq(this.lastRemoval);
    this.saveRewrittenSeq(0);
    this.savePurgedSeq(0);
  }

  saveWatermark(key: number): void {
    this.#followed.watermark = key;
    this.#followed.lot = lotOf(this.#database, key);
    this.#write.run("watermark", String(key));
    this.#write.run("watermark_lot", this.#followed.lot);
  }

  /** The last removal of which there is no trace any more; -1 when the words of another index are there. */
  get purgedSeq(): number {
    const isAnother = this.#followed.indexId !== "" && !this.#isFollowed();
    return isAnother ? -1 : Number(this.#read.get("purged_seq") ?? 0);
  }

  /**
   * Whether text of entries that are gone may still stand in one of the databases, or very many lots of keys have come
   * together.
   */
  needsPurge(): boolean {
    this.load();
    return this.purgedSeq < this.lastRemoval || this.#hasManyLots.get() === 1;
  }

  /** The last removal after which all segments were rewritten: no word of it is left in them. */
  get rewrittenSeq(): number {
    return Number(this.#read.get("rewritten_seq") ?? 0);
  }

  saveRewrittenSeq(seq: number): void {
    this.#write.run("rewritten_seq", String(seq));
  }

  savePurgedSeq(seq: number): void {
    this.#write.run("purged_seq", String(seq));
  }

  saveRemovedSeq(seq: number): void {
    this.#followed.removedSeq = seq;
    this.#write.run("removed_seq", String(seq));
  }

  /** Entries not taken in yet, but for those that were missed. */
  behind(): number {
    return entriesAfter(this.#database, this.#isFollowed() ? this.watermark : 0);
  }

  #isFollowed(): boolean {
    return hasFollowed(this.#database, this.#followed);
  }

  /** Reads how far the full text has come: another connection may have written to it. */
  load(): void {
    this.#followed = readFollowed(this.#search);
  }
}

const HAS_REMOVALS = "SELECT EXISTS (SELECT 1 FROM removed_keys)";

/** Whether there is something to purge, also where there is no full text yet. */
export function needsPurge(index: Index): boolean {
  if (index.hasFullText) return new SearchState(index).needsPurge();
  return index.database.prepare(HAS_REMOVALS).pluck().get() === 1;
}
