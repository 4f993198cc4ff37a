import { existsSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname, normalize } from "node:path";
import { codeOf } from "../errors.ts";
import { LateSet } from "../runtime/collections.ts";
import { type DirectoryCache, type FolderEntry, listFolder } from "./directory-cache.ts";
import { realPathOrNull } from "./paths.ts";
import {
  archiveOf,
  type IsExcluded,
  insideOf,
  isPackedName,
  isSessionFileName,
  LINK_DEPTH,
  NOTHING_EXCLUDED,
  unpackedName,
  whyNotFollowed,
} from "./session-path.ts";
import { type FileStat, toFileStat } from "./stat.ts";

/** A session file as found below a root. */
export interface LocatedFile {
  /** The path as it is reached through the root; what pi and the user call it. */
  path: string;
  /** `path` without symbolic links; of an archived session its packed file: the file's identity. */
  realPath: string;
  stat: FileStat;
}

/** What one walk over the roots could not see, or not completely. */
export interface Unseen {
  /** Roots that do not exist. */
  missingRoots: string[];
  /** Folders and files that could not be looked at, with the error code: what lies there is unknown, not gone. */
  unreadable: { path: string; code: string }[];
  /**
   * Whether some folder or file has another name, perhaps outside the roots. Watching the folders does not show every
   * change to it.
   */
  hasLinks: boolean;
}

/** What one walk over the roots saw. */
export interface Located extends Unseen {
  files: LocatedFile[];
}

/**
 * Finds the session files below the roots, at any depth: regular files named `*.jsonl`, or `*.json` for the form that
 * is one array. Links to folders and files are followed once for each real path, and only if that does not lie below
 * the roots itself; those to folders as `whyNotFollowed` says, and no deeper than `LINK_DEPTH`; several hard links of one file count once. Excluded folders and files are not even looked at.
 * What a root's archive holds is found under the paths that it had below the root.
 */
export function locateSessionFiles(roots: string[], isExcluded: IsExcluded = NOTHING_EXCLUDED): Located {
  const files: LocatedFile[] = [];
  const visit: Visit = (path, realPath, stats) => {
    files.push({ path, realPath, stat: toFileStat(stats) });
  };
  const unseen = visitSessionFiles(roots, visit, { isExcluded });
  return { ...unseen, files };
}

/** Called for each file found, with the fields of a `LocatedFile`. */
export type Visit = (path: string, realPath: string, stats: Stats) => void;

export interface WalkOptions {
  isExcluded: IsExcluded;
  /** Of this walk, for those who will walk again. */
  directories?: DirectoryCache | null;
}

/**
 * Finds session files one by one: keeping all of them, or just making an object of each, would take a tenth of the time of
 * looking at them. They come in the order of their paths, except those that are reached by links.
 */
export function visitSessionFiles(roots: string[], visit: Visit, options: WalkOptions): Unseen {
  const walk = new Walk(visit, options);
  for (const root of roots) walk.root(root);
  walk.links();
  return walk.unseen;
}

const IF_THERE = { throwIfNoEntry: false } as const;

class Walk {
  readonly unseen: Unseen = { missingRoots: [], unreadable: [], hasLinks: false };
  /** Real paths of the folders that were listed. */
  readonly #listed = new LateSet();
  /** Real paths of the files that links lead to. All others are known by their folders. */
  readonly #linked = new Set<string>();
  /** What was seen can be met again through links only, or from a root that lies in another. */
  #canMeetAgain = false;
  /** Followed last, so that what lies below the roots is found by its own path and not by that of a link to it. */
  readonly #links: { path: string; depth: number }[] = [];
  readonly #seenHardLinks = new Set<string>();
  readonly #visit: Visit;
  readonly #isExcluded: IsExcluded;
  readonly #directories: DirectoryCache | null;

  constructor(visit: Visit, { isExcluded, directories = null }: WalkOptions) {
    this.#visit = visit;
    this.#isExcluded = isExcluded;
    this.#directories = directories;
  }

  root(path: string): void {
    // First, because its paths sort before those of the root.
    const archive = realPathOrNull(archiveOf(path));
    if (archive !== null) this.#archived(normalize(path), archive);
    const realPath = this.#realPathOf(path);
    if (realPath === null) this.unseen.missingRoots.push(path);
    else if (realPath !== undefined) this.#folder(normalize(path), realPath, Number.POSITIVE_INFINITY);
    this.#canMeetAgain = true;
  }

  /** To be called once, after the last root. */
  links(): void {
    // Links that are found on the way are added at the end.
    for (const { path, depth } of this.#links) this.#link(path, depth);
  }

  /** The packed files in a folder of an archive; a session that is (back) below the root is met there. */
  #archived(path: string, realPath: string): void {
    if (this.#isExcluded(path) || this.#isExcluded(realPath)) return;
    let last = "";
    for (const entry of this.#entriesOf(realPath) ?? []) {
      const name = entry.slice(1);
      const original = insideOf(path) + unpackedName(name);
      const packed = insideOf(realPath) + name;
      if (entry[0] === "d") this.#archived(original, packed);
      else if (entry[0] === "f" && isPackedName(name) && original !== last && !existsSync(original)) {
        if (this.#file(original, packed, packed)) last = original;
      }
    }
  }

  /** @param depth how many folders deep it goes below this one */
  #folder(path: string, realPath: string, depth: number): void {
    if (this.#isExcluded(path) || this.#isExcluded(realPath)) return;
    if (this.#canMeetAgain && this.#listed.has(realPath)) return;
    const entries = this.#entriesOf(path);
    if (entries === null) return;
    this.#listed.add(realPath);
    const before = insideOf(path);
    const realBefore = insideOf(realPath);
    for (const entry of entries) {
      // Both parts are in normal form already; `join` would take a tenth of the walk's time.
      const name = entry.slice(1);
      const child = before + name;
      const realChild = before === realBefore ? child : realBefore + name;
      if (entry[0] === "d") {
        if (depth > 0) this.#folder(child, realChild, depth - 1);
      } else if (entry[0] === "l") this.#links.push({ path: child, depth: Math.min(depth, LINK_DEPTH) });
      else if (isSessionFileName(name) && !this.#isLinked(realChild)) {
        this.#file(child, realChild);
      }
    }
  }

  #link(path: string, depth: number): void {
    this.unseen.hasLinks = true;
    const stats = this.#statsOf(path);
    const realPath = stats ? this.#realPathOf(path) : null;
    if (!stats || !realPath) return;
    if (stats.isDirectory()) {
      if (depth > 0 && whyNotFollowed(realPath, stats) === null) this.#folder(path, realPath, depth - 1);
    } else if (stats.isFile() && isSessionFileName(path) && !this.#isSeen(realPath)) {
      if (this.#file(path, realPath)) this.#linked.add(realPath);
    }
  }

  #isSeen(realPath: string): boolean {
    const hasBeenListed = isSessionFileName(realPath) && this.#listed.has(dirname(realPath));
    return hasBeenListed || this.#isLinked(realPath);
  }

  /** Even an empty set hashes the path that it is asked for. */
  #isLinked(realPath: string): boolean {
    return this.#linked.size > 0 && this.#linked.has(realPath);
  }

  /** Whether it is a file to be visited. */
  #file(path: string, realPath: string, place = path): boolean {
    if (this.#isExcluded(path) || this.#isExcluded(realPath)) return false;
    const stats = this.#statsOf(place);
    if (!stats?.isFile()) return false;
    if (stats.nlink > 1 && this.#isKnownHardLink(stats)) return false;
    this.#visit(path, realPath, stats);
    return true;
  }

  #isKnownHardLink(stats: Stats): boolean {
    this.unseen.hasLinks = true;
    const identity = `${stats.dev}:${stats.ino}`;
    if (this.#seenHardLinks.has(identity)) return true;
    this.#seenHardLinks.add(identity);
    return false;
  }

  #entriesOf(path: string): readonly FolderEntry[] | null {
    try {
      return this.#directories === null ? listFolder(path) : this.#directories.list(path);
    } catch (error) {
      this.#note(path, error);
      return null;
    }
  }

  #statsOf(path: string): Stats | null {
    try {
      const stats = statSync(path, IF_THERE) ?? null;
      if (stats === null) this.#noteGone(path);
      return stats;
    } catch (error) {
      // A link that leads to itself counts as one whose target is gone.
      if (codeOf(error) !== "ELOOP") this.#note(path, error);
      return null;
    }
  }

  /** Null when nothing is there; undefined when that could not be looked at. */
  #realPathOf(path: string): string | null | undefined {
    try {
      return realpathSync(path);
    } catch (error) {
      if (codeOf(error) === "ENOENT") return null;
      this.#note(path, error);
      return undefined;
    }
  }

  /**
   * A folder or file that vanished between two looks is simply gone. But a name that is not valid UTF-8 cannot be given
   * back to the file system: what has such a name is passed over, and that must be reported.
   */
  #noteGone(path: string): void {
    if (path.includes("\ufffd")) this.unseen.unreadable.push({ path, code: "EILSEQ" });
  }

  #note(path: string, error: unknown): void {
    const code = codeOf(error);
    if (code === "") throw error;
    if (code === "ENOENT") this.#noteGone(path);
    else this.unseen.unreadable.push({ path, code });
  }
}
