import { emptyFullText } from "../../db/empty-full-text.ts";
import { entriesAfter } from "../../db/entries-after.ts";
import { indexIdOf } from "../../db/index-id.ts";
import type { Database, Statement } from "../../db/native.ts";
import type { Index } from "../../db/open.ts";

/** The lot of keys that a key was handed out with. */
const LOT =
  "SELECT first_key || ':' || token FROM key_lots WHERE first_key <= ? ORDER BY first_key DESC LIMIT 1";

/** Whether removals that are still to be carried out have been deleted. */
const MISSES = "SELECT max(seq) - ? <> count(*) FROM removed_keys WHERE seq > ?";

/**
 * How far the full text has followed the rows: the last entry key it took in (watermark) and the lot of that key, the last
 * removal it carried out, and which index it follows.
 *
 * The index may be put back to an earlier state (a restored copy, a lost write-ahead log) and hand out keys a second time.
 * Then the watermark's key is of another lot. The full text itself may be put back, or another one may have been purged in
 * its place: then removals that it has still to carry out are missing.
 */
export class SearchState {
  watermark = 0;
  removedSeq = 0;
  #followed = "";
  readonly #database: Database;
  readonly #search: Database;
  readonly #read: Statement;
  readonly #write: Statement;
  readonly #indexId: string;
  readonly #lastKey: Statement;
  readonly #lastRemoval: Statement;
  readonly #lot: Statement;
  readonly #misses: Statement;
  #followedLot = "";

  constructor(index: Pick<Index, "database" | "search">) {
    this.#search = index.search;
    this.#read = this.#search.prepare("SELECT value FROM meta WHERE name = ?").pluck();
    this.#write = this.#search.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)");
    const { database } = index;
    this.#database = database;
    this.#indexId = indexIdOf(database);
    this.#lastKey = database.prepare("SELECT max(key) FROM entries").pluck();
    this.#lastRemoval = database.prepare("SELECT max(seq) FROM removed_keys").pluck();
    this.#lot = database.prepare(LOT).pluck();
    this.#misses = database.prepare(MISSES).pluck();
    this.load();
  }

  get lastKey(): number {
    return Number(this.#lastKey.get() ?? 0);
  }

  /** The number of the newest removal, 0 when there was none. */
  get lastRemoval(): number {
    return Number(this.#lastRemoval.get() ?? 0);
  }

  /** Whether a transaction would find anything to do; looks without locking. */
  hasWork(): boolean {
    this.load();
    if (!this.#isFollowed()) return true;
    return this.lastKey > this.watermark || this.lastRemoval > this.removedSeq;
  }

  /** Whether it has followed up to this key, and has forgotten all that is gone; looks without locking. */
  isAt(key: number): boolean {
    this.load();
    return this.#isFollowed() && this.watermark === key && this.removedSeq === this.lastRemoval;
  }

  /** Inside the transaction: reads how far the full text has come, and empties it when the index is another one. */
  follow(): void {
    this.load();
    if (this.#isFollowed()) return;
    emptyFullText(this.#search);
    // Bulk loading with automatic merging and a small table of new words takes 1.65 times as long; a merge in
    // a small update stalls it for seconds. `mergeSegments` merges instead. (Options take literals only.)
    this.#search.exec(`INSERT INTO entry_text (entry_text, rank) VALUES ('automerge', 0);
      INSERT INTO entry_text (entry_text, rank) VALUES ('hashsize', 2097152);
      INSERT INTO entry_text (entry_text, rank) VALUES ('crisismerge', 128)`);
    this.#write.run("index_id", this.#indexId);
    this.#followed = this.#indexId;
    this.saveWatermark(0);
    // The full text is empty: there is nothing that earlier removals could take out of it.
    this.saveRemovedSeq(this.lastRemoval);
    this.saveRewrittenSeq(0);
    this.savePurgedSeq(0);
  }

  saveWatermark(key: number): void {
    this.watermark = key;
    this.#followedLot = String(this.#lot.get(key) ?? "");
    this.#write.run("watermark", String(key));
    this.#write.run("watermark_lot", this.#followedLot);
  }

  /** The last removal of which there is no trace any more; -1 when the words of another index are there. */
  get purgedSeq(): number {
    const isAnother = this.#followed !== "" && !this.#isFollowed();
    return isAnother ? -1 : Number(this.#read.get("purged_seq") ?? 0);
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
    this.removedSeq = seq;
    this.#write.run("removed_seq", String(seq));
  }

  /** Entries not taken in yet, but for those that were missed. */
  behind(): number {
    return entriesAfter(this.#database, this.#isFollowed() ? this.watermark : 0);
  }

  /** Whether the full text has followed this index, and a state of it that led to the present one. */
  #isFollowed(): boolean {
    if (this.#followed !== this.#indexId || this.removedSeq > this.lastRemoval) return false;
    if (this.#misses.get(this.removedSeq, this.removedSeq) === 1) return false;
    return this.watermark === 0 || this.#lot.get(this.watermark) === this.#followedLot;
  }

  /** Reads how far the full text has come: another connection may have written to it. */
  load(): void {
    this.#followedLot = String(this.#read.get("watermark_lot") ?? "");
    this.#followed = String(this.#read.get("index_id") ?? "");
    this.watermark = Number(this.#read.get("watermark") ?? 0);
    this.removedSeq = Number(this.#read.get("removed_seq") ?? 0);
  }
}
