import {
  continueCrc,
  endsMatch,
  extendFingerprint,
  type Fingerprint,
  wholeMatches,
} from "../files/fingerprint.ts";
import { LOOK_BYTES, readFully } from "../files/lines.ts";
import type { Opened } from "../files/packed-file.ts";
import { type FileStat, sameStat } from "../files/stat.ts";
import type { Cursor } from "../store/tables/cursors.ts";
import { type Proof, proofNeeded } from "./change-detection.ts";

/** Whether an open file still begins with what the index has of it. Reads as much of it as `proofNeeded` asks for. */
export function prefixHolds(fd: Opened, cursor: Cursor, stat: FileStat): boolean {
  return holds(fd, cursor.fingerprint, proofNeeded(cursor, stat));
}

function holds(fd: Opened, fingerprint: Fingerprint, proof: Proof): boolean {
  switch (proof) {
    case "nothing":
      return true;
    case "impossible":
      return false;
    case "ends":
      return endsMatch(fd, fingerprint);
    case "whole":
      return wholeMatches(fd, fingerprint);
    default:
      return proof satisfies never;
  }
}

/** A comparison of every byte that has not come to its end. */
interface Begun {
  /** The file's stat when the comparison began: when the file is touched meanwhile, it begins again. */
  stat: FileStat;
  length: number;
  at: number;
  crc: number;
}

/** What `proofNeeded` said of a file, and the stat it said it of. */
interface Needed {
  stat: FileStat;
  proof: Proof;
}

/** `prefixHolds` in steps, because comparing every byte of a file of gigabytes takes seconds. */
export class PrefixProofs {
  readonly #stepBytes: number;
  /** By file. */
  readonly #begun = new Map<number, Begun>();

  constructor(stepBytes = LOOK_BYTES) {
    this.#stepBytes = stepBytes;
  }

  /** One step of the proof that is needed. `more`: nothing is known yet; to be asked again. */
  step(fd: Opened, cursor: Cursor, { stat, proof }: Needed): "holds" | "fails" | "more" {
    const { fileId, fingerprint } = cursor;
    const isLong = fingerprint.length > this.#stepBytes;
    if (!isLong || proof !== "whole") {
      this.#begun.delete(fileId);
      return holds(fd, fingerprint, proof) ? "holds" : "fails";
    }
    const begun = this.#resume(cursor, stat);
    const end = Math.min(fingerprint.length, begun.at + this.#stepBytes);
    begun.crc = continueCrc(fd, begun.at, end, begun.crc);
    begun.at = end;
    if (begun.crc !== -1 && end < fingerprint.length) return "more";
    this.#begun.delete(fileId);
    return begun.crc === fingerprint.whole && endsMatch(fd, fingerprint) ? "holds" : "fails";
  }

  /** How far the comparison of a file has come: bytes. */
  placeOf(fileId: number): number {
    return this.#begun.get(fileId)?.at ?? 0;
  }

  #resume({ fileId, fingerprint }: Cursor, stat: FileStat): Begun {
    const begun = this.#begun.get(fileId);
    if (begun?.length === fingerprint.length && sameStat(begun.stat, stat)) return begun;
    const fresh = { stat, length: fingerprint.length, at: 0, crc: 0 };
    this.#begun.set(fileId, fresh);
    return fresh;
  }
}

/**
 * A line that was taken in before its `\n` came must be followed by one now; then it is a line like any other,
 * and the Cursor moves past it. False when something else follows.
 */
export function finishProvisionalLine(fd: Opened, cursor: Cursor, stat: FileStat): boolean {
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
