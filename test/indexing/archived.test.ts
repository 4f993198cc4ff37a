import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packAway, unpackTo } from "../../src/files/archive-file.ts";
import { packedFileOf, placesInArchive } from "../../src/files/archive-place.ts";
import { archiveOf } from "../../src/files/session-path.ts";
import { scanRoots } from "../../src/indexing/scan.ts";
import { listSessions } from "../../src/reports/sessions.ts";
import { sumUsage } from "../../src/reports/usage/usage-report.ts";
import { searchEntries } from "../../src/search/search.ts";
import { type BodyPlace, PLACE_COLUMNS, readEntry } from "../../src/store/tables/entry-bodies.ts";
import { fc } from "../helpers/drawn.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { Store } from "./store.ts";

/** Some sessions, of which 1 is a fork of 0 and 2 was copied from it; their archive lies in the same folder. */
class Archived extends Store {
  constructor(sessions = 5) {
    super(rootIn(tempDir()));
    for (let number = 0; number < sessions; number++) {
      const built = session({ id: `s${number}` }).user(`question ${number}`);
      for (let at = 0; at < 30; at++) {
        built
          .user(`more of ${number}, ${at} `.repeat(30))
          .assistant({ text: `plum${number} ${at}` }, { id: `e${number}-${at}` });
      }
      if (number === 1) built.header.parentSession = this.file(0);
      built.write(this.file(number));
    }
    this.sync();
    this.feed();
  }

  file(number: number): string {
    return this.path(`p/${number}.jsonl`);
  }

  archive(number: number): string {
    const packed = `${placesInArchive(this.file(number), [this.root])[0]}.gz`;
    packAway(this.file(number), packed);
    return packed;
  }

  restore(number: number): void {
    unpackTo(this.file(number), packedFileOf(this.file(number), [this.root]) ?? "");
  }

  /** Everything but where files lie on the disk. */
  seen() {
    return {
      entries: this.rows("SELECT * FROM entries ORDER BY key"),
      usage: this.rows("SELECT * FROM usage ORDER BY entry_key"),
      sessions: this.rows("SELECT * FROM sessions ORDER BY file_id"),
      files: this.rows(
        "SELECT id, path, size, status, offset, whole_fingerprint, generation FROM files ORDER BY id",
      ),
    };
  }

  /** Kept to the microsecond: what is less than that differs. */
  times(): number[] {
    return this.column("SELECT mtime_ms FROM files ORDER BY id") as number[];
  }

  spent() {
    return sumUsage(this.index, { by: "session", timezone: "UTC" });
  }

  paths(): unknown[] {
    return this.column("SELECT path FROM files ORDER BY path");
  }
}

function rootIn(folder: string): string {
  mkdirSync(join(folder, "sessions", "p"), { recursive: true });
  return join(folder, "sessions");
}

const NO_CHANGE = { bytesRead: 0, complete: true, troubles: [], files: { removed: 0, failed: 0 } };

describe("a session that is archived", () => {
  test("I-7: keeps its rows and its place in every list; nothing is read or fed again", () => {
    const store = new Archived();
    const before = store.seen();
    const times = store.times();
    const packed = [1, 2, 4].map((number) => store.archive(number));
    expect(store.sync()).toMatchObject(NO_CHANGE);
    expect(store.seen()).toEqual(before);
    expect(store.column("SELECT real_path FROM files WHERE real_path <> path ORDER BY 1")).toEqual(packed);
    expect(store.sync().files.unchanged).toBe(5);
    for (const number of [1, 2, 4]) store.restore(number);
    expect(store.sync()).toMatchObject(NO_CHANGE);
    expect(store.seen()).toEqual(before);
    for (const [at, time] of store.times().entries()) expect(time).toBeCloseTo(times[at] ?? 0, 2);
    expect(store.feed().added).toBe(0);
  });

  test("is told from others in lists, under the path that it had", () => {
    const store = new Archived(2);
    store.archive(1);
    store.sync();
    const listed = listSessions(store.index).sessions.map(({ path, archived }) => [path, archived]);
    expect(listed.sort()).toEqual([
      [store.file(0), false],
      [store.file(1), true],
    ]);
  });

  test("gives the same index when that is made anew", () => {
    const store = new Archived();
    const spent = store.spent();
    for (const number of [0, 3]) store.archive(number);
    store.sync();
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
    expect(store.spent()).toEqual(spent);
  });

  test("is searched, and its entries are read, as before", () => {
    const store = new Archived();
    const places = store.index.database.prepare(
      `SELECT ${PLACE_COLUMNS} FROM entries e JOIN sessions s ON s.file_id = e.file_id JOIN files f ON f.id = e.file_id ORDER BY e.key`,
    );
    const read = () => (places.all() as BodyPlace[]).map((place) => readEntry(place));
    const [entries, hits] = [read(), searchEntries(store.index, "plum2 17")];
    for (const number of [0, 1, 2, 3, 4]) store.archive(number);
    store.sync();
    expect(read()).toEqual(entries);
    expect(searchEntries(store.index, "plum2 17")).toEqual(hits);
  });

  test("was moved while all was looked at: its rows stay until the next look", () => {
    const store = new Archived();
    const before = store.seen();
    const scan = scanRoots(store.index.database, [store.root]);
    store.archive(1);
    expect(store.sync({ scan }).files.removed).toBe(0);
    store.sync();
    const later = scanRoots(store.index.database, [store.root]);
    store.restore(1);
    expect(store.sync({ scan: later }).files.removed).toBe(0);
    store.sync();
    expect(store.seen()).toEqual(before);
  });

  test("counts as one where it lies in both places, and that is the session file", () => {
    const store = new Archived(2);
    const bytes = session({ id: "s1" }).user("question 1").bytes();
    store.archive(1);
    writeFileSync(store.file(1), bytes);
    store.sync();
    expect(store.paths()).toEqual([store.file(0), store.file(1)]);
    expect(store.column("SELECT real_path FROM files ORDER BY 1")).toEqual([store.file(0), store.file(1)]);
    expect(store.dump().sessions).toEqual(store.rebuilt().sessions);
  });

  test("B25: stays in the index while its archive is away, as a disk that is not mounted", () => {
    const store = new Archived();
    store.archive(1);
    store.sync();
    const before = store.seen();
    renameSync(archiveOf(store.root), `${store.root}-away`);
    expect(store.sync().files.removed).toBe(0);
    expect(store.seen()).toEqual(before);
    renameSync(`${store.root}-away`, archiveOf(store.root));
    store.sync();
    expect(store.seen()).toEqual(before);
  });

  test("leaves the index when its packed file was deleted", () => {
    const store = new Archived(2);
    store.archive(1);
    rmSync(store.archive(0));
    store.sync();
    expect(store.paths()).toEqual([store.file(1)]);
  });

  test("B25: that is damaged keeps its rows, and is reported", () => {
    const store = new Archived(2);
    const packed = store.archive(1);
    store.sync();
    const rows = store.column("SELECT count(*) FROM entries");
    appendFileSync(packed, "damage");
    expect(store.sync().troubles).toMatchObject([{ path: store.file(1), detail: "EBADMSG" }]);
    expect(store.column("SELECT count(*) FROM entries")).toEqual(rows);
  });
});

type Step = { kind: "archive" | "restore" | "append" | "delete" | "sync" | "step" | "feed"; number: number };

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom("archive", "restore", "append", "delete", "sync", "step", "feed"),
  number: fc.nat(3),
});

function happen(store: Archived, { kind, number }: Step): void {
  const isArchived = packedFileOf(store.file(number), [store.root]) !== null;
  const isThere = store.image().some((line) => line.startsWith(`p/${number}.jsonl `));
  if (kind === "archive" && isThere && !isArchived) store.archive(number);
  if (kind === "restore" && isArchived && !isThere) store.restore(number);
  if (kind === "append" && isThere)
    appendFileSync(store.file(number), `${session({ id: "x" }).user(kind).lines().at(-1)}\n`);
  if (kind === "delete" && isThere) rmSync(store.file(number));
  if (kind === "sync") store.sync();
  if (kind === "step") store.syncSteps(number + 1);
  if (kind === "feed") store.feed();
}

test("I-1: whatever happens to sessions and their archive, the index comes to a rebuild's", {
  timeout: 120_000,
}, () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 12 }), (steps) => {
      const store = new Archived(4);
      for (const each of steps) happen(store, each);
      store.sync();
      store.feed();
      expect(store.dump()).toEqual(store.rebuilt());
      store.close();
    }),
    { numRuns: 30 },
  );
});
