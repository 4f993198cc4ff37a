import { endsMatch, extendFingerprint, wholeMatches } from "../file/fingerprint.ts";
import { readFully } from "../file/lines.ts";
import type { FileStat } from "../file/stat.ts";
import { proofNeeded } from "./change.ts";
import type { Cursor } from "./cursor.ts";

/** Whether an open file still begins with what the index has of it. Reads as much of it as `proofNeeded` asks for. */
export function prefixHolds(fd: number, cursor: Cursor, stat: FileStat): boolean {
  const proof = proofNeeded(cursor, stat);
  switch (proof) {
    case "nothing":
      return true;
    case "impossible":
      return false;
    case "ends":
      return endsMatch(fd, cursor.fingerprint);
    case "whole":
      return wholeMatches(fd, cursor.fingerprint);
    default:
      return proof satisfies never;
  }
}

/**
 * A line that was taken in before its `\n` came must be followed by one now; then it is a line like any other,
 * and the Cursor moves past it. False when something else follows.
 */
export function finishProvisionalLine(fd: number, cursor: Cursor, stat: FileStat): boolean {
  const end = cursor.fingerprint.length;
  if (cursor.provisionalLength === 0 || stat.size === end) return true;
  const next = Buffer.alloc(2);
  const filled = readFully(fd, next, 0, Math.min(2, stat.size - end), end);
  const terminator = next
    .subarray(0, filled)
    .toString("latin1")
    .match(/^\r?\n/)?.[0];
  if (terminator === undefined) return false;
  cursor.offset = end + terminator.length;
  cursor.provisionalLength = 0;
  cursor.lines++;
  const added = next.subarray(0, terminator.length);
  cursor.fingerprint = extendFingerprint(fd, cursor.fingerprint, cursor.offset, added);
  return true;
}
