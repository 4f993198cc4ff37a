import { expect, test } from "vitest";
import { findFiles, findRoom } from "../../src/cli/doctor/room.ts";

const MB = 1024 * 1024;

/** A disk of 100 GB in blocks of a megabyte. */
function withFree(bavail: number) {
  return { bavail, blocks: 100_000, bsize: MB };
}

test.each([
  [0, "error"],
  [1, "warning"],
  [1999, "warning"],
  [2000, undefined],
])("a disk of which %i MB are free is: %s", (free, level) => {
  expect(findRoom("/there", withFree(free))[0]?.level).toBe(level);
});

test("a disk on which no more files can be made is an error, however much space is left", () => {
  expect(findFiles("/there", { files: 1000, ffree: 0 })).toEqual([
    {
      level: "error",
      what: expect.stringContaining("no room for more files (0 inodes left)"),
      where: "/there",
      remedy: expect.stringContaining("df -i"),
    },
  ]);
});

test.each([
  ["enough of them left", { files: 1000, ffree: 6 }],
  ["no limit of files", { files: 0, ffree: 0 }],
])("nothing is said of a disk with %s", (_what, disk) => {
  expect(findFiles("/there", disk)).toEqual([]);
});
