import type { FSWatcher } from "node:fs";
import { dirname } from "node:path";
import { isWithin } from "../../src/files/session-path.ts";
import type { FileIdentity } from "../../src/files/stat.ts";

/** A folder that is watched. */
export interface Watched {
  /** The path it is reached by. */
  path: string;
  watcher: FSWatcher;
  /** Which folder it was that is watched: another one may take its place. */
  identity: FileIdentity;
  /** The folder's time when it was listed. If it is another now, something has been added to the folder or removed. */
  mtimeMs: number;
  /** How many folders deep those below it are watched: as deep as they lie, but for what is reached by a link. */
  depth: number;
}

/**
 * The folders that are watched, by real path: one that is reached in two ways is watched once. A folder is let go of
 * with all below it, and without a look at all others: thousands may go one by one (of 10,000 that took 9 s).
 */
export class WatchTree {
  readonly #watched = new Map<string, Watched>();
  /** By real path of a folder: the real paths of those in it that are watched. */
  readonly #below = new Map<string, Set<string>>();
  /** Those whose own folder was not watched before them: roots, and what links lead to. */
  readonly #tops = new Set<string>();

  get size(): number {
    return this.#watched.size;
  }

  get(realPath: string): Watched | undefined {
    return this.#watched.get(realPath);
  }

  /** As it is now: what is added or let go of meanwhile changes nothing. */
  all(): [realPath: string, watched: Watched][] {
    return [...this.#watched];
  }

  /** A folder that is not there yet. */
  add(realPath: string, watched: Watched): void {
    const above = dirname(realPath);
    if (above !== realPath && this.#watched.has(above)) this.#siblings(above).add(realPath);
    else this.#tops.add(realPath);
    this.#watched.set(realPath, watched);
  }

  /** Lets go of a folder and all below it. */
  unwatch(folder: string): void {
    this.#unwatch(folder);
    for (const top of [...this.#tops]) if (isWithin(folder, top)) this.#unwatch(top);
  }

  #unwatch(realPath: string): void {
    for (const child of this.#below.get(realPath) ?? []) this.#unwatch(child);
    this.unwatchAlone(realPath);
  }

  /** Lets go of a folder, but not of those below it. */
  unwatchAlone(realPath: string): void {
    this.#watched.get(realPath)?.watcher.close();
    this.#watched.delete(realPath);
    this.#tops.delete(realPath);
    this.#below.get(dirname(realPath))?.delete(realPath);
    for (const child of this.#below.get(realPath) ?? []) this.#tops.add(child);
    this.#below.delete(realPath);
  }

  #siblings(above: string): Set<string> {
    const siblings = this.#below.get(above) ?? new Set();
    this.#below.set(above, siblings);
    return siblings;
  }
}
