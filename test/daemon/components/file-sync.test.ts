import { spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, linkSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FileSync } from "../../../daemon/components/file-sync.ts";
import { packAway, unpackTo } from "../../../src/files/archive-file.ts";
import { archiveOf, NOTHING_EXCLUDED } from "../../../src/files/session-path.ts";
import { FileIndexer } from "../../../src/indexing/index-file.ts";
import { syncAll } from "../../../src/indexing/sync-run.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { Store } from "../../indexing/store.ts";

/** Looks at files of a store, with a clock that is set by hand. */
class Looking {
  readonly store: Store;
  readonly fileSync: FileSync;
  now = 0;
  /** How far the wall's clock is ahead, for what is only believed a moment after it was written. */
  ahead = 0;

  constructor(isExcluded = NOTHING_EXCLUDED, store = new Store()) {
    this.store = store;
    const ingest = new FileIndexer(this.store.index.database, { now: () => Date.now() + this.ahead });
    const clock = { wall: Date.now, steady: () => this.now };
    this.fileSync = new FileSync(ingest, clock, isExcluded, [this.store.root]);
  }

  write(name: string, words = ["apple"]): string {
    const built = session({ id: name });
    for (const word of words) built.user(word);
    return this.store.write(name, built.bytes());
  }

  look(name: string) {
    return this.fileSync.sync(this.store.path(name));
  }

  indexed(): unknown[] {
    return this.store.column("SELECT path FROM files ORDER BY path");
  }
}

const DONE = { kind: "done", changed: false };
const READ = { kind: "done", changed: true };
const SWEEP_SOON = { kind: "sweep", urgent: true };

function emptyRoot(): string {
  const root = join(tempDir(), "sessions");
  mkdirSync(root);
  return root;
}

test("a session that is archived, or restored, is found in its new place without a sweep, and not read again", () => {
  const it = new Looking(NOTHING_EXCLUDED, new Store(emptyRoot()));
  const path = it.write("a.jsonl");
  const packed = `${archiveOf(it.store.root)}/a.jsonl.gz`;
  expect(it.look("a.jsonl")).toEqual(READ);
  const rows = () => it.store.rows("SELECT key, file_id, entry_id FROM entries");
  const places = () => it.store.column("SELECT real_path FROM files");
  const before = rows();
  packAway(path, packed);
  expect([it.look("a.jsonl"), rows(), places()]).toEqual([DONE, before, [packed]]);
  unpackTo(path, packed);
  expect([it.look("a.jsonl"), rows(), places()]).toEqual([DONE, before, [path]]);
});

test("a file is read when it is new and when it has grown, and nothing is done when it is as it was", () => {
  const it = new Looking();
  const path = it.write("a.jsonl");
  expect([it.look("a.jsonl"), it.look("a.jsonl")]).toEqual([READ, DONE]);
  appendFileSync(path, `${session({ id: "b" }).user("more").lines()[1]}\n`);
  expect(it.look("a.jsonl")).toEqual(READ);
});

test("a file that is emptied has changed: its words must leave the full text", () => {
  const it = new Looking();
  it.write("a.jsonl");
  it.look("a.jsonl");
  it.ahead = 60_000;
  it.store.write("a.jsonl", "");
  expect([it.look("a.jsonl"), it.store.column("SELECT count(*) FROM entries")]).toEqual([READ, [0]]);
});

test.runIf(existsSync(tmpdir().toUpperCase()))(
  "a file is the same to a look as to a sweep, in whatever case its folder is named",
  () => {
    const { index } = new Store();
    const root = tempDir();
    const path = session({ id: "a" }).user("apple").write(join(root.toUpperCase(), "a.jsonl"));
    syncAll(index, [root.toUpperCase()]);
    appendFileSync(path, `${session({ id: "b" }).user("more").lines()[1]}\n`);
    const fileSync = new FileSync(
      new FileIndexer(index.database),
      { wall: Date.now, steady: () => 0 },
      NOTHING_EXCLUDED,
    );
    expect(fileSync.sync(path)).toEqual(READ);
    expect(index.database.prepare("SELECT count(*) FROM files").pluck().get()).toBe(1);
  },
);

test("a large file is read a step at a time", () => {
  const it = new Looking();
  const words = Array.from({ length: 12 }, (_, n) => `${n} ${"x".repeat(1024 * 1024)}`);
  it.write("a.jsonl", words);
  expect(it.look("a.jsonl")).toEqual({ kind: "more" });
  const looks = Array.from({ length: 10 }, () => it.look("a.jsonl"));
  expect(looks).toContainEqual(READ);
  expect(it.store.column("SELECT count(*) FROM entries")).toEqual([12]);
});

test("what is no file is left alone, whatever it is called", () => {
  const it = new Looking();
  mkdirSync(it.store.path("folder.jsonl"));
  spawnSync("mkfifo", [it.store.path("fifo.jsonl")]);
  expect([it.look("folder.jsonl"), it.look("fifo.jsonl"), it.indexed()]).toEqual([DONE, DONE, []]);
});

test("what is excluded is not read, by the name it is reached by or by its own", () => {
  const it = new Looking((path) => path.includes("secret"));
  const outside = join(tempDir(), "secret.jsonl");
  session({ id: "s" }).user("x").write(outside);
  symlinkSync(outside, it.store.path("link.jsonl"));
  const plain = join(tempDir(), "plain.jsonl");
  session({ id: "p" }).user("x").write(plain);
  symlinkSync(plain, it.store.path("secret-link.jsonl"));
  expect([it.look("link.jsonl"), it.look("secret-link.jsonl"), it.indexed()]).toEqual([DONE, DONE, []]);
});

test("a file that is known by another name keeps it", () => {
  const it = new Looking();
  const path = it.write("a.jsonl");
  it.look("a.jsonl");
  symlinkSync(it.store.root, it.store.path("again"));
  appendFileSync(path, `${session({ id: "b" }).user("more").lines()[1]}\n`);
  expect([it.look("again/a.jsonl"), it.indexed()]).toEqual([READ, [path]]);
});

describe("only a look at everything can tell", () => {
  test("B3: whether what is new is what has vanished", () => {
    const it = new Looking();
    it.write("a.jsonl");
    it.look("a.jsonl");
    rmSync(it.store.path("a.jsonl"));
    it.write("b.jsonl");
    expect([it.look("a.jsonl"), it.look("b.jsonl")]).toEqual([{ kind: "sweep", urgent: false }, SWEEP_SOON]);
    it.fileSync.sweepEnds();
    expect(it.look("b.jsonl")).toEqual(READ);
  });

  test("B14: under which of its names a new file is to be known", () => {
    const it = new Looking();
    linkSync(it.write("a.jsonl"), it.store.path("b.jsonl"));
    expect([it.look("b.jsonl"), it.indexed()]).toEqual([SWEEP_SOON, []]);
  });
});

test.each<[string, (file: string, name: string) => void]>([
  ["a hard link", linkSync],
  ["a symbolic link", symlinkSync],
])(
  "%s is noted until everything is looked at again: writes by another name are not told of",
  (_what, link) => {
    const it = new Looking();
    it.look(it.write("a.jsonl") && "a.jsonl");
    expect(it.fileSync.hasMetLinks).toBe(false);
    link(it.store.path("a.jsonl"), it.store.path("b.jsonl"));
    it.look("b.jsonl");
    expect(it.fileSync.hasMetLinks).toBe(true);
    it.fileSync.sweepBegins();
    expect(it.fileSync.hasMetLinks).toBe(false);
  },
);

test("a file that cannot be read is tried ever later, and at once again after it could be", () => {
  const it = new Looking();
  chmodSync(it.write("a.jsonl"), 0);
  const waits = [1, 2, 3].map(() => {
    expect(it.store.asNobody(() => it.look("a.jsonl"))).toEqual(DONE);
    const next = it.look("a.jsonl");
    if (next.kind !== "later") throw new Error(`not put off but ${next.kind}`);
    const wait = next.at - it.now;
    it.now = next.at;
    return wait;
  });
  expect(waits).toEqual([250, 500, 1000]);
  chmodSync(it.store.path("a.jsonl"), 0o644);
  expect([it.look("a.jsonl"), it.look("a.jsonl")]).toEqual([READ, DONE]);
  appendFileSync(it.store.path("a.jsonl"), "{}\n");
  chmodSync(it.store.path("a.jsonl"), 0);
  it.store.asNobody(() => it.look("a.jsonl"));
  expect(it.look("a.jsonl")).toMatchObject({ kind: "later", at: it.now + 250 });
});

test("B6: a file that has become shorter is looked at again after a moment, however often", () => {
  const it = new Looking();
  it.write("a.jsonl", ["one", "two", "three"]);
  it.look("a.jsonl");
  it.write("a.jsonl", ["one"]);
  for (let time = 0; time < 3; time++) {
    it.write(
      "a.jsonl",
      Array.from({ length: time % 2 }, () => "one"),
    );
    expect(it.look("a.jsonl")).toEqual({ kind: "later", at: it.now + 250 });
  }
});
