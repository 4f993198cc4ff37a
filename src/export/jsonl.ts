import { constants } from "node:buffer";
import { SessionDbError } from "../errors.ts";
import { isTooLong } from "../files/lines.ts";
import { readRange } from "../files/range.ts";
import { parseLine } from "../format/parse.ts";
import type { Cleaner, Exported } from "../render/exported-session.ts";
import { FileLines } from "../reports/verify/file-lines.ts";
import { bodyOf } from "../store/tables/entry-bodies.ts";
import type { EntryNode } from "../store/tables/entry-nodes.ts";
import { formatBytes } from "../text/numbers.ts";
import { oneLine } from "../text/sanitise.ts";

const CRLF = "\r\n";

/**
 * The session as a session file. Lines without secrets are as they were, byte for byte.
 *
 * @throws SessionDbError `io` where a line is not in its place any more, or too long
 */
export function* jsonlOf({ realPath, nodes, branch, clean }: Exported): Generator<string | Buffer> {
  yield* lineAt(headerPlace(realPath, nodes.all[0]), clean, isHeader);
  for (const node of branch === undefined ? nodes.all : nodes.branchThrough(branch)) {
    yield* lineAt(node, clean, (bytes) => isTooLong(node) || bodyOf(bytes, node) !== null);
  }
}

function isHeader(bytes: Buffer): boolean {
  return parseLine(bytes).kind === "header";
}

type LinePlace = Pick<EntryNode, "realPath" | "offset" | "length" | "line">;

/** The header stands before the first entry. */
function headerPlace(realPath: string, first: EntryNode | undefined): LinePlace {
  let place: LinePlace | undefined;
  new FileLines().read(realPath, first?.offset ?? Number.POSITIVE_INFINITY, (line, number) => {
    if (line.bytes !== null && isHeader(line.bytes)) {
      place = { realPath, offset: line.offset, length: line.length, line: number };
    }
    return place === undefined;
  });
  if (place === undefined) throw new SessionDbError("not_found", "the session is gone");
  return place;
}

/** A line and its end. Pieces of other lines are no session, and a part of a secret would not be masked. */
function* lineAt(
  { realPath, offset, length, line }: LinePlace,
  clean: Cleaner,
  isThere: (bytes: Buffer) => boolean,
): Generator<string | Buffer> {
  if (length > constants.MAX_STRING_LENGTH) {
    throw new SessionDbError("io", `line ${line} is too long to export`, {
      hint: `It is ${formatBytes(length)} long. Copy the file itself: ${oneLine(realPath)}`,
    });
  }
  const bytes = readRange(realPath, offset, length + CRLF.length);
  if (bytes === null || !isThere(bytes.subarray(0, length))) {
    throw new SessionDbError("io", "the session file has changed; try again");
  }
  const text = bytes.toString("utf8", 0, length);
  // In a file that is one array an entry may take several lines.
  const masked = clean.json(text.replace(/\r?\n/g, ""));
  yield masked === text ? bytes.subarray(0, length) : masked;
  yield bytes.toString("latin1", length) === CRLF ? CRLF : "\n";
}
