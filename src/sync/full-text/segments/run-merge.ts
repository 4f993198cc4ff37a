import type { RunReader } from "./run-reader.ts";
import type { SegmentWriter } from "./segment-writer.ts";

/**
 * Writes runs as one segment. Each word's list is the lists of its runs, one after the other, because all entries of a
 * run come after those of the run before it.
 *
 * @param runs in the order of their entries
 * @param mayGoOn asked after each word
 * @returns whether it came to the end
 */
export function mergeRuns(
  runs: readonly RunReader[],
  writer: SegmentWriter,
  mayGoOn: () => boolean,
): boolean {
  for (let same = smallest(runs); same.length > 0; same = smallest(runs)) {
    const [one] = same;
    if (one !== undefined) writer.word(one.bytes, one.wordFrom, one.wordTo);
    writer.doclist(same);
    for (const run of same) run.next();
    if (!mayGoOn()) return false;
  }
  return true;
}

/** The runs whose present word is the smallest of all. */
function smallest(runs: readonly RunReader[]): RunReader[] {
  let found: RunReader[] = [];
  for (const run of runs) {
    if (run.isOver) continue;
    const [first] = found;
    const order = first === undefined ? -1 : run.compare(first);
    if (order < 0) found = [run];
    else if (order === 0) found.push(run);
  }
  return found;
}
