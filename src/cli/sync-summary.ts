import type { SyncReport } from "../sync/report.ts";
import { formatBytes, formatCount, formatDuration, plural } from "../text/numbers.ts";

/** The result of a sync, in a line for people, with a second one where files are still to be read. */
export function summaryOf({ files, entries, bytesRead, durationMs }: SyncReport): string[] {
  const { seen, unchanged, indexed, removed, notSessions, failed } = files;
  const took = `in ${formatDuration(durationMs)}`;
  const left = seen - unchanged - indexed - notSessions - failed;
  if (indexed + removed + notSessions === 0) {
    const missing = failed + left;
    const but = missing > 0 ? ` except for ${formatCount(missing)} of ` : ": ";
    return [`Up to date${but}${plural(seen, "file")}, checked ${took}.`, ...restOf(left)];
  }
  const taken = `${formatBytes(bytesRead)}, ${plural(entries.added, "new entry", "new entries")}`;
  const parts = [
    `${plural(indexed, "file")} read (${taken})`,
    ...(notSessions > 0 ? [`${plural(notSessions, "file")} without a session`] : []),
    ...(removed > 0 ? [`${plural(removed, "file")} removed`] : []),
    ...(unchanged > 0 ? [`${formatCount(unchanged)} unchanged`] : []),
    took,
  ];
  return [`${parts.join(", ")}.`, ...restOf(left)];
}

/** Files that are left because they keep being rewritten, or because too many files are open. */
function restOf(files: number): string[] {
  if (files === 0) return [];
  return [`${plural(files, "file")} could not be read this time; the next sync will try again.`];
}
