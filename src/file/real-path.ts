import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { unlessUnreadable } from "./unreadable.ts";

/**
 * The names of a path: as it stands, and without symbolic links where it leads through some. pi notes directories
 * without links; people may know them by a link. On disks that ignore case (macOS, Windows), the second is written as
 * the disk has it. If nothing is there (any more), the nearest folder that exists is taken without links.
 */
export function namesOfPath(path: string): string[] {
  return [...new Set([path, withoutLinks(path)].flatMap(ofEitherDrive))];
}

/** On Windows a drive is both `C:` and `c:`: which one a program sees depends on how it was started. */
function ofEitherDrive(path: string): string[] {
  const [drive] = /^[A-Za-z](?=:[/\\])/.exec(path) ?? [];
  if (drive === undefined) return [path];
  return [path, drive.toUpperCase() + path.slice(1), drive.toLowerCase() + path.slice(1)];
}

/** The path without symbolic links; null when nothing is there, or when it cannot be looked at. */
export function realPathOrNull(path: string): string | null {
  return unlessUnreadable(() => realpathSync(path)) ?? null;
}

/** The same, written as the disk has it where the disk ignores case. */
export function nativeRealPathOrNull(path: string): string | null {
  return unlessUnreadable(() => realpathSync.native(path)) ?? null;
}

function withoutLinks(path: string): string {
  const real = nativeRealPathOrNull(path);
  if (real !== null) return real;
  const parent = dirname(path);
  return parent === path ? path : join(withoutLinks(parent), basename(path));
}

/** How many links in a row Linux follows; links in a circle have no end. */
const MOST_LINKS = 40;

/**
 * The path to which a link leads, whether or not anything is there; any other path as it stands. For links in a circle
 * it is one of them, which the file system refuses to open.
 *
 * @throws the file system's error
 */
export function endOfLinks(path: string, most = MOST_LINKS): string {
  if (most === 0 || !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
  return endOfLinks(resolve(realpathSync(dirname(path)), readlinkSync(path)), most - 1);
}
