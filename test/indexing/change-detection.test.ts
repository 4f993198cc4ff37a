import { describe, expect, test } from "vitest";
import { COARSE_GRANULARITY_MS, LOCAL_GRANULARITY_MS } from "../../src/files/file-system.ts";
import type { FileStat } from "../../src/files/stat.ts";
import {
  Granularities,
  mtimeIsSafe,
  type Proof,
  proofNeeded,
  SMALL_PREFIX,
} from "../../src/indexing/change-detection.ts";
import { mayRemove, movesAmong } from "../../src/indexing/missing-files.ts";
import type { Cursor } from "../../src/store/tables/cursors.ts";

const LARGE = SMALL_PREFIX + 1;

function stat(fields: Partial<FileStat> = {}): FileStat {
  return { device: 1, inode: 2, bornAt: null, size: LARGE, mtimeMs: 1000, ctimeMs: 1000, ...fields };
}

/** A Cursor at the end of a file of `LARGE` bytes that did not change lately. */
function cursor(fields: Partial<Cursor> = {}): Cursor {
  const length = fields.stat?.size ?? LARGE;
  return {
    fileId: 1,
    path: "/r/a.jsonl",
    realPath: "/r/a.jsonl",
    status: "session",
    stat: stat(),
    mtimeIsSafe: true,
    offset: length,
    provisionalLength: 0,
    lines: 1,
    fingerprint: { length, head: 0, tail: 0, whole: 0 },
    generation: 1,
    malformedLines: 0,
    error: null,
    replacesCopies: false,
    ...fields,
  };
}

describe("what it takes to believe in a file", () => {
  test.each<[string, Partial<FileStat>, Proof]>([
    ["nothing, when its stat is the same", {}, "nothing"],
    ["both ends, when it only grew", { size: LARGE + 1, mtimeMs: 2000, ctimeMs: 2000 }, "ends"],
    ["both ends, when it grew within a tick of the clock", { size: LARGE + 1 }, "ends"],
    ["every byte, when its time is another one", { mtimeMs: 2000, ctimeMs: 2000 }, "whole"],
    ["every byte, when its time was put back", { ctimeMs: 2000 }, "whole"],
    ["every byte, when it grew and became older", { size: LARGE + 1, mtimeMs: 999 }, "whole"],
    ["every byte, when another file stands in its place", { inode: 3 }, "whole"],
    ["every byte, when a longer file stands in its place", { inode: 3, size: LARGE + 1 }, "whole"],
    ["every byte, when it is on another device", { device: 3 }, "whole"],
    ["more than there is, when it became shorter", { size: LARGE - 1 }, "impossible"],
  ])("is %s", (_name, fields, proof) => {
    expect(proofNeeded(cursor(), stat(fields))).toBe(proof);
  });

  test("is every byte for a file written so recently that an equal stat proves nothing", () => {
    expect(proofNeeded(cursor({ mtimeIsSafe: false }), stat())).toBe("whole");
  });

  test("is every byte for a small file that grew", () => {
    const small = stat({ size: 100 });
    expect(proofNeeded(cursor({ stat: small }), { ...small, size: 200 })).toBe("whole");
  });

  test("is every byte for a file that failed before it grew: what was read of it is not what its stat was taken of", () => {
    const grown = stat({ size: LARGE + 1, mtimeMs: 2000, ctimeMs: 2000 });
    expect(proofNeeded(cursor({ status: "failed" }), grown)).toBe("whole");
  });

  test("is measured by what was read, not by the size that was seen", () => {
    const torn = { length: LARGE - 10, head: 0, tail: 0, whole: 0 };
    expect(proofNeeded(cursor({ fingerprint: torn }), stat({ size: LARGE - 5 }))).toBe("whole");
  });
});

describe("a file is settled", () => {
  const readAt = 10_000;
  test.each<[string, Partial<FileStat>, boolean]>([
    [
      "when both times are older than the clock's tick",
      { mtimeMs: 0, ctimeMs: readAt - LOCAL_GRANULARITY_MS - 1 },
      true,
    ],
    ["not when it was written within a tick", { mtimeMs: readAt - LOCAL_GRANULARITY_MS, ctimeMs: 0 }, false],
    ["not when its state changed within a tick", { mtimeMs: 0, ctimeMs: readAt - 1 }, false],
    ["not when its time lies in the future", { mtimeMs: readAt + 1_000_000, ctimeMs: 0 }, false],
    [
      "when its time lies further in the future than clocks differ",
      { mtimeMs: readAt + 1e9, ctimeMs: 0 },
      true,
    ],
    [
      "not when it was written within a tick with such a time",
      { mtimeMs: readAt + 1e9, ctimeMs: readAt - 1 },
      false,
    ],
  ])("%s", (_name, fields, settled) => {
    expect(mtimeIsSafe(stat(fields), readAt, LOCAL_GRANULARITY_MS)).toBe(settled);
  });
});

describe("files that are not found", () => {
  test.each([
    [1, 1, true],
    [19, 19, true],
    [20, 20, false],
    [20, 39, false],
    [20, 40, true],
    [500, 1000, true],
    [501, 1000, false],
    [0, 0, true],
  ])("%i of %i may be forgotten: %s", (vanished, known, may) => {
    expect(mayRemove(vanished, () => known)).toBe(may);
  });
});

describe("a file was moved", () => {
  const gone = (inode: number) => cursor({ fileId: inode, stat: stat({ inode }) });
  const added = (path: string, inode: number, device = 1) => ({ path, inode, device });

  test("when one is gone and a new one is the same on disk", () => {
    const [from, to] = [gone(5), added("/r/b.jsonl", 5)];
    expect(movesAmong([gone(4), from], [added("/r/c.jsonl", 6), to])).toEqual(new Map([[from, to]]));
  });

  test("not when the new one has the inode on another device", () => {
    expect(movesAmong([gone(5)], [added("/r/b.jsonl", 5, 2)]).size).toBe(0);
  });

  test("once, though two rows remember the same inode", () => {
    expect(movesAmong([gone(5), gone(5)], [added("/r/b.jsonl", 5)]).size).toBe(1);
  });
});

test("B10: each device is asked once, and one that does not answer is not trusted far", () => {
  const asked: string[] = [];
  const granularities = new Granularities((path) => {
    asked.push(path);
    if (path === "/refused") throw Object.assign(new Error("no"), { code: "EACCES" });
    return 0xef53;
  });
  expect([granularities.of("/a", 1), granularities.of("/b", 1), granularities.of("/refused", 2)]).toEqual([
    LOCAL_GRANULARITY_MS,
    LOCAL_GRANULARITY_MS,
    COARSE_GRANULARITY_MS,
  ]);
  expect(asked).toEqual(["/a", "/refused"]);
});
