import { stringOrNull } from "../../format/json.ts";
import { groupedBy } from "../../runtime/collections.ts";
import type { Index } from "../../store/open.ts";
import { prepared } from "../../store/statements.ts";
import { type BodyPlace, PLACE_COLUMNS, readEntry } from "../../store/tables/entry-bodies.ts";
import type { PlacedCompaction } from "./session-walk.ts";

const PLACE = `SELECT ${PLACE_COLUMNS} FROM entries e JOIN sessions s ON s.file_id = e.file_id
  JOIN files f ON f.id = e.file_id WHERE e.key = ?`;

/**
 * Of a session's compactions that were paid for, those that sum up a stretch which one before them has summed up: on another
 * branch, from the same compaction on (or the beginning), and up to the same entry, the first that is kept; or in the same
 * place. Which entry is kept stands in the file alone; without that the place decides.
 */
export function repeatedCompactions(index: Index, paid: readonly PlacedCompaction[]): number[] {
  return [...groupedBy(paid, ({ above }) => above).values()]
    .filter((beside) => beside.length > 1)
    .flatMap((beside) =>
      repeatsAmong(beside.map((each) => ({ ...each, kept: firstKeptOf(index, each.key) }))),
    );
}

function repeatsAmong(beside: readonly (PlacedCompaction & { kept: string | null })[]): number[] {
  return beside.flatMap(({ key, kept, parentKey }, at) => {
    const isRepeat = beside
      .slice(0, at)
      .some(
        (before) =>
          (kept !== null && before.kept === kept) || (parentKey !== null && before.parentKey === parentKey),
      );
    return isRepeat ? [key] : [];
  });
}

function firstKeptOf(index: Index, key: number): string | null {
  const place = prepared(index.database, PLACE).get(key) as BodyPlace | undefined;
  return place === undefined ? null : stringOrNull(readEntry(place)?.firstKeptEntryId);
}
