import { isTooLong, LineReader, readFully } from "../../files/lines.ts";
import { useRegularFile } from "../../files/open-file.ts";
import { isArrayFileName, isWithin } from "../../files/session-path.ts";
import { statOpenFile } from "../../files/stat.ts";
import { parseLine } from "../../format/parse.ts";
import { CURRENT_SESSION_VERSION } from "../../format/types.ts";
import { fateOf } from "../../indexing/missing-files.ts";
import type { Due, Scan } from "../../indexing/scan.ts";
import {
  type EntryType,
  type Health,
  type MalformedRange,
  type NotedFile,
  readHealth,
} from "../../reports/file-problems.ts";
import type { Finding } from "../../reports/finding.ts";
import { groupedBy } from "../../runtime/collections.ts";
import type { Index } from "../../store/open.ts";
import { LISTED_MALFORMED_LINES } from "../../store/schema/limits.ts";
import { loadCursor } from "../../store/tables/cursors.ts";
import { formatBytes, formatCount, plural } from "../../text/numbers.ts";

/** What is not as it should be in the session files, as far as the index has read them. */
export function checkSessionFiles(index: Index): Finding[] {
  const health = readHealth(index, CURRENT_SESSION_VERSION);
  const twoHeaders = health.irregular.filter(({ path }) => countHeaders(path) > 1);
  return [
    ...health.unreadable.map(unreadable),
    ...health.failed.map(failed),
    ...health.malformed.map(malformed),
    ...health.torn.map(torn),
    ...twoHeaders.map(headers),
    ...health.newer.map(newer),
    ...health.gaps.map(gap),
    ...health.hidden.map(hidden),
    ...health.notSessions.map(notSession),
    ...health.unknownTypes.map(unknownType),
    ...flawed(health.flawedUsage),
  ];
}

function unreadable({ path, detail }: NotedFile): Finding {
  const remedy = `${WAYS_TO_READ[detail] ?? "Give yourself read permission"}; until then the index keeps what it has of it`;
  return { level: "error", what: `a session file cannot be read (${detail})`, where: path, remedy };
}

/** Of an archived session, by the code of the error. */
const WAYS_TO_READ: Record<string, string> = {
  EBADMSG: "Its packed file is damaged (sessiondb archive verify names it): bring that back from a backup",
  ENOTSUP: "It is packed with zstd, which this Node does not have: use Node 22.15 or later",
};

function failed({ path, detail }: NotedFile): Finding {
  const what = `a file is skipped until it changes: ${detail}`;
  const remedy =
    "Run sessiondb sync --rebuild to try again; if that fails, look at its longest line, or move it away";
  return { level: "error", what, where: path, remedy };
}

function malformed({ path, count, line, offset, length, recovered }: MalformedRange): Finding {
  const place = `line ${line}, bytes ${offset} to ${offset + length}`;
  return {
    level: "warning",
    what: `${plural(count, "line")} ${count === 1 ? "is not a JSON object" : "are not JSON objects"} (the first: ${place})`,
    where: `${path}:${line}`,
    remedy: `${whatIsLost(recovered)} To see up to ${formatCount(LISTED_MALFORMED_LINES)} of each file: sessiondb sql 'SELECT * FROM malformed_lines'`,
  };
}

function whatIsLost(recovered: number): string {
  if (recovered === 0) return "Nothing else is lost, and pi skips it too.";
  const what = `${plural(recovered, "whole entry", "whole entries")} in it ${recovered === 1 ? "is" : "are"}`;
  return `${what} in the index, and pi skips it: sessiondb export SESSION --format jsonl --reveal writes a file in which pi finds them.`;
}

function torn({ path, detail }: NotedFile): Finding {
  return {
    level: "note",
    what: `the last line is incomplete (${formatBytes(Number(detail))})`,
    where: path,
    remedy: "pi ended while writing it, or is still writing; what is appended next begins on a new line",
  };
}

function headers({ path }: NotedFile): Finding {
  const remedy = "pi uses the first one, and so does the index; two files were probably joined into this one";
  return { level: "warning", what: "a session file has two headers", where: path, remedy };
}

function newer({ path, detail }: NotedFile): Finding {
  return {
    level: "note",
    what: `a session has format version ${detail}, which is newer than this program knows`,
    where: path,
    remedy: "It is read as far as it is understood, and never rewritten; update pi-sessiondb",
  };
}

function gap({ path, line, detail }: Health["gaps"][number]): Finding {
  return {
    level: "warning",
    what: `the entry that line ${line} answers is not in the file (${detail}): the conversation begins anew there`,
    where: `${path}:${line}`,
    remedy: "Nothing else is lost; sessiondb show FILE says what stands before the gap, and how to see it",
  };
}

function hidden({ path, line, entries }: Health["hidden"][number]): Finding {
  const them = entries === 1 ? "it" : "them";
  return {
    level: "warning",
    what: `${plural(entries, "newer entry is", "newer entries are")} not on the branch that goes on: a process that had ended, or was left open, has written line ${line} after ${them}`,
    where: `${path}:${line}`,
    remedy: "sessiondb show FILE says how to see what is hidden; in pi, /tree goes back to it",
  };
}

function notSession({ path }: NotedFile): Finding {
  const { what, remedy } = whyNotASession(path);
  return { level: "note", what: `is not a session: ${what}`, where: path, remedy };
}

function unknownType({ type, entries }: EntryType): Finding {
  return {
    level: "note",
    what: `${plural(entries, "entry", "entries")} of a type this program does not know: ${type}`,
    where: "",
    remedy: "They are kept and shown by type; a newer pi-sessiondb may know more of them",
  };
}

function flawed(count: number): Finding[] {
  if (count === 0) return [];
  return [
    {
      level: "note",
      what: `${plural(count, "place")} where usage is not a sensible number, counted as 0`,
      where: "",
      remedy: "To see them: sessiondb sql 'SELECT * FROM usage WHERE flawed <> 0'",
    },
  ];
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

function whyNotASession(path: string): { what: string; remedy: string } {
  const begin = beginOf(path);
  if (begin === null) return { what: "it cannot be read", remedy: "Look at its permissions: ls -l FILE" };
  if (begin.subarray(0, 3).equals(UTF8_MARK)) {
    const remedy = `An editor put it there, and pi cannot open the file either: sed -i '1s/^\\xEF\\xBB\\xBF//' FILE`;
    return { what: "it begins with a byte-order mark", remedy };
  }
  if (begin.toString("latin1").trim() === "") return { what: "it is empty", remedy: PASSED_OVER };
  const size = useRegularFile(path, (fd) => statOpenFile(fd).size) ?? 0;
  if (isArrayFileName(path) && isTooLong({ length: size })) {
    const remedy = "Put each of its elements on its own line: jq -c '.[]' FILE > FILE.jsonl";
    return { what: `as one array it is too long to read (${formatBytes(size)})`, remedy };
  }
  return { what: "its first entry is not a session header", remedy: PASSED_OVER };
}

const PASSED_OVER = "It is skipped, so nothing has to be done; if you move it away, it is no longer listed";

const BEGIN_BYTES = 4096;

function beginOf(path: string): Buffer | null {
  return useRegularFile(path, (fd) => {
    const bytes = Buffer.alloc(BEGIN_BYTES);
    return bytes.subarray(0, readFully(fd, bytes, 0, BEGIN_BYTES, 0));
  });
}

const HEADER_WORD = Buffer.from('"session"');
/** A header is short; where its type stands in the line is anybody's guess. */
const HEADER_BYTES = 4096;

function countHeaders(path: string): number {
  const count = useRegularFile(path, (fd) => {
    const reader = new LineReader();
    const { size } = statOpenFile(fd);
    let headers = 0;
    for (let from = 0, atEnd = false; !atEnd; ) {
      const step = reader.readStep(fd, from, size);
      headers += step.lines.filter(({ bytes }) => bytes !== null && isHeader(bytes)).length;
      atEnd = step.atEnd || step.end === from;
      from = step.end;
    }
    return headers;
  });
  return count ?? 0;
}

function isHeader(bytes: Buffer): boolean {
  return bytes.subarray(0, HEADER_BYTES).includes(HEADER_WORD) && parseLine(bytes).kind === "header";
}

/** Whether the index knows the session files as they are now: what else is said of them comes from the index. */
export function checkUnread(index: Index, scan: Scan, roots: readonly string[]): Finding[] {
  const { gone } = fateOf(scan, roots);
  const unread = scan.due.filter((due) => isOther(index, due)).length + gone.length;
  if (unread === 0) return [];
  const [is, has] = unread === 1 ? ["is", "has"] : ["are", "have"];
  return [
    {
      level: "note",
      what: `${plural(unread, "session file")} ${is} new, ${has} changed or ${is} gone since the index was brought up to date: what is listed here about session files is as of then`,
      where: "",
      remedy: "Run sessiondb sync, then sessiondb doctor again",
    },
  ];
}

/** A file that was read the moment it was written has to be read again, and is most often the same. */
function isOther({ database }: Index, { realPath, mtimeMs }: Due): boolean {
  return loadCursor(database, realPath)?.stat.mtimeMs !== mtimeMs;
}

/** Session files that are gone, and of which the index keeps what it has: as when a disk is missing. */
export function checkVanished(scan: Scan, roots: readonly string[]): Finding[] {
  const { vanished } = fateOf(scan, roots);
  return [...groupedBy(vanished, ({ path }) => outermost(roots, path))].map(([root, files]) => {
    const what = `${formatCount(files.length)} session files are gone, most of the folder at once; they are still part of every answer`;
    return { level: "warning", what, where: root, remedy: BRING_BACK };
  });
}

const BRING_BACK =
  "Bring the folder back, or mount its disk; if they were deleted, sessiondb sync --rebuild removes them from the index";

/** Of roots that lie in each other, the one that all of a file's are in. */
function outermost(roots: readonly string[], path: string): string {
  return roots.filter((root) => isWithin(root, path)).toSorted((a, b) => a.length - b.length)[0] ?? path;
}
