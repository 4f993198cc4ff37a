import { expect, test } from "vitest";
import { summaryOf } from "../../../src/cli/output/sync-summary.ts";
import type { SyncReport } from "../../../src/indexing/sync-report.ts";

const NONE = { seen: 0, unchanged: 0, indexed: 0, removed: 0, notSessions: 0, failed: 0 };

function summary(files: Partial<SyncReport["files"]>): string[] {
  const report = { entries: { added: 7, malformed: 0 }, bytesRead: 2000, durationMs: 12 };
  return summaryOf({ ...report, files: { ...NONE, ...files } });
}

test.each<[string, Partial<SyncReport["files"]>, string]>([
  ["nothing new", { seen: 3, unchanged: 3 }, "Up to date: 3 files, checked in 12 ms."],
  [
    "a file that cannot be read",
    { seen: 3, unchanged: 2, failed: 1 },
    "Up to date except for 1 of 3 files, checked in 12 ms.",
  ],
  [
    "files without a session",
    { seen: 3, unchanged: 1, notSessions: 2 },
    "0 files read (2.0 KB, 7 new entries), 2 files without a session, 1 unchanged, in 12 ms.",
  ],
  [
    "new ones",
    { seen: 4, unchanged: 1, indexed: 2, notSessions: 1 },
    "2 files read (2.0 KB, 7 new entries), 1 file without a session, 1 unchanged, in 12 ms.",
  ],
  [
    "some that are gone",
    { seen: 1, indexed: 1, removed: 4 },
    "1 file read (2.0 KB, 7 new entries), 4 files removed, in 12 ms.",
  ],
])("a line tells of %s", (_what, files, line) => {
  expect(summary(files)).toEqual([line]);
});

test("what is still to be read is told of", () => {
  expect(summary({ seen: 5, unchanged: 2, failed: 1 })).toEqual([
    "Up to date except for 3 of 5 files, checked in 12 ms.",
    "2 files could not be read this time; the next sync will try again.",
  ]);
});
