import { SEARCH } from "../../../store/databases.ts";
import type { Database } from "../../../store/native.ts";
import type { Index } from "../../../store/open.ts";
import { writing } from "../../../store/transaction.ts";
import { CompoundNames } from "../compound-names.ts";
import { EntryRanges, together } from "../entry-sums.ts";
import { KeyBlocks } from "../key-blocks.ts";
import { MissedKeys } from "../missed-keys.ts";
import { SearchState } from "../search-state.ts";
import { addSegment } from "./add-segment.ts";
import type { BuiltRun } from "./entries-reader.ts";
import { RunReader } from "./run-reader.ts";
import { ShadowTables } from "./shadow-tables.ts";

/** Adds runs that were built to the full text, as one segment, and then further ones of the same threads. */
export class SegmentAdder {
  readonly #search: Database;
  readonly #state: SearchState;
  readonly #entries: EntryRanges;
  readonly #tables: ShadowTables;
  readonly #names: CompoundNames;
  readonly #blocks: KeyBlocks;
  readonly #missed: MissedKeys;

  /** @param shadow the full text, from `openShadow` */
  constructor({ database }: Pick<Index, "database">, shadow: Database) {
    this.#search = shadow;
    this.#state = new SearchState({ database, search: shadow });
    this.#entries = new EntryRanges(database);
    this.#tables = new ShadowTables(shadow);
    this.#names = new CompoundNames(shadow);
    this.#blocks = new KeyBlocks(shadow);
    this.#missed = new MissedKeys(shadow);
  }

  /**
   * One transaction. False, and nothing is added, where they are not of exactly the entries that are next, or where names
   * have been deleted since others were added: those that came with earlier runs would be missing.
   *
   * @param runs each following on the one before it
   * @param mayGoOn asked again and again
   * @throws Unfinished; SessionDbError `index_newer`, `busy`; SQLite's errors
   */
  add(runs: readonly BuiltRun[], mayGoOn: () => boolean): boolean {
    const isAdded = writing(this.#search, SEARCH, () => this.#isNext(runs) && this.#write(runs, mayGoOn));
    this.#names.end();
    return isAdded;
  }

  #isNext(runs: readonly BuiltRun[]): boolean {
    const { after } = runs[0]?.range ?? { after: 0 };
    const sums = together(runs.map(({ entries }) => entries));
    if (this.#names.haveGone() || !this.#state.isAt(after)) return false;
    return this.#entries.hold(after, lastKeyOf(runs), sums);
  }

  #write(runs: readonly BuiltRun[], mayGoOn: () => boolean): boolean {
    const structure = this.#tables.structure();
    if (structure === null) return false;
    this.#names.begin();
    this.#blocks.begin();
    const readers = runs.map(({ memory, end, counts }) => {
      return new RunReader(new Uint8Array(memory), end, counts.firstKey);
    });
    const texts = { runs: readers, counts: runs.map(({ counts }) => counts) };
    addSegment(this.#tables, structure, texts, mayGoOn);
    for (const run of runs) this.#note(run);
    this.#blocks.write();
    this.#names.write();
    this.#state.saveWatermark(lastKeyOf(runs));
    return true;
  }

  #note({ names, times, missed }: BuiltRun): void {
    this.#names.add(names);
    for (const each of times) this.#blocks.noted.add(each);
    for (const keys of missed) this.#missed.addRun(keys);
  }
}

function lastKeyOf(runs: readonly BuiltRun[]): number {
  return runs.at(-1)?.range.upTo ?? 0;
}
