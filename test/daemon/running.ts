import { setImmediate } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { WatchListeners } from "../../daemon/components/folder-watches.ts";
import { FreshnessServer } from "../../daemon/components/freshness-server.ts";
import { Roots } from "../../daemon/components/roots.ts";
import type { Intervals } from "../../daemon/components/scheduler.ts";
import type { DaemonReport } from "../../daemon/control/status-file.ts";
import { Daemon, type DaemonOptions } from "../../daemon/daemon.ts";
import { isKeptUpToDate } from "../../src/indexing/freshness-client.ts";
import { StopFlag } from "../../src/runtime/cancellation.ts";
import { feedSlice, SearchFeeder } from "../../src/search/feed/feeder.ts";
import { tidySlice } from "../../src/search/feed/merge.ts";
import { purgeSlice } from "../../src/search/purge.ts";
import type { FullText } from "../../src/search/worker-client.ts";
import { type Index, openIndex } from "../../src/store/open.ts";
import { toStoreError } from "../../src/store/sqlite-errors.ts";
import { indexIn } from "../helpers/open-index.ts";
import { PATIENCE_MS, pollUntil } from "../helpers/poll-until.ts";
import type { Store } from "../indexing/store.ts";

/** Everything at once: what a sweep would find after minutes it finds after a moment. */
export const HASTY: Partial<Intervals> = { feedMs: 10, removalMs: 20, tickMs: 50 };

export const HOUR = 60 * 60_000;
/** Nothing but hints and what is asked for. */
export const NO_SWEEPS: Partial<Intervals> = { ...HASTY, sweepMs: HOUR, hotMs: HOUR };

/** A watcher that says nothing by itself. */
export function deaf({ hearsAll = false } = {}) {
  const told: WatchListeners[] = [];
  const watch = (listeners: WatchListeners) => {
    told.push(listeners);
    return {
      degraded: null,
      watches: 0,
      hearsAll,
      checkRoots: () => undefined,
      refresh: () => undefined,
      close: () => Promise.resolve(),
    };
  };
  const changed = (path: string): void => told.at(-1)?.onChange(path);
  return { watch, changed, unclear: (): void => told.at(-1)?.onUnclear() };
}

/** The full text in this thread: a worker cannot be started from TypeScript. */
export class InlineFullText implements FullText {
  readonly #index: Index;
  readonly #feeder: SearchFeeder;
  readonly #stop = new StopFlag();
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#index = openIndex(indexIn(folder), { busyTimeoutMs: 1000 });
    this.#feeder = new SearchFeeder(this.#index);
  }

  feed(): ReturnType<FullText["feed"]> {
    return this.#after(() => feedSlice(this.#feeder, this.#stop));
  }

  tidy(): Promise<boolean> {
    return this.#after(() => tidySlice(this.#index, this.#stop));
  }

  purge(): ReturnType<FullText["purge"]> {
    return this.#after(() => purgeSlice(this.#index, this.#stop));
  }

  close(): Promise<void> {
    this.#stop.raise();
    return this.#after(() => this.#index.close());
  }

  /** Errors are told as the thread tells them. */
  readonly #fail = (error: unknown): never => {
    throw toStoreError(error, this.#index.location.searchPath);
  };

  /** One after the other, as a thread does what it is told. */
  #after<T>(work: () => T): Promise<T> {
    const done = this.#last
      .then(() => setImmediate())
      .then(work)
      .catch(this.#fail);
    this.#last = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }
}

/** Where the sessions of a test are, and their index. */
type Place = Pick<Store, "root" | "indexFolder">;

/** A daemon in this process, on the store of a test. */
export class Running {
  readonly daemon: Daemon;
  readonly #place: Place;
  readonly states: DaemonReport["state"][] = [];
  /** How often it has looked what there is to do. */
  turns = 0;
  readonly #controller = new AbortController();
  readonly #ended: Promise<void>;

  constructor(store: Place, options: Partial<DaemonOptions> = {}) {
    this.#place = store;
    this.daemon = new Daemon({
      roots: new Roots([store.root]),
      location: indexIn(store.indexFolder),
      intervals: HASTY,
      openFullText: () => new InlineFullText(store.indexFolder),
      isDiskFull: () => false,
      ...options,
      onTurn: (report) => {
        this.turns++;
        if (this.states.at(-1) !== report.state) this.states.push(report.state);
        options.onTurn?.(report);
      },
    });
    this.#ended = this.daemon.run(this.#controller.signal);
    onTestFinished(() => this.stop());
  }

  get sweeps(): number {
    return this.daemon.report().sweeps;
  }

  /** Everything that was there has been looked at. */
  async ready(): Promise<this> {
    await pollUntil(() => this.daemon.report().lastSyncAt !== null, { what: "the first sweep" });
    return this;
  }

  /** It has looked that many times more what there is to do: what it would do it has begun by then. */
  async turned(times: number): Promise<void> {
    const { turns } = this;
    await pollUntil(() => this.turns >= turns + times, { what: "turns of the daemon" });
  }

  /** Answers questions from now on; ready when it vouches for the store as it is. */
  async answering(): Promise<this> {
    await this.ready();
    const location = indexIn(this.#place.indexFolder);
    const runtimeDir = process.env.XDG_RUNTIME_DIR;
    const server = await FreshnessServer.open({ location, runtimeDir }, (question) =>
      this.daemon.isUpToDate(question),
    );
    onTestFinished(() => server?.close());
    const question = { roots: [this.#place.root], exclude: [], runtimeDir, patienceMs: PATIENCE_MS };
    await pollUntil(() => isKeptUpToDate(location, question), { what: "a daemon that vouches" });
    return this;
  }

  async stop(): Promise<void> {
    this.#controller.abort();
    await this.#ended;
  }
}
