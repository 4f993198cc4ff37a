import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import type { SyncResult } from "../../src/indexing/sync-run.ts";
import { fc } from "../helpers/drawn.ts";
import { runs, SEED } from "../helpers/fuzz.ts";
import { type OddEvent, OddStore, oddEvents, type PresentFile } from "../helpers/odd-store.ts";
import { type FileEvent, fileEvents, happen } from "../helpers/session-store-model.ts";
import { Store } from "./store.ts";

const RUNS = runs(60);

type Event = { by: "writer"; event: FileEvent } | { by: "odds"; event: OddEvent } | { by: "sync" };

const histories: fc.Arbitrary<Event[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fileEvents.map((event) => ({ by: "writer" as const, event })) },
    { weight: 4, arbitrary: oddEvents.map((event) => ({ by: "odds" as const, event })) },
    { weight: 3, arbitrary: fc.constant({ by: "sync" as const }) },
  ),
  { minLength: 5, maxLength: 40 },
);

/** What the index has of a file. */
interface Known {
  id: number;
  /** 1 for a session. */
  isSession: number;
  status: string;
  /** Equal where the rows are. */
  rows: string;
}

const KNOWN = `SELECT f.path, f.id, f.id IN (SELECT file_id FROM sessions) AS isSession, f.status,
    f.malformed_lines || ' ' || coalesce((SELECT group_concat(line || ':' || offset || ':' || length)
      FROM (SELECT line, offset, length FROM entries WHERE file_id = f.id ORDER BY line)), '') AS rows
  FROM files f`;

/** A store of anything, its index, and what was last read of each file. */
class Counted {
  readonly #store = new Store();
  readonly #odds = new OddStore(this.#store.root);
  /** Bytes, by the number of the file. */
  #read = new Map<number, string>();

  do(event: Event): void {
    if (event.by === "writer") happen(this.#store.root, event.event);
    else if (event.by === "odds") this.#odds.happen(event.event);
    else this.sync();
  }

  /** Two in a row. */
  sync(): void {
    this.#odds.whileLocked(() => {
      const present = this.#odds.present();
      const before = this.#known();
      const { files, complete } = this.#syncNow();
      const after = this.#known();
      expect(complete).toBe(true);
      this.#check(files, { present, before, after });
      const unchanged = files.seen - files.failed;
      const again = { ...files, unchanged, indexed: 0, removed: 0, notSessions: 0 };
      expect(this.#syncNow().files).toEqual(again);
      this.#note(present, after);
    });
  }

  close(): void {
    this.#store.close();
    for (const folder of [this.#store.root, this.#store.indexFolder]) rmSync(folder, { recursive: true });
  }

  #check(
    files: SyncResult["files"],
    {
      present,
      before,
      after,
    }: { present: Map<string, PresentFile>; before: Map<string, Known>; after: Map<string, Known> },
  ): void {
    const locked = inodesOf(present, ({ bytes }) => bytes === null);
    expect(files.seen).toBe(inodesOf(present, () => true).size);
    expect(files.failed).toBe(locked.size);
    const taken = files.indexed + files.notSessions;
    expect(files.unchanged + taken).toBe(files.seen - files.failed);
    const seen = [...after].filter(([path]) => present.has(path));
    expect(seen).toHaveLength(files.seen);
    const read = seen.filter(([path]) => present.get(path)?.bytes !== null);
    const sessions = read.filter(([, { isSession }]) => isSession === 1);
    expect(files.indexed).toBeLessThanOrEqual(sessions.length);
    expect(files.notSessions).toBeLessThanOrEqual(read.length - sessions.length);
    // The number of a file that was removed may be another's by now.
    const old = new Map([...before.values()].map((known) => [known.id, known]));
    const fresh = read.filter(([, { id }]) => !old.has(id));
    const otherRows = read.filter(([, { id, rows }]) => old.get(id)?.rows !== rows);
    const otherBytes = read.filter(([path, { id }]) => this.#read.get(id) !== present.get(path)?.bytes);
    expect(taken).toBeGreaterThanOrEqual(new Set([...fresh, ...otherRows]).size);
    // Nor does it tell one that is read anew under its other name, by which it is read in another way.
    expect(taken).toBeLessThanOrEqual(new Set([...fresh, ...otherBytes]).size + files.removed);
    const gained = after.size - before.size + files.removed;
    expect(gained).toBeGreaterThanOrEqual(fresh.length);
    expect(gained).toBeLessThanOrEqual(taken + files.failed);
  }

  #note(present: Map<string, PresentFile>, after: Map<string, Known>): void {
    const read = new Map<number, string>();
    for (const [path, { id }] of after) {
      const bytes = present.get(path)?.bytes ?? this.#read.get(id);
      if (bytes !== undefined) read.set(id, bytes);
    }
    this.#read = read;
  }

  #syncNow(): SyncResult {
    return this.#store.asNobody(() => this.#store.sync({ isExcluded: this.#odds.isExcluded }));
  }

  #known(): Map<string, Known> {
    const rows = this.#store.index.database.prepare(KNOWN).all() as (Known & { path: string })[];
    return new Map(rows.map(({ path, ...known }) => [path, known]));
  }
}

function inodesOf(present: Map<string, PresentFile>, isWanted: (file: PresentFile) => boolean): Set<number> {
  return new Set([...present.values()].filter(isWanted).map(({ inode }) => inode));
}

test(`each file seen is unchanged, indexed, no session or failed, and all are unchanged the next time: ${RUNS} stores (seed ${SEED})`, {
  timeout: 120_000 + RUNS * 1000,
}, () => {
  const scenario = (events: Event[]): void => {
    const counted = new Counted();
    try {
      for (const event of events) counted.do(event);
      counted.sync();
    } finally {
      counted.close();
    }
  };
  fc.assert(fc.property(histories, scenario), { numRuns: RUNS, seed: SEED });
});
