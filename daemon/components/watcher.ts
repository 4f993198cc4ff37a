import { type FSWatcher, readdirSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import chokidar, { FSWatcher as RootWatcher, type Throttler } from "chokidar";
import { codeOf, unlessUnreadable } from "../../src/errors.ts";
import { folderAt } from "../../src/files/folder.ts";
import { nativeRealPathOrNull } from "../../src/files/paths.ts";
import { type IsExcluded, mayHoldSession } from "../../src/files/session-path.ts";
import { type FileIdentity, identityOf, sameFile } from "../../src/files/stat.ts";
import { FolderWatches, isAppend, type WatchListeners } from "./folder-watches.ts";

export interface WatcherOptions {
  roots: readonly string[];
  archives?: readonly string[];
  /** What is not watched. */
  isExcluded: IsExcluded;
  /** Roots that it says no to are not even looked at. */
  mayWatch?: (root: string) => boolean;
  /** Where one native watch covers a whole tree, it is used. */
  platform?: NodeJS.Platform;
  /** Milliseconds since some moment. */
  now?: () => number;
  /** How long to do without after the system has refused watches. */
  retryMs?: number;
}

const RETRY_MS = 5 * 60_000;
/** Systems where the kernel offers one watch for a whole tree. */
const RECURSIVE: readonly NodeJS.Platform[] = ["darwin", "win32"];

interface Root {
  identity: FileIdentity;
  realPath: string | null;
  /** Besides the watch of each folder; null where there is none. */
  watcher: RootWatcher | FSWatcher | null;
}

/**
 * Tells which session files may have changed. Never to be relied upon: what it misses, a sweep finds. Folders are watched,
 * not files: an `fs.watch` for each folder sees what comes and goes in it; chokidar sees new folders in roots that hold
 * only folders, as pi's do. For other roots it is no use: it reads all of a root again whatever happens there, even if
 * one of 5,000 session files is appended to.
 */
export class Watcher {
  readonly #listeners: WatchListeners;
  readonly #roots: readonly string[];
  readonly #archives: readonly string[];
  readonly #mayWatch: (root: string) => boolean;
  readonly #platform: NodeJS.Platform;
  readonly #recursive: boolean;
  readonly #now: () => number;
  readonly #retryMs: number;
  readonly #folders: FolderWatches;
  /** The roots that are there. */
  readonly #armed = new Map<string, Root>();
  #trouble: string | null = null;
  #troubledAt = 0;
  #closed = false;

  constructor(options: WatcherOptions, listeners: WatchListeners) {
    this.#listeners = listeners;
    [this.#roots, this.#archives] = [options.roots, options.archives ?? []];
    this.#mayWatch = options.mayWatch ?? (() => true);
    this.#platform = options.platform ?? process.platform;
    this.#recursive = RECURSIVE.includes(this.#platform);
    this.#now = options.now ?? (() => performance.now());
    this.#retryMs = options.retryMs ?? RETRY_MS;
    const heard = { onChange: (path: string) => this.#changed(path), onUnclear: () => listeners.onUnclear() };
    this.#folders = new FolderWatches(heard, options.isExcluded);
  }

  /** Why changes may be missed until the next sweep; null when they are not. */
  get degraded(): string | null {
    return this.#trouble;
  }

  /**
   * Whether nothing that is written below the roots can have escaped it, and it hears of a write before the writer goes
   * on. That is so on Linux only: other systems tell a moment later.
   */
  get hearsAll(): boolean {
    const { size, hasGaps } = this.#folders;
    return (
      this.#platform === "linux" &&
      this.#trouble === null &&
      !hasGaps &&
      size > 0 &&
      this.#roots.every((root) => this.#armed.has(root))
    );
  }

  /** How many folders and roots the file system tells about. */
  get watches(): number {
    return this.#folders.size + [...this.#armed.values()].filter(({ watcher }) => watcher !== null).length;
  }

  /** Watches the roots that are there and new, and lets go of those that are gone. Cheap: two looks a root. */
  checkRoots(): void {
    for (const root of [...this.#armed.keys()].filter((root) => !this.#mayWatch(root))) {
      this.#disarmRoot(root);
      this.#listeners.onUnclear();
    }
    // A root that was moved, and is reached through a link now, is watched under names that its files no longer have.
    if (this.#hasMoved()) this.#startAgain();
    for (const root of [...this.#roots, ...this.#archives]) {
      const stats = this.#mayWatch(root) ? folderAt(root) : null;
      const identity = stats && identityOf(stats);
      const before = this.#armed.get(root)?.identity ?? null;
      if (before === identity || (before && identity && sameFile(before, identity))) continue;
      this.#disarmRoot(root);
      if (identity !== null) this.#armRoot(root, identity);
      this.#listeners.onUnclear();
    }
  }

  /** To be called before a sweep: finds what has changed unseen, and tries again for watches refused long ago. */
  refresh(): void {
    if (this.#trouble !== null && this.#now() - this.#troubledAt >= this.#retryMs) this.#startAgain();
    this.checkRoots();
    this.#folders.refresh();
    this.#noteExhausted();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#folders.close();
    await Promise.all([...this.#armed.values()].map(({ watcher }) => watcher && letGoOf(watcher)));
    this.#armed.clear();
  }

  #hasMoved(): boolean {
    return [...this.#armed].some(
      ([root, { realPath }]) => ![null, realPath].includes(nativeRealPathOrNull(root)),
    );
  }

  #startAgain(): void {
    this.#trouble = null;
    this.#folders.exhausted = null;
    this.#folders.close();
    for (const root of [...this.#armed.keys()]) this.#disarmRoot(root);
  }

  #armRoot(root: string, identity: FileIdentity): void {
    const watcher = this.#recursive ? this.#watchTree(root) : this.#watchRoot(root);
    const realPath = nativeRealPathOrNull(root);
    if (watcher !== null || !this.#recursive) this.#armed.set(root, { identity, realPath, watcher });
    if (!this.#recursive) this.#folders.arm(root, { announce: false });
    this.#noteExhausted();
  }

  #disarmRoot(root: string): void {
    const armed = this.#armed.get(root);
    if (armed === undefined) return;
    this.#armed.delete(root);
    if (armed.watcher !== null) void letGoOf(armed.watcher);
    if (this.#mayWatch(root)) this.#folders.refresh();
    else this.#folders.unwatch(root);
  }

  /** Null where chokidar would read the root again at each append. */
  #watchRoot(root: string): RootWatcher | null {
    if (holdsSessionFiles(root)) return null;
    const watcher = chokidar.watch(root, {
      depth: 0,
      ignoreInitial: true,
      // A file that chokidar watches costs a watch of its own, and of quick changes the last is lost. A look at folders that
      // are watched already would take chokidar twice the time of watching them.
      ignored: (path, stats) => stats?.isFile() === true || (path !== root && this.#folders.watches(path)),
    });
    watcher.on("addDir", (path) => {
      if (path !== root) this.#folders.arm(path, { announce: true });
    });
    watcher.on("error", (error) => this.#fail(codeOf(error)));
    return watcher;
  }

  /** Once a root holds a session file, chokidar no longer watches it. */
  #changed(path: string): void {
    const root = this.#armed.get(dirname(path));
    if (root?.watcher) {
      void letGoOf(root.watcher);
      root.watcher = null;
    }
    this.#listeners.onChange(path);
  }

  #watchTree(root: string): FSWatcher | null {
    try {
      const watcher = watch(root, { recursive: true }, (event, name) => {
        if (name !== null && isAppend(event, name)) this.#listeners.onChange(join(root, name));
        // A folder may have been moved here with files in it.
        else if (name === null || folderAt(join(root, name)) !== null) this.#listeners.onUnclear();
        else if (mayHoldSession(name)) this.#listeners.onChange(join(root, name));
      });
      watcher.on("error", (error) => this.#fail(codeOf(error)));
      return watcher;
    } catch (error) {
      if (codeOf(error) === "") throw error;
      this.#fail(codeOf(error));
      return null;
    }
  }

  #noteExhausted(): void {
    if (this.#folders.exhausted !== null) this.#fail(this.#folders.exhausted);
  }

  #fail(code: string): void {
    // ELOOP comes of a link that leads to itself: no folder is behind it.
    if (code === "ELOOP" || this.#closed || this.#trouble !== null) return;
    this.#trouble = describe(code);
    this.#troubledAt = this.#now();
    this.#listeners.onUnclear();
  }
}

function holdsSessionFiles(folder: string): boolean {
  return unlessUnreadable(() => readdirSync(folder))?.some(mayHoldSession) ?? false;
}

/** chokidar emits errors after it was closed, too; an error that nobody listens for ends the process. */
function letGoOf(watcher: RootWatcher | FSWatcher): Promise<void> | void {
  if (watcher instanceof RootWatcher) forgetReading(watcher);
  const closed = watcher.close();
  watcher.on("error", () => undefined);
  return closed;
}

/**
 * For a folder that it is just reading, chokidar keeps a timer, and with it the process, for a second after it was closed.
 * Where it keeps these timers is not documented: a later version may keep them elsewhere.
 */
function forgetReading(watcher: RootWatcher): void {
  for (const reading of watcher._throttled?.values() ?? []) {
    const throttlers: Iterable<Throttler> = reading.values();
    for (const { clear } of throttlers) clear();
  }
}

function describe(code: string): string {
  switch (code) {
    case "ENOSPC":
      return "no more folders can be watched (ENOSPC: fs.inotify.max_user_watches)";
    case "EMFILE":
    case "ENFILE":
      return `no more folders can be watched (${code}: fs.inotify.max_user_instances, or open files)`;
    default:
      return `folders cannot be watched (${code || "unknown error"})`;
  }
}
