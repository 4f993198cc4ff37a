import {
  lstatSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
  type WatchEventType,
  watch,
} from "node:fs";
import { basename, join } from "node:path";
import { codeOf, unlessUnreadable } from "../../src/errors.ts";
import {
  type IsExcluded,
  isWithin,
  LINK_DEPTH,
  mayHoldSession,
  whyNotFollowed,
} from "../../src/files/session-path.ts";
import { identityOf, sameFile } from "../../src/files/stat.ts";
import { type Watched, WatchTree } from "./watch-tree.ts";

export interface WatchListeners {
  /** The session file at `path` may have changed, come or gone. */
  onChange(path: string): void;
  /** Something happened that names no file. */
  onUnclear(): void;
}

/** The system gives no more watches or descriptors. */
const EXHAUSTED = ["ENOSPC", "EMFILE", "ENFILE"];
/** Codes that say that no folder is there; ELOOP is that of a link which leads to itself. */
const NOTHING_THERE = ["ENOENT", "ENOTDIR", "ELOOP"];

/** What a watch tells of: `name` is in, or is, the watched folder. */
interface Heard {
  path: string;
  realPath: string;
  name: string | null;
}

type Arming = Pick<Watched, "depth"> & { announce: boolean };

/** One `fs.watch` for each folder, found by walking down from the roots and by what the watches tell. */
export class FolderWatches {
  /** The error code with which the system has refused another watch; null while it has not. */
  exhausted: string | null = null;
  readonly #listeners: WatchListeners;
  readonly #isExcluded: IsExcluded;
  readonly #watched = new WatchTree();
  /** Folders that could not be watched, listed or even looked at, by the path they are reached by. */
  readonly #gaps = new Set<string>();

  constructor(listeners: WatchListeners, isExcluded: IsExcluded) {
    this.#listeners = listeners;
    this.#isExcluded = isExcluded;
  }

  get size(): number {
    return this.#watched.size;
  }

  /** Whether there may be folders that it hears nothing of. */
  get hasGaps(): boolean {
    return this.exhausted !== null || this.#gaps.size > 0;
  }

  /** Whether there is a watch for the folder, given by its real path. */
  watches(realPath: string): boolean {
    return this.#watched.get(realPath) !== undefined;
  }

  /**
   * Watches a folder and all below it, as far as they are not watched yet. With `announce` the session files
   * in folders that are new are told of: they may have been written before the watch was there.
   */
  arm(path: string, options: { announce: boolean }, depth = Number.POSITIVE_INFINITY): void {
    const realPath = this.#unlessGap(path, () => realpathSync.native(path));
    if (realPath !== undefined) this.#arm(path, realPath, { ...options, depth });
  }

  #arm(path: string, realPath: string, options: Arming): void {
    if (options.depth < 0) return;
    const stats = this.#folderAt(path, realPath);
    if (stats === null) return;
    if (this.#isExcluded(path) || this.#isExcluded(realPath)) return;
    const known = this.#watched.get(realPath);
    if (known !== undefined) {
      if (sameFile(known.identity, identityOf(stats))) return;
      this.disarm(realPath);
    }
    if (!this.#watch(path, realPath, { stats, depth: options.depth })) return;
    this.#descend(path, realPath, options);
  }

  /**
   * Compares the folders with those that are watched: finds replaced and lost ones, and new ones in folders that changed.
   * Only here gaps are closed: nobody has heard of what happened in them, but after a refresh comes a sweep.
   */
  refresh(): void {
    const gaps = [...this.#gaps];
    this.#gaps.clear();
    for (const path of gaps) this.arm(path, { announce: false });
    for (const [realPath, watched] of this.#watched.all()) {
      // It was let go of meanwhile, with a folder above it.
      if (this.#watched.get(realPath) !== watched) continue;
      const stats = this.#folderAt(watched.path, realPath);
      if (stats === null) this.disarm(realPath);
      else if (!sameFile(watched.identity, identityOf(stats)))
        this.arm(watched.path, { announce: false }, watched.depth);
      else if (stats.mtimeMs !== watched.mtimeMs) {
        watched.mtimeMs = stats.mtimeMs;
        this.#descend(watched.path, realPath, { announce: false, depth: watched.depth });
      }
    }
  }

  /** Forgets a folder and all below it, given by its real path. */
  disarm(folder: string): void {
    this.#watched.unwatch(folder);
  }

  /** Forgets all folders that are reached through a root, without looking at them: that may hang. */
  unwatch(root: string): void {
    for (const path of [...this.#gaps]) if (isWithin(root, path)) this.#gaps.delete(path);
    for (const [realPath, { path }] of this.#watched.all()) {
      if (isWithin(root, path)) this.#watched.unwatchAlone(realPath);
    }
  }

  close(): void {
    for (const [realPath] of this.#watched.all()) this.#watched.unwatchAlone(realPath);
    this.#gaps.clear();
  }

  /** Whether the folder is watched now. */
  #watch(path: string, realPath: string, { stats, depth }: { stats: Stats; depth: number }): boolean {
    if (this.exhausted !== null) return false;
    const watcher = this.#unlessGap(path, () =>
      watch(path, (event, name) => this.#heard(event, { realPath, path, name })),
    );
    if (watcher === undefined) return false;
    watcher.on("error", () => {
      this.#gaps.add(path);
      this.#lose(realPath);
    });
    this.#watched.add(realPath, {
      path,
      watcher,
      identity: identityOf(stats),
      mtimeMs: stats.mtimeMs,
      depth,
    });
    return true;
  }

  /** Takes the real path from its parent's: asking for every folder's would take half a minute where they lie deep. */
  #descend(path: string, realPath: string, { announce, depth }: Arming): void {
    const entries = this.#unlessGap(path, () => readdirSync(path, { withFileTypes: true }));
    if (entries === undefined) {
      // If it counted as watched, nobody would look for what lies in it once it can be listed.
      this.disarm(realPath);
      return;
    }
    // Sorted, so that of several ways to a folder the same one is always taken.
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const child = join(path, entry.name);
      if (entry.isDirectory()) this.#arm(child, join(realPath, entry.name), { announce, depth: depth - 1 });
      else if (entry.isSymbolicLink() && this.#isFolder(child)) this.#follow(child, { announce, depth });
      else if (announce && mayHoldSession(entry.name)) this.#listeners.onChange(child);
    }
  }

  #heard(event: WatchEventType, { realPath, path, name }: Heard): void {
    if (name === null) this.#listeners.onUnclear();
    else if (isAppend(event, name)) this.#listeners.onChange(join(path, name));
    else if (this.#isFolder(join(path, name))) this.#armNew(join(path, name), realPath);
    else if (this.watches(join(realPath, name))) this.#lose(join(realPath, name));
    else if (event === "rename" && name === basename(path)) this.#startAgain(path, realPath);
    else if (mayHoldSession(name)) this.#listeners.onChange(join(path, name));
  }

  #armNew(path: string, above: string): void {
    const depth = this.#watched.get(above)?.depth ?? Number.POSITIVE_INFINITY;
    const isLink = unlessUnreadable(() => lstatSync(path))?.isSymbolicLink() ?? false;
    if (isLink) this.#follow(path, { announce: true, depth });
    else this.arm(path, { announce: true }, depth - 1);
    // What lies behind a link may also lie below a root, under other names; and folders without a watch have to be found.
    if (this.exhausted !== null || isLink) this.#listeners.onUnclear();
  }

  /** A link to a folder, as far as the walk over the roots follows it. */
  #follow(link: string, { announce, depth }: Arming): void {
    const realPath = this.#unlessGap(link, () => realpathSync.native(link));
    const stats = realPath && this.#folderAt(link, realPath);
    if (realPath && stats && whyNotFollowed(realPath, stats) === null) {
      this.#arm(link, realPath, { announce, depth: Math.min(depth, LINK_DEPTH) - 1 });
    }
  }

  /**
   * When a folder itself is removed, the event bears the folder's own name. Another one may be in its place by now, and not
   * every system tells the two apart: they may have the same inode.
   */
  #startAgain(path: string, realPath: string): void {
    const watched = this.#watched.get(realPath);
    this.disarm(realPath);
    this.arm(path, { announce: true }, watched?.depth);
    if (!this.watches(realPath)) this.#listeners.onUnclear();
  }

  #lose(realPath: string): void {
    this.disarm(realPath);
    this.#listeners.onUnclear();
  }

  #isFolder(path: string): boolean {
    return this.#folderAt(path, path) !== null;
  }

  /** Null when there is no folder, or none that can be looked at. */
  #folderAt(path: string, realPath: string): Stats | null {
    const stats = this.#unlessGap(path, () => statSync(realPath, { throwIfNoEntry: false }));
    return stats?.isDirectory() ? stats : null;
  }

  /** What `look` gives; undefined where nothing is, and where something is that cannot be looked at, which is a gap. */
  #unlessGap<T>(path: string, look: () => T): T | undefined {
    try {
      return look();
    } catch (error) {
      const code = codeOf(error);
      if (code === "") throw error;
      if (EXHAUSTED.includes(code)) this.exhausted = code;
      if (!NOTHING_THERE.includes(code) && !this.#isExcluded(path)) this.#gaps.add(path);
      return undefined;
    }
  }
}

/**
 * Whether an event tells that a session file is being written. The event alone has to tell: a look at the path for every
 * line would cost too much. What comes or goes is a "rename", and may be a folder, whatever its name.
 */
export function isAppend(event: WatchEventType, name: string): boolean {
  return event === "change" && mayHoldSession(name);
}
