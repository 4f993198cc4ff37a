import type { FileTrouble, SyncReport } from "../../indexing/sync-report.ts";
import { formatBytes, formatCount, formatDuration, plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { wrapWords } from "../../text/wrap-words.ts";
import type { Context } from "../command-line/command.ts";
import { shownPath } from "./fields.ts";

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

const SHOWN = 10;

/** The message of each kind, for one file and for several, with a remedy where there is one. */
const KINDS: Record<FileTrouble["kind"], readonly [one: string, several: string]> = {
  unreadable: [
    "1 path cannot be read; the index keeps what it had of it",
    "paths cannot be read; the index keeps what it had of them",
  ],
  failed: [
    "1 file could not be indexed; the index keeps what it had of it",
    "files could not be indexed; the index keeps what it had of them",
  ],
  malformed: [
    "1 file has lines that are not JSON objects; the rest of it is indexed",
    "files have lines that are not JSON objects; the rest of them is indexed",
  ],
  not_session: [
    "1 file without a session header; nothing to index",
    "files without a session header; nothing to index",
  ],
  vanished: [
    "1 file is gone, most of the folder at once; the index keeps it (sync --rebuild removes it)",
    "files are gone, most of the folder at once; the index keeps them (sync --rebuild removes them)",
  ],
};

/** Lines about files that were not indexed completely: the first ten of each kind, then how many more. */
export function describeIssues(context: Context, troubles: readonly FileTrouble[]): string[] {
  const lines: string[] = [];
  for (const [kind, [one, several]] of Object.entries(KINDS)) {
    const ofKind = troubles.filter((trouble) => trouble.kind === kind);
    if (ofKind.length === 0) continue;
    // Sub-agents leave files that are not sessions: worth a line, but nothing is wrong.
    const paint = kind === "not_session" ? context.talk.paint.dim : context.talk.paint.yellow;
    const what = `${ofKind.length === 1 ? one : `${formatCount(ofKind.length)} ${several}`}:`;
    lines.push(...wrapWords(what, context.talk.width).map(paint));
    lines.push(...ofKind.slice(0, SHOWN).map((trouble) => describe(context, trouble)));
    if (ofKind.length > SHOWN) lines.push(`  and ${formatCount(ofKind.length - SHOWN)} more`);
  }
  return lines;
}

function describe({ talk, world }: Context, { path, kind, detail }: FileTrouble): string {
  const shown = shownPath({ out: talk, world }, path);
  const what =
    kind === "malformed" ? plural(Number(detail), "line") : kind === "not_session" ? "" : oneLine(detail);
  return `  ${shown}${what === "" ? "" : ` (${what})`}`;
}
