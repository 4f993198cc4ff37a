import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { SyncRun } from "../../src/indexing/sync-run.ts";
import { canLimit, withoutDescriptors } from "../helpers/limits.ts";
import { isMissing, peers } from "../helpers/peers.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { LATER, Store } from "./store.ts";

const FILE = "a.jsonl";

function talk(id: string, words: string, rounds = 3): SessionBuilder {
  const built = session({ id });
  for (let round = 0; round < rounds; round++) built.user(`${words} ${round}`).assistant();
  return built;
}

/** Several steps long: pictures are read but cost nothing to index. */
function longTalk(id: string, words: string): SessionBuilder {
  const built = session({ id });
  const picture = { type: "image" as const, mimeType: "image/png", data: "A".repeat(1_000_000) };
  for (let round = 0; round < 11; round++) {
    built.user([{ type: "text", text: `${words} ${round}` }, picture]).assistant();
  }
  return built;
}

/** Syncs; `act` is done once, when the first file is open and not yet read. */
function syncWith(store: Store, act: () => void): void {
  let [isReading, isDone] = [false, false];
  const now = () => {
    if (isReading && !isDone) {
      isDone = true;
      act();
    }
    return LATER();
  };
  const run = new SyncRun(store.index, [store.root], { now });
  isReading = run.step();
  while (run.step());
  expect(isDone).toBe(true);
}

function previews(store: Store): string[] {
  return store.column("SELECT preview FROM entries WHERE role = 'user' ORDER BY key").map(String);
}

describe("B1: a file that is deleted while it is read", () => {
  test("leaves no row when it was open only", () => {
    const store = new Store();
    talk("a", "words").write(store.path(FILE));
    syncWith(store, () => rmSync(store.path(FILE)));
    expect(store.column("SELECT count(*) FROM entries")).toEqual([0]);
    store.sync();
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("between two steps leaves what was read of it, until the next look", () => {
    const store = new Store();
    longTalk("a", "words").write(store.path(FILE));
    const run = new SyncRun(store.index, [store.root], { now: LATER });
    for (let step = 0; step < 2; step++) expect(run.step()).toBe(true);
    rmSync(store.path(FILE));
    while (run.step());
    expect(previews(store).every((text) => text.startsWith("words"))).toBe(true);
    store.sync();
    expect(store.column("SELECT count(*) FROM files")).toEqual([0]);
  });
});

describe("B6, I-4: a file that is rewritten in place while it is followed", () => {
  test("is never half one and half the other, wherever the rewriting begins", () => {
    for (const at of [1, 2]) {
      const store = new Store();
      longTalk("a", "old").write(store.path(FILE));
      const run = new SyncRun(store.index, [store.root], { now: LATER });
      const seen: Set<string>[] = [];
      for (let step = 0, more = true; more; step++) {
        if (step === at) writeFileSync(store.path(FILE), longTalk("a", "new").bytes());
        more = run.step();
        seen.push(new Set(previews(store).map((text) => text.slice(0, 3))));
      }
      expect(seen.filter((words) => words.size > 1)).toEqual([]);
      expect(seen.length).toBeGreaterThan(at);
      store.sync();
      expect(new Set(previews(store).map((text) => text.slice(0, 3)))).toEqual(new Set(["new"]));
      store.feed();
      expect(store.dump()).toEqual(store.rebuilt());
    }
  });

  test("while it is open is read again at once", () => {
    const store = new Store();
    talk("a", "old").write(store.path(FILE));
    syncWith(store, () => writeFileSync(store.path(FILE), talk("a", "new").bytes()));
    expect(previews(store)).toEqual(["new 0", "new 1", "new 2"]);
  });

  /** Of a long file that grows later only both ends are compared. */
  test.each([0, 300_000])("between its reading and the commit is read again: after %i bytes", (length) => {
    const store = new Store();
    const written = (...texts: string[]) => {
      const built = session({ id: "a" }).user("x".repeat(length));
      for (const text of texts) built.user(text);
      return built.bytes();
    };
    store.write(FILE, written());
    store.sync();
    store.write(FILE, written("old"));
    let isDone = false;
    store.index.database.function("rewrite_file", () => {
      if (!isDone) store.write(FILE, written("new"));
      isDone = true;
      return null;
    });
    store.index.database.exec(
      "CREATE TEMP TRIGGER meanwhile AFTER INSERT ON entry_rows BEGIN SELECT rewrite_file(); END",
    );
    // So that the rewritten file has another time, however coarse those are.
    utimesSync(store.path(FILE), new Date(), new Date(Date.now() - 1));
    store.sync();
    expect([isDone, previews(store).slice(1)]).toEqual([true, ["new"]]);
    store.write(FILE, written("new", "more"));
    store.sync();
    expect(previews(store).slice(1)).toEqual(["new", "more"]);
  });

  test("and was looked at when half of it was there comes to the whole", () => {
    const store = new Store();
    talk("a", "old").write(store.path(FILE));
    store.sync();
    const bytes = talk("a", "new").bytes();
    truncateSync(store.path(FILE), 0);
    for (const part of [bytes.subarray(0, 700), bytes.subarray(700)]) {
      appendFileSync(store.path(FILE), part);
      store.sync();
    }
    store.feed();
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

test("B11: a file that was cut and has grown past the old offset is another one", () => {
  const store = new Store();
  talk("a", "old").write(store.path(FILE));
  store.sync();
  const { ino, size } = statSync(store.path(FILE));
  truncateSync(store.path(FILE), 0);
  appendFileSync(store.path(FILE), talk("a", "new", 9).bytes());
  expect(statSync(store.path(FILE)).ino).toBe(ino);
  expect(statSync(store.path(FILE)).size).toBeGreaterThan(size);
  store.sync();
  expect(new Set(previews(store).map((text) => text.slice(0, 3)))).toEqual(new Set(["new"]));
});

test("B4: a session renamed under a live writer that goes on at the old path is two, and its money one", () => {
  const store = new Store();
  const built = talk("a", "words");
  built.write(store.path(FILE));
  store.sync();
  const [money] = store.column("SELECT round(total(cost), 9) FROM usage WHERE counted = 1");
  renameSync(store.path(FILE), store.path("b.jsonl"));
  // pi writes the line to the path it knows, which begins a file without a header, or writes the file again.
  appendFileSync(store.path(FILE), built.lines().at(-1) ?? "");
  store.sync();
  expect(store.rows("SELECT path, status FROM files ORDER BY path")).toEqual([
    [store.path(FILE), "not_session"],
    [store.path("b.jsonl"), "session"],
  ]);
  copyFileSync(store.path("b.jsonl"), store.path(FILE));
  store.sync();
  expect(store.column("SELECT count(*) FROM sessions")).toEqual([2]);
  expect(store.column("SELECT round(total(cost), 9) FROM usage WHERE counted = 1")).toEqual([money]);
});

describe.skipIf(isMissing("piSessionManagerModule"))("A19: what pi's own migration does", () => {
  test("to a file of version 2 is seen, though size, inode and last bytes stay", async () => {
    const store = new Store();
    // The same length in both versions: a header that says 2 or 3, and nothing else to rename.
    session({ id: "a", version: 2 }).user("one").assistant().write(store.path(FILE));
    const old = statSync(store.path(FILE));
    const bytes = readFileSync(store.path(FILE));
    store.sync();
    const { SessionManager } = await import(pathToFileURL(peers.piSessionManagerModule).href);
    SessionManager.open(store.path(FILE));
    const { ino, size } = statSync(store.path(FILE));
    expect([ino, size]).toEqual([old.ino, old.size]);
    expect(readFileSync(store.path(FILE)).equals(bytes)).toBe(false);
    utimesSync(store.path(FILE), old.atime, old.mtime);
    store.sync();
    store.feed();
    expect(store.column("SELECT version FROM sessions")).toEqual([3]);
    expect(store.dump()).toEqual(store.rebuilt());
  });
});

test("B17: a sessions folder that may only be read is indexed and searched like any other", () => {
  const store = new Store();
  mkdirSync(store.path("p"));
  const path = store.path("p/a.jsonl");
  talk("a", "words").write(path);
  chmodSync(path, 0o444);
  chmodSync(dirname(path), 0o555);
  chmodSync(store.root, 0o555);
  store.asNobody(() => {
    expect(() => writeFileSync(path, "")).toThrow("EACCES");
    const { files, complete } = store.sync();
    expect([files.indexed, files.failed, complete]).toEqual([1, 0, true]);
    expect(store.feed()).toMatchObject({ complete: true, behind: 0 });
  });
});

describe.skipIf(!canLimit)("B22: without descriptors", () => {
  test("nothing counts as deleted, and the next sync goes on", () => {
    const store = new Store();
    for (let folder = 0; folder < 5; folder++) {
      mkdirSync(store.path(`p${folder}`));
      talk(`s${folder}`, "words").write(store.path(`p${folder}/${FILE}`));
    }
    store.sync();
    store.feed();
    const before = store.dump();
    appendFileSync(store.path(`p1/${FILE}`), `${talk("s1", "more").lines().at(-1)}\n`);
    const { files, troubles } = withoutDescriptors(() => store.sync());
    expect(files.removed).toBe(0);
    expect(troubles.map(({ detail }) => detail)).toContain("EMFILE");
    expect(store.dump().entries).toEqual(before.entries);
    store.sync();
    store.feed();
    expect(store.column("SELECT count(*) FROM entries")).toEqual([(before.entries?.length ?? 0) + 1]);
    expect(store.dump()).toEqual(store.rebuilt());
  });
});
