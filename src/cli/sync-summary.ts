import type { SyncReport } from "../query/results.ts";
import { formatBytes, formatCount, formatDuration, plural } from "./output/numbers.ts";

/** What a sync has come to, in a line for people; a second one where files are still to be read. */
export function summaryOf({ files, entries, bytesRead, durationMs }: SyncReport): string[] {
  const { seen, unchanged, indexed, removed, notSessions, failed } = files;
  const took = `in ${formatDuration(durationMs)}`;
  const without = notSessions > 0 ? `; ${formatCount(notSessions)} of them without a session` : "";
  const rest = restOf(seen - unchanged - indexed - failed);
  if (indexed + removed === 0) {
    const missing = seen - unchanged;
    const but = missing > 0 ? ` but for ${formatCount(missing)} of ` : ": ";
    return [`Up to date${but}${plural(seen, "file")}, looked at ${took}${without}.`, ...rest];
  }
  const parts = [
    `${plural(indexed, "file")} read (${formatBytes(bytesRead)}, ${plural(entries.added, "new entry", "new entries")})`,
    ...(removed > 0 ? [`${plural(removed, "file")} removed`] : []),
    ...(unchanged > 0 ? [`${formatCount(unchanged)} unchanged`] : []),
    took,
  ];
  return [`${parts.join(", ")}${without}.`, ...rest];
}

/** Somebody keeps rewriting them, or too many files are open. */
function restOf(files: number): string[] {
  if (files === 0) return [];
  return [`${plural(files, "file")} could not be read for now; the next sync reads what is there then.`];
}
