import type { LocatedFile } from "../file/locate.ts";
import type { FileStat } from "../file/stat.ts";
import type { Cursor } from "./cursor.ts";

/** Fewer files than this may vanish at once without it looking like an accident. */
const ACCIDENT_FILES = 20;

/**
 * Whether files that are not found may be forgotten. When many files, and most of what there was, vanish at
 * once, a disk is more likely to be missing than a person to have tidied up.
 */
export function mayRemove(vanished: number, countKnown: () => number): boolean {
  return vanished < ACCIDENT_FILES || vanished * 2 <= countKnown();
}

/** Files that were moved: a file that is gone and a new one that share device and inode. */
export function movesAmong(gone: Cursor[], added: LocatedFile[]): Map<Cursor, LocatedFile> {
  const moves = new Map<Cursor, LocatedFile>();
  const byIdentity = new Map(added.map((file) => [identityOf(file.stat), file]));
  for (const cursor of gone) {
    const target = byIdentity.get(identityOf(cursor.stat));
    if (target === undefined) continue;
    moves.set(cursor, target);
    byIdentity.delete(identityOf(cursor.stat));
  }
  return moves;
}

function identityOf({ device, inode }: FileStat): string {
  return `${device}:${inode}`;
}
