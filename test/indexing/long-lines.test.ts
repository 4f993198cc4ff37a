import { appendFileSync, closeSync, openSync, truncateSync, utimesSync, writeSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { LOOK_BYTES } from "../../src/files/lines.ts";
import { FileIndexer } from "../../src/indexing/index-file.ts";
import { SyncRun } from "../../src/indexing/sync-run.ts";
import { writeWithLongLine } from "../helpers/long-line.ts";
import { session } from "../helpers/session-builder.ts";
import { LATER, Store, stepFor, syncFile } from "./store.ts";

const MB = 1024 * 1024;
const FILE = "a.jsonl";
const STEP = LOOK_BYTES;
/** The file as it is made: nothing in it but holes after its first line. */
const SIZE = 4 * STEP;

/** A session of one message, and then no newline any more. */
class Endless extends Store {
  readonly ingest: FileIndexer;

  constructor() {
    super();
    session({ id: "a" }).user("before").write(this.path(FILE));
    truncateSync(this.path(FILE), SIZE);
    this.ingest = new FileIndexer(this.index.database, { now: LATER });
  }

  step() {
    return stepFor(this.ingest, this.path(FILE));
  }

  /** Steps until nothing is left to do; gives what each has read. */
  steps(): number[] {
    const read: number[] = [];
    for (let more = true; more; ) {
      const result = this.step();
      read.push("bytesRead" in result ? result.bytesRead : Number.NaN);
      more = result.more;
    }
    return read;
  }

  put(text: string, at: number): void {
    const fd = openSync(this.path(FILE), "r+");
    writeSync(fd, text, at);
    closeSync(fd);
  }

  previews(): unknown[] {
    return this.column(
      "SELECT e.preview FROM entries e JOIN files f ON f.id = e.file_id ORDER BY f.path, e.key",
    );
  }
}

function lineOf(text: string): string {
  return `\n${session().user(text).lines()[1]}\n`;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

describe("A32: a line without an end", () => {
  test("is looked through in steps, each of which reads a part of it, once", () => {
    const read = new Endless().steps();
    expect([Math.max(...read) <= STEP, sumOf(read)]).toEqual([true, SIZE]);
  });

  test("is looked on from where it ended when it has grown, and not from its beginning", () => {
    const store = new Endless();
    store.steps();
    appendFileSync(store.path(FILE), "x".repeat(100));
    expect(store.steps()).toEqual([100]);
    appendFileSync(store.path(FILE), lineOf("after"));
    expect(store.steps().length).toBeLessThan(3);
    expect(store.previews()).toEqual(["before", "", "after"]);
  });

  test("has grown while it is looked through, and is looked on all the same", () => {
    const store = new Endless();
    expect([store.step().more, store.step().more]).toEqual([true, true]);
    appendFileSync(store.path(FILE), lineOf("after"));
    store.steps();
    expect(store.previews()).toEqual(["before", "", "after"]);
  });

  test.each([
    ["in a part that was looked through", 2 * MB],
    ["in a part that was not", SIZE - MB],
  ])("that is written to %s is looked through anew", (_where, at) => {
    const store = new Endless();
    expect([store.step().more, store.step().more]).toEqual([true, true]);
    store.put(lineOf("within"), at);
    utimesSync(store.path(FILE), 1000, 1000);
    store.steps();
    store.feed();
    expect(store.previews().at(-1)).toBe("within");
    expect(store.dump()).toEqual(store.rebuilt());
  });

  test("that is cut off is read as what it is then", () => {
    const store = new Endless();
    store.step();
    const [header = "", first = ""] = session({ id: "a" }).user("before").lines();
    truncateSync(store.path(FILE), `${header}\n${first}\n`.length);
    store.steps();
    appendFileSync(store.path(FILE), lineOf("after"));
    store.steps();
    expect(store.previews()).toEqual(["before", "after"]);
  });
});

test("A32: a line of many steps that ends is proved by every byte of it", () => {
  const store = new Store();
  writeWithLongLine(store.path(FILE), SIZE);
  const ingest = new FileIndexer(store.index.database, { now: LATER });
  syncFile(ingest, store.path(FILE));
  utimesSync(store.path(FILE), 1000, 1000);
  syncFile(ingest, store.path(FILE));
  expect(store.rows("SELECT generation, settled FROM files")).toEqual([[1, 1]]);
  expect(store.column("SELECT line FROM entries ORDER BY key")).toEqual([2, 3, 4]);
});

test("A32: a sync tells how far it is in a line without an end, and takes in what else there is", () => {
  const store = new Endless();
  session({ id: "b" }).user("another").write(store.path("b.jsonl"));
  const run = new SyncRun(store.index, [store.root], { now: LATER });
  const behind = [];
  while (run.step()) behind.push(run.result().behindBytes);
  expect(new Set(behind).size).toBeGreaterThanOrEqual(SIZE / STEP - 1);
  expect(behind).toEqual(behind.toSorted((a, b) => b - a));
  expect([store.previews(), run.result().complete]).toEqual([["before", "another"], true]);
});
