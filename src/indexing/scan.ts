import { existsSync, type Stats } from "node:fs";
import type { DirectoryCache } from "../files/directory-cache.ts";
import { type LocatedFile, type Unseen, visitSessionFiles } from "../files/locate.ts";
import {
  archiveOf,
  type IsExcluded,
  isPackedName,
  isWithin,
  isWithinAny,
  NOTHING_EXCLUDED,
} from "../files/session-path.ts";
import { type FileStat, toFileStat } from "../files/stat.ts";
import { GarbageBound } from "../runtime/garbage.ts";
import type { Database } from "../store/native.ts";
import { type Cursor, isUntouched, loadCursor } from "../store/tables/cursors.ts";
import { KnownFiles } from "./known-files.ts";
import type { MovedTo } from "./table-writers.ts";

/** A file that has to be read. There may be very many, so it holds no more than is asked for. */
export interface Due extends MovedTo, Pick<FileStat, "device" | "inode"> {
  /** How many have to be read at least. */
  bytes: number;
  /** The index does not know it. */
  isNew: boolean;
}

/** What one look at everything below the roots found, compared with what the index knows. */
export interface Scan extends Unseen {
  /** The files of the index: those have noted which of them are there. */
  known: KnownFiles;
  /** How many files there are. */
  seen: number;
  due: Due[];
  /** Files that lie where they did but are reached by another path: through another link, or another root. */
  renamed: Map<Cursor, MovedTo>;
}

/** Somebody wants to know which files were written last. */
export interface Recent {
  /** Unix ms. */
  since: number;
  /** Called with all of these that there are. */
  onLocated: (files: readonly LocatedFile[]) => void;
}

export interface ScanOptions {
  isExcluded?: IsExcluded;
  recent?: Recent | undefined;
  directories?: DirectoryCache | null;
}

/** Files. */
const CHECKED_AFTER = 5000;

/** Finds the files below the roots and compares each with what the index has of it. Nothing is written. */
export function scanRoots(database: Database, roots: string[], options: ScanOptions = {}): Scan {
  const { isExcluded = NOTHING_EXCLUDED, recent, directories = null } = options;
  const since = recent?.since ?? Number.POSITIVE_INFINITY;
  const known = KnownFiles.load(database);
  const found = { known, seen: 0, due: [] as Due[], renamed: new Map<Cursor, MovedTo>() };
  const located: LocatedFile[] = [];
  const garbage = new GarbageBound();
  const visit = (path: string, realPath: string, stats: Stats): void => {
    found.seen++;
    if (found.seen % CHECKED_AFTER === 0) garbage.check();
    const isKnown = known.isAsItWas(path, realPath, stats);
    const isRecent = stats.mtimeMs > since;
    if (isKnown && !isRecent) return;
    const file = { path, realPath, stat: toFileStat(stats) };
    if (isRecent) located.push(file);
    if (isKnown) return;
    const cursor = loadCursor(database, realPath);
    if (needsReading(file, cursor)) found.due.push(toDue(file, cursor));
    if (cursor !== null && cursor.path !== path) {
      found.renamed.set(cursor, { path, realPath, mtimeMs: stats.mtimeMs });
    }
  };
  const unseen = visitSessionFiles(roots, visit, { isExcluded, directories });
  recent?.onLocated(located);
  return { ...unseen, ...found };
}

/** Whether the index has everything below the roots as it is: nothing to read, to move or to remove. */
export function isAllAsItWas(
  scan: Scan,
  roots: readonly string[],
  isExcluded: IsExcluded = NOTHING_EXCLUDED,
): boolean {
  const { due, renamed } = scan;
  if (due.length + renamed.size > 0 || disappeared(scan, roots).length > 0) return false;
  return excludedAmong(scan.known, isExcluded).length === 0;
}

/** Files of the index that are not below the roots any more, but for those in places that could not be looked at. */
export function disappeared({ known, missingRoots, unreadable }: Scan, roots: readonly string[]): Cursor[] {
  const unknown = [...missingRoots, ...unreadable.map(({ path }) => path)];
  const missing = known.missing((path) => isWithinAny(roots, path) && !isWithinAny(unknown, path));
  return missing.filter(
    ({ path, realPath }) => !isWithinAny(unknown, realPath) && hasItsArchive(path, realPath, roots),
  );
}

/** False for an archived session whose whole archive is gone: it may lie on a disk that is missing. */
function hasItsArchive(path: string, realPath: string, roots: readonly string[]): boolean {
  if (!isPackedName(realPath)) return true;
  return roots.some((root) => isWithin(root, path) && existsSync(archiveOf(root)));
}

/** Files of the index that must not be in it. */
export function excludedAmong(known: KnownFiles, isExcluded: IsExcluded): Cursor[] {
  return isExcluded === NOTHING_EXCLUDED ? [] : known.among(isExcluded);
}

function needsReading(file: LocatedFile, cursor: Cursor | null): boolean {
  return cursor === null || !isUntouched(cursor, file.stat);
}

function toDue(file: LocatedFile, cursor: Cursor | null): Due {
  const { path, realPath, stat } = file;
  const { device, inode, mtimeMs } = stat;
  const bytes = missingBytes(file, cursor);
  return { path, realPath, device, inode, mtimeMs, bytes, isNew: cursor === null };
}

/** A guess for the progress bar: the bytes after what the index has. */
function missingBytes(file: LocatedFile, cursor: Cursor | null): number {
  return Math.max(0, file.stat.size - (cursor?.fingerprint.length ?? 0));
}
