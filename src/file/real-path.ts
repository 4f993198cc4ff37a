import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { unlessUnreadable } from "./unreadable.ts";

/**
 * The names a path goes by: as it stands, and without symbolic links where it leads through some. pi notes directories
 * without links; people may know them by one. Where the disk does not tell capitals from small letters (macOS, Windows),
 * the second is written as the disk has it. What is not there (any more) has the name its nearest folder gives it.
 */
export function namesOfPath(path: string): string[] {
  return [...new Set([path, withoutLinks(path)].flatMap(ofEitherDrive))];
}

/** On Windows a drive goes by `C:` and `c:`: which one a program is told depends on who started it. */
function ofEitherDrive(path: string): string[] {
  const [drive] = /^[A-Za-z](?=:[/\\])/.exec(path) ?? [];
  if (drive === undefined) return [path];
  return [path, drive.toUpperCase() + path.slice(1), drive.toLowerCase() + path.slice(1)];
}

/** The path without symbolic links; null when nothing is there, or nothing that can be looked at. */
export function realPathOrNull(path: string): string | null {
  return unlessUnreadable(() => realpathSync(path)) ?? null;
}

/** The same, written as the disk has it where the disk does not tell capitals from small letters. */
export function nativeRealPathOrNull(path: string): string | null {
  return unlessUnreadable(() => realpathSync.native(path)) ?? null;
}

function withoutLinks(path: string): string {
  const real = nativeRealPathOrNull(path);
  if (real !== null) return real;
  const parent = dirname(path);
  return parent === path ? path : join(withoutLinks(parent), basename(path));
}

/** Links in a row that Linux follows: those of a circle end nowhere. */
const MOST_LINKS = 40;

/**
 * Where a link leads, though nothing may be there; any other path as it stands. Of links in a circle one is given, which
 * the file system refuses to open.
 *
 * @throws the file system's error
 */
export function endOfLinks(path: string, most = MOST_LINKS): string {
  if (most === 0 || !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
  return endOfLinks(resolve(realpathSync(dirname(path)), readlinkSync(path)), most - 1);
}
