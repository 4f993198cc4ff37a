import { originalOf } from "../../src/files/archive-place.ts";
import { archiveOf, isPackedName } from "../../src/files/session-path.ts";
import type { Component, DaemonContext, DaemonEvent } from "./component.ts";
import type { WatchListeners } from "./folder-watches.ts";
import { Watcher } from "./watcher.ts";

/** What is needed of a watcher. */
export type Watching = Pick<
  Watcher,
  "degraded" | "watches" | "hearsAll" | "checkRoots" | "refresh" | "close"
>;

/** If more events than this come at once, the system's queue may have lost some. */
const FLOOD = 4096;

/**
 * Watches what lies below the roots that respond. Emits `pathChanged` and `unclear`; before a sweep (`sweepStarting`) it
 * finds what has changed unseen.
 */
export class RootWatch implements Component {
  readonly #watcher: Watching;
  readonly #context: Pick<DaemonContext, "roots" | "emit">;
  /** Since the last turn of the event loop in which all that had come were heard. */
  #events = 0;

  constructor(
    context: Pick<DaemonContext, "roots" | "isExcluded" | "emit">,
    watch?: (listeners: WatchListeners) => Watching,
  ) {
    const { roots, isExcluded, emit } = context;
    this.#context = context;
    const listeners = {
      onChange: (path: string) => {
        this.#events++;
        // What is archived, or restored, keeps its path.
        const changed = isPackedName(path) ? originalOf(path, roots.all) : path;
        if (changed !== null) emit({ kind: "pathChanged", path: changed });
      },
      onUnclear: () => emit({ kind: "unclear" }),
    };
    const mayWatch = (root: string): boolean => roots.tells(root);
    const archives = roots.all.map(archiveOf);
    const options = { roots: roots.all, archives, mayWatch, isExcluded };
    this.#watcher = watch?.(listeners) ?? new Watcher(options, listeners);
  }

  /** Why changes may be missed until the next sweep, for people; null when they are not. */
  get trouble(): string | null {
    return this.#watcher.degraded;
  }

  get watches(): number {
    return this.#watcher.watches;
  }

  /** Whether nothing that is written below the roots can have escaped it. */
  get hearsAll(): boolean {
    return this.#watcher.hearsAll;
  }

  /** Whether changes are found by looking only, at least some. */
  get polls(): boolean {
    return this.#context.roots.polls || this.#watcher.degraded !== null;
  }

  async start(): Promise<void> {
    await this.#context.roots.check();
    this.#watcher.checkRoots();
  }

  handle(event: DaemonEvent): void {
    if (event.kind === "sweepStarting") this.#watcher.refresh();
  }

  stop(): Promise<void> {
    return this.#watcher.close();
  }

  /** Asks the roots whether they respond, and watches those that are new. */
  async check(): Promise<void> {
    if (await this.#context.roots.check()) this.#context.emit({ kind: "unclear" });
    this.#watcher.checkRoots();
  }

  /** Watches roots that are new, and lets go of those that are gone. */
  checkRoots(): void {
    this.#watcher.checkRoots();
  }

  /** To be called when all events that had come were heard. */
  noticeFlood(): void {
    if (this.#events > FLOOD) this.#context.emit({ kind: "unclear" });
    this.#events = 0;
  }
}
