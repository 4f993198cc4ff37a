import { mergeRuns } from "./run-merge.ts";
import type { RunReader } from "./run-reader.ts";
import { SegmentWriter } from "./segment-writer.ts";
import type { ShadowTables, Totals, WordCounts } from "./shadow-tables.ts";
import type { Structure } from "./structure.ts";

/** Texts of which a segment is made: runs of them, in the order of their entries. */
export interface BuiltTexts {
  runs: readonly RunReader[];
  counts: readonly WordCounts[];
}

/** Thrown when adding was told to stop: the transaction has to be undone. */
export class Unfinished extends Error {
  override readonly name = "Unfinished";
}

/**
 * Adds texts to a full text as one segment. The result is what FTS5 would have written at the end of a transaction.
 *
 * @param mayGoOn asked after each word
 * @throws Unfinished
 */
export function addSegment(
  tables: ShadowTables,
  structure: Structure,
  texts: BuiltTexts,
  mayGoOn: () => boolean,
): void {
  const id = structure.freeId;
  const origin = structure.nextOrigin;
  const writer = new SegmentWriter(tables.pagesOf(id), id, tables.pageBytes);
  if (!mergeRuns(texts.runs, writer, mayGoOn)) throw new Unfinished();
  const lastPage = writer.finish();
  const { entries } = addSizes(tables, texts.counts, origin);
  if (lastPage === 0) return;
  structure.add({
    id,
    firstPage: 1,
    lastPage,
    firstOrigin: origin,
    lastOrigin: origin,
    tombstonePages: 0,
    tombstones: 0,
    entries,
  });
  tables.saveStructure(structure);
}

/** Writes the sizes of the entries; returns how many entries and words were added. */
function addSizes(tables: ShadowTables, counts: readonly WordCounts[], origin: number): Totals {
  const added: Totals = { entries: 0, words: 0 };
  for (const each of counts) {
    tables.addSizes(each, origin);
    for (const words of each.words) added.words += words;
    added.entries += each.keys.length;
  }
  const before = tables.totals();
  tables.saveTotals({ entries: before.entries + added.entries, words: before.words + added.words });
  return added;
}
