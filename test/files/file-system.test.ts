import { expect, test } from "vitest";
import { granularityOf, remoteKind } from "../../src/files/file-system.ts";

/** What `statfs` says, on some systems as a negative number. */
const SMB2 = 0xfe534d42;

test.each([
  [0x6969, "NFS"],
  [SMB2, "SMB"],
  [SMB2 | 0, "SMB"],
  [0x01021997, "9p"],
  [0x65735546, "FUSE"],
  [0xef53, null],
  [0x01021994, null],
])("B18: the file system %i is another machine's: %s", (type, kind) => {
  expect(remoteKind(type)).toBe(kind);
});

test.each([
  ["ext4", 0xef53, 20],
  ["FAT", 0x4d44, 2000],
  ["exFAT", 0x2011bab0, 2000],
  ["NFS", 0x6969, 2000],
])("B10: times are trusted as far as %s deserves", (_name, type, granularity) => {
  expect(granularityOf(type)).toBe(granularity);
});
