import { type Dirent, readdirSync, statSync } from "node:fs";
import { sep } from "node:path";
import { COARSE_GRANULARITY_MS } from "./file-system.ts";
import { type FileStat, sameStat, toFileStat } from "./stat.ts";

const WITH_TYPES = { withFileTypes: true } as const;

/**
 * A folder, file or link in a folder: a letter for its kind, then its name. Very many are kept, and an object of each would
 * take as much again.
 */
export type FolderEntry = `${"d" | "f" | "l"}${string}`;

interface Listing {
  /** Of the folder, taken before it was listed. */
  stat: FileStat;
  entries: readonly FolderEntry[];
}

/**
 * What a folder holds, sorted, so that which of several links is taken does not depend on the file system.
 *
 * @throws the system's errors
 */
export function listFolder(path: string): readonly FolderEntry[] {
  return readdirSync(path, WITH_TYPES).sort(inOrderOfPaths).flatMap(toEntry);
}

/** None for devices, sockets and pipes. */
function toEntry(entry: Dirent): FolderEntry | [] {
  if (entry.isFile()) return `f${entry.name}`;
  if (entry.isDirectory()) return `d${entry.name}`;
  return entry.isSymbolicLink() ? `l${entry.name}` : [];
}

/**
 * What one walk has found in its folders, so that the next one need not list those that are as they were. Where the
 * disk has to be asked for each, listing takes a quarter of the time of looking at everything.
 */
export class DirectoryCache {
  readonly #before: ReadonlyMap<string, Listing>;
  readonly #listings = new Map<string, Listing>();
  readonly #now: () => number;

  /**
   * @param before those of the last walk, unless something is known that makes them doubtful
   * @param now Unix ms, as the file system's clock says it
   */
  constructor(before: DirectoryCache | null, now = Date.now) {
    this.#before = before === null ? new Map() : before.#listings;
    this.#now = now;
  }

  /** As `listFolder`. Whatever comes to a folder, leaves it or is renamed in it changes the folder's times. */
  list(path: string): readonly FolderEntry[] {
    const stat = toFileStat(statSync(path));
    const before = this.#before.get(path);
    const now = this.#now();
    const isAsItWas = before !== undefined && sameStat(before.stat, stat);
    const listing = isAsItWas ? before : { stat, entries: listFolder(path) };
    if (isPast(stat, now)) this.#listings.set(path, listing);
    return listing.entries;
  }
}

/** Whether a later change gives other times. */
function isPast({ mtimeMs, ctimeMs }: FileStat, now: number): boolean {
  return Math.max(mtimeMs, ctimeMs) < now - COARSE_GRANULARITY_MS;
}

/** A folder is sorted as its name with a separator: that is how the paths of all it holds go on. */
function inOrderOfPaths(a: Dirent, b: Dirent): number {
  return orderOf(a) < orderOf(b) ? -1 : 1;
}

function orderOf(entry: Dirent): string {
  return entry.isDirectory() ? entry.name + sep : entry.name;
}
