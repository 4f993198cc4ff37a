import {
  appendFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type LocatedFile, locateSessionFiles } from "../../src/files/locate.ts";
import { exclusionOf, type IsExcluded } from "../../src/files/session-path.ts";
import { isAllAsItWas, scanRoots } from "../../src/indexing/scan.ts";
import { openIndex } from "../../src/store/open.ts";
import { indexIn } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { LATER, Store } from "./store.ts";

/** Two sessions in an index that has them as they are. */
function storeOfTwo(): Store {
  const store = new Store();
  for (const id of ["a", "b"])
    session({ id })
      .user(id)
      .assistant()
      .write(store.path(`${id}.jsonl`));
  store.sync();
  return store;
}

function isAsItWas(store: Store, isExcluded?: IsExcluded): boolean {
  const scan = scanRoots(store.index.database, [store.root], isExcluded && { isExcluded });
  return isAllAsItWas(scan, [store.root], isExcluded);
}

test("an index that has all files as they are has nothing to do", () => {
  expect(isAsItWas(storeOfTwo())).toBe(true);
});

const CHANGES: Record<string, (store: Store) => void> = {
  "a file grew": (store) => appendFileSync(store.path("a.jsonl"), "{}\n"),
  "a file is new": (store) => session({ id: "c" }).user("c").write(store.path("c.jsonl")),
  "a file is gone": (store) => rmSync(store.path("a.jsonl")),
  "a file has another name": (store) => renameSync(store.path("a.jsonl"), store.path("z.jsonl")),
  "a file is reached by another path": (store) => {
    renameSync(store.path("a.jsonl"), `${store.indexFolder}/a.jsonl`);
    symlinkSync(`${store.indexFolder}/a.jsonl`, store.path("a.jsonl"));
  },
  "a file was read in the tick in which it was written": (store) =>
    store.index.database.exec("UPDATE files SET settled = 0 WHERE path LIKE '%a.jsonl'"),
};

describe.each(Object.entries(CHANGES))("when %s", (_what, change) => {
  test("there is something to do, until it is done", () => {
    const store = storeOfTwo();
    change(store);
    const before = isAsItWas(store);
    store.sync();
    expect([before, isAsItWas(store)]).toEqual([false, true]);
  });

  test("a sync that is handed the look does what one does that looks itself", () => {
    const store = storeOfTwo();
    change(store);
    store.sync({ now: LATER, scan: scanRoots(store.index.database, [store.root]) });
    store.feed();
    const handed = store.dump();
    expect(handed).toEqual(store.rebuilt());
  });
});

/** Beside a file its sub-agents' folder; names that order otherwise with a separator, or in UTF-8 than in UTF-16. */
const ODD_NAMES = [
  "s.jsonl",
  "s/run/session.jsonl",
  "s-x/t.jsonl",
  "\u{1f600}.jsonl",
  "\uffee.jsonl",
  "z/s.jsonl",
];

test("files are found as they were whatever the order of their names", () => {
  const store = new Store();
  for (const [n, name] of ODD_NAMES.entries()) {
    mkdirSync(dirname(store.path(name)), { recursive: true });
    session({ id: `s${n}` })
      .user("a")
      .write(store.path(name));
  }
  const first = store.sync().files;
  const again = scanRoots(store.index.database, [store.root]);
  expect([first.indexed, again.seen, again.due, isAsItWas(store)]).toEqual([6, 6, [], true]);
  rmSync(store.path("s/run/session.jsonl"));
  expect(isAsItWas(store)).toBe(false);
});

test("a walk meets files in the order of their paths", () => {
  const root = tempDir("sessiondb-root-");
  for (const name of ["s.jsonl", "s/run/session.jsonl", "s-x/t.jsonl", "a/b.jsonl", "z.json"]) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), "");
  }
  const paths = locateSessionFiles([root]).files.map(({ path }) => path);
  expect(paths).toEqual(paths.toSorted((a, b) => (a < b ? -1 : 1)));
});

test("who asks for the files written last is told of those alone, whatever the index has of them", () => {
  const store = storeOfTwo();
  session({ id: "c" }).user("c").write(store.path("c.jsonl"));
  for (const [name, seconds] of [
    ["a", 1000],
    ["b", 2000],
    ["c", 3000],
  ] as const) {
    utimesSync(store.path(`${name}.jsonl`), seconds, seconds);
  }
  store.sync();
  appendFileSync(store.path("c.jsonl"), "{}\n");
  utimesSync(store.path("c.jsonl"), 3000, 3000);
  const told: string[] = [];
  const onLocated = (files: readonly LocatedFile[]) => told.push(...files.map(({ path }) => path));
  scanRoots(store.index.database, [store.root], { recent: { since: 1_500_000, onLocated } });
  expect(told).toEqual([store.path("b.jsonl"), store.path("c.jsonl")]);
});

test("what is excluded now has to be removed, and is, whatever was seen before", () => {
  const store = storeOfTwo();
  const isExcluded = exclusionOf([store.path("a.jsonl")]);
  const before = isAsItWas(store, isExcluded);
  const scan = scanRoots(store.index.database, [store.root], { isExcluded });
  const { files } = store.sync({ now: LATER, scan, isExcluded });
  expect([before, files.removed, files.seen, isAsItWas(store, isExcluded)]).toEqual([false, 1, 1, true]);
});

describe("a process that looks again and again", () => {
  test("sees what it has written itself, and what others have written", () => {
    const store = storeOfTwo();
    const seen = [isAsItWas(store)];
    store.index.database.exec("UPDATE files SET size = size + 1 WHERE path LIKE '%a.jsonl'");
    seen.push(isAsItWas(store));
    const other = openIndex(indexIn(store.indexFolder));
    other.database.exec("UPDATE files SET size = size - 1 WHERE path LIKE '%a.jsonl'");
    seen.push(isAsItWas(store));
    other.database.exec("DELETE FROM files WHERE path LIKE '%b.jsonl'");
    seen.push(isAsItWas(store));
    other.close();
    expect(seen).toEqual([true, false, true, false]);
  });

  test("does not go by what was written and taken back", () => {
    const store = storeOfTwo();
    const { database } = store.index;
    database.exec("BEGIN; UPDATE files SET size = size + 1");
    const within = isAsItWas(store);
    database.exec("ROLLBACK");
    expect([within, isAsItWas(store)]).toEqual([false, true]);
  });

  test("has for each look what it found itself", () => {
    const store = storeOfTwo();
    const before = scanRoots(store.index.database, [store.root]);
    rmSync(store.path("a.jsonl"));
    const after = scanRoots(store.index.database, [store.root]);
    expect([before, after].map((scan) => isAllAsItWas(scan, [store.root]))).toEqual([true, false]);
  });
});
