import { existsSync } from "node:fs";
import { packedFileOf } from "../files/archive-place.ts";
import { isPackedName, isWithinAny } from "../files/session-path.ts";
import type { FileIdentity } from "../files/stat.ts";
import type { Cursor } from "../store/tables/cursors.ts";
import { disappeared, type Scan } from "./scan.ts";
import type { MovedTo } from "./table-writers.ts";

/** Fewer files than this may vanish at once without it looking like an accident. */
const ACCIDENT_FILES = 20;

/** What became of the files that are not where they were. */
export interface Fate {
  moved: Map<Cursor, MovedTo>;
  /** To be removed. */
  gone: Cursor[];
  /** So many that an accident is more likely: what the index has of them stays. */
  vanished: Cursor[];
}

export function fateOf(scan: Scan, roots: readonly string[]): Fate {
  const { due, renamed } = scan;
  const all = disappeared(scan, roots);
  // Their rows follow when they are read. Until then nothing else may go there: a packed file often has the inode of a
  // session file that was removed just before.
  const onTheirWay = new Set(all.filter((cursor) => isArchivedOrBack(cursor, roots)).map(({ path }) => path));
  const missing = all.filter(({ path }) => !onTheirWay.has(path));
  const added = due.filter(({ isNew, path }) => isNew && !onTheirWay.has(path));
  const moved = new Map<Cursor, MovedTo>([...movesAmong(missing, added), ...renamed]);
  const lost = missing.filter((cursor) => !moved.has(cursor));
  return mayRemove(lost.length, () => scan.known.count((path) => isWithinAny(roots, path)))
    ? { moved, gone: lost, vanished: [] }
    : { moved, gone: [], vanished: lost };
}

/**
 * Whether a file was archived, or restored, since the index has read it, or just now, while all was looked at: its rows go
 * to the new place when that is read.
 */
function isArchivedOrBack({ path, realPath }: Cursor, roots: readonly string[]): boolean {
  return packedFileOf(path, roots) !== null || (isPackedName(realPath) && existsSync(path));
}

/**
 * Whether files that are not found may be removed. When many files, and most of what there was, vanish at
 * once, a disk is more likely to be missing than a person to have tidied up.
 */
export function mayRemove(vanished: number, countKnown: () => number): boolean {
  return vanished < ACCIDENT_FILES || vanished * 2 <= countKnown();
}

/** The part of a file's identity that the index keeps. */
type Identity = Pick<FileIdentity, "device" | "inode">;

/** Files that were moved: a file that is gone and a new one that share device and inode. */
export function movesAmong<T extends Identity>(gone: readonly Cursor[], added: readonly T[]): Map<Cursor, T> {
  const moves = new Map<Cursor, T>();
  if (gone.length === 0) return moves;
  const byIdentity = new Map(added.map((file) => [nameOf(file), file]));
  for (const cursor of gone) {
    const target = byIdentity.get(nameOf(cursor.stat));
    if (target === undefined) continue;
    moves.set(cursor, target);
    byIdentity.delete(nameOf(cursor.stat));
  }
  return moves;
}

function nameOf({ device, inode }: Identity): string {
  return `${device}:${inode}`;
}
