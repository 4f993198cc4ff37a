import { createHash } from "node:crypto";
import { chmodSync, lstatSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { NO_STAT, statFile } from "../../src/files/stat.ts";
import { type FileIndexer, type FileOutcome, indexFileStep } from "../../src/indexing/index-file.ts";
import { type SyncOptions, type SyncResult, SyncRun, syncAll } from "../../src/indexing/sync-run.ts";
import { type FeedOptions, type FeedResult, feedSearch } from "../../src/search/feed/feeder.ts";
import { type Index, openIndex } from "../../src/store/open.ts";
import { asNobody } from "../files/as-nobody.ts";
import { dumpIndex, type IndexDump } from "../helpers/index-dump.ts";
import { indexIn, usualFolder, withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** So late that whatever was written a moment ago counts as settled. */
export const LATER = () => Date.now() + 60_000;

/** A sessions root (a new one unless given) and an index of it, in temporary folders of the running test. */
export class Store {
  readonly root: string;
  readonly indexFolder: string;
  #index: Index | undefined;

  constructor(root = tempDir("sessiondb-root-")) {
    onTestFinished(() => this.close());
    this.root = root;
    this.indexFolder = usualFolder();
    // For tests that give up root's power: only what they close shall be closed.
    chmodSync(this.root, 0o755);
  }

  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, bytes: string | Uint8Array): string {
    writeFileSync(this.path(name), bytes);
    return this.path(name);
  }

  /** Open from its first use to the end of the test. */
  get index(): Index {
    this.#index ??= openIndex(indexIn(this.indexFolder));
    return this.#index;
  }

  /** As when a process ends: the next use opens the index anew. */
  close(): void {
    this.#index?.close();
    this.#index = undefined;
  }

  /** Works on the files without root's power over permissions; the index is opened before. */
  asNobody<T>(work: () => T): T {
    this.index.search.prepare("SELECT 1").get();
    return asNobody(work);
  }

  /** Rows only, with a clock at which everything is settled unless told. */
  sync(options: SyncOptions = {}): SyncResult {
    return syncAll(this.index, [this.root], { now: LATER, ...options });
  }

  feed(options: FeedOptions = {}): FeedResult {
    return feedSearch(this.index, options);
  }

  /** Stops after so many steps, as if it had been ended there. */
  syncSteps(steps: number): void {
    const run = new SyncRun(this.index, [this.root], { now: LATER });
    for (let step = 0; step < steps && run.step(); step++);
  }

  /** Rows of the index, as arrays. */
  rows(sql: string, ...values: unknown[]): unknown[][] {
    const statement = this.index.database.prepare(sql).raw();
    return statement.all(...values) as unknown[][];
  }

  /** The first column of the rows. */
  column(sql: string, ...values: unknown[]): unknown[] {
    return this.rows(sql, ...values).map(([value]) => value);
  }

  dump(): IndexDump {
    return dumpIndex(this.index);
  }

  /** The dump of the same files indexed from nothing. */
  rebuilt(): IndexDump {
    return withIndex(tempDir("sessiondb-rebuilt-"), (index) => {
      syncAll(index, [this.root], { now: LATER });
      feedSearch(index);
      return dumpIndex(index);
    });
  }

  image(): string[] {
    return imageOf(this.root);
  }
}

/** Checksum, times and mode of everything below a folder. */
export function imageOf(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const path = join(root, name);
      const stat = lstatSync(path);
      const { mode, mtimeMs, ctimeMs, size } = stat;
      const sum = stat.isFile() ? createHash("sha1").update(readFileSync(path)).digest("hex") : "";
      return [name, mode, mtimeMs, ctimeMs, size, sum].join(" ");
    });
}

/** Brings the index up to date with one file, step by step. */
export function syncFile(ingest: FileIndexer, path: string): FileOutcome {
  let result = stepFor(ingest, path);
  while (result.more) result = stepFor(ingest, path);
  return result;
}

/** With so many sessions of a question and an answer each. */
export function storeOf(sessions: number): Store {
  const store = new Store();
  for (let number = 0; number < sessions; number++) {
    session({ id: `s${number}` })
      .user(`question ${number}`)
      .assistant()
      .write(store.path(`${number}.jsonl`));
  }
  return store;
}

/** One step for a file that is looked at now. */
export function stepFor(indexer: FileIndexer, path: string): FileOutcome {
  const [stat, cursor] = [statFile(path) ?? NO_STAT, indexer.tools.cursors.load(path)];
  return indexFileStep(indexer, { path, realPath: path, stat, cursor });
}
