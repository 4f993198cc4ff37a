import { rmSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { locateSessionFiles } from "../../../src/files/locate.ts";
import type { searchEntries } from "../../../src/search/search.ts";
import { ScanAhead, type ScannableFile } from "../../../src/search/substring/parallel-scan.ts";
import { session } from "../../helpers/session-builder.ts";
import { Store } from "../../indexing/store.ts";

/** The compiled module: a worker cannot load TypeScript on every Node that is supported. */
function compiled<T>(name: string): Promise<T> {
  return import(pathToFileURL(join(import.meta.dirname, "../../../build/src/search/substring", name)).href);
}

/** Every third one speaks of quinces. */
function storeOf(count: number, filling = ""): Store {
  const store = new Store();
  for (let n = 0; n < count; n++) {
    session({ id: `s${n}` })
      .user(`${n % 3 === 0 ? "a quince" : "a pear"} ${filling}`)
      .write(store.path(`${n}.jsonl`));
  }
  return store;
}

function filesOf(store: Store): ScannableFile[] {
  const { files } = locateSessionFiles([store.root]);
  return files.map(({ realPath }) => ({ realPath, size: statSync(realPath).size }));
}

const isQuince = ({ realPath }: ScannableFile): boolean =>
  Number(/(\d+)\.jsonl$/.exec(realPath)?.[1]) % 3 === 0;

test("few files are not looked through by threads: of each it says that it may hold the text", () => {
  const files = filesOf(storeOf(9));
  const ahead = new ScanAhead(files, "quince");
  expect(files.map((_, n) => ahead.mayHold(n))).toEqual(files.map(() => true));
});

// With one processor there are no threads.
describe.skipIf(availableParallelism() < 2)("threads that look through files", () => {
  test("tell in which of them the text does not stand, and end", async () => {
    const { ScanAhead } =
      await compiled<typeof import("../../../src/search/substring/parallel-scan.ts")>("parallel-scan.js");
    const files = filesOf(storeOf(60));
    const ahead = new ScanAhead(files, "quince");
    ahead.start();
    await ahead.ended;
    expect(files.map((_, n) => ahead.mayHold(n))).toEqual(files.map(isQuince));
  });

  test("end when they are told, with everything still to look through", async () => {
    const { ScanAhead } =
      await compiled<typeof import("../../../src/search/substring/parallel-scan.ts")>("parallel-scan.js");
    const files = filesOf(storeOf(30));
    const ahead = new ScanAhead(files, "quince");
    ahead.start();
    ahead.close();
    await ahead.ended;
    for (const [n, file] of files.entries()) expect(ahead.mayHold(n) || !isQuince(file)).toBe(true);
  });

  test("find what stands in large files, and pass over those that are gone", async () => {
    const { searchEntries: search } = await compiled<{ searchEntries: typeof searchEntries }>("../search.js");
    const store = storeOf(20, "of the orchard ".repeat(300_000));
    store.sync();
    const found = (): number => search(store.index, "quince", { substring: true, limit: 0 }).total;
    expect(found()).toBe(7);
    rmSync(store.path("0.jsonl"));
    rmSync(store.path("1.jsonl"));
    expect(found()).toBe(6);
  });
});
