import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { DirectoryCache, type listFolder } from "../../src/files/directory-cache.ts";
import { COARSE_GRANULARITY_MS, LOCAL_GRANULARITY_MS } from "../../src/files/file-system.ts";
import { visitSessionFiles } from "../../src/files/locate.ts";
import { NOTHING_EXCLUDED } from "../../src/files/session-path.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { asNobody } from "./as-nobody.ts";

/** By this clock everything was written long ago. */
const later = () => Date.now() + 2 * COARSE_GRANULARITY_MS;

function namesIn(entries: ReturnType<typeof listFolder>): string[] {
  return entries.map((entry) => entry.slice(1));
}

test("a folder that is as it was is not listed again, however many walks later", () => {
  const folder = tempDir();
  writeFileSync(join(folder, "a.jsonl"), "");
  const first = new DirectoryCache(null, later);
  const entries = first.list(folder);
  expect(namesIn(entries)).toEqual(["a.jsonl"]);
  const second = new DirectoryCache(first, later);
  expect(second.list(folder)).toBe(entries);
  expect(new DirectoryCache(second, later).list(folder)).toBe(entries);
});

test("it is listed again where the last walk did not come by, or is not believed", () => {
  const folder = tempDir();
  const first = new DirectoryCache(null, later);
  const entries = first.list(folder);
  expect(new DirectoryCache(new DirectoryCache(first, later), later).list(folder)).not.toBe(entries);
  expect(new DirectoryCache(null, later).list(folder)).not.toBe(entries);
});

test("a folder that has just changed is listed again: a further change may leave its times as they are", () => {
  const folder = tempDir();
  const first = new DirectoryCache(null);
  const entries = first.list(folder);
  expect(new DirectoryCache(first).list(folder)).not.toBe(entries);
});

test("one whose times lie in the future is listed again", () => {
  const folder = tempDir();
  const earlier = () => Date.now() - 3_600_000;
  const first = new DirectoryCache(null, earlier);
  const entries = first.list(folder);
  expect(new DirectoryCache(first, earlier).list(folder)).not.toBe(entries);
});

test("another folder in its place is listed, and one that is gone fails as listing it does", () => {
  const [folder, other] = [join(tempDir(), "a"), join(tempDir(), "b")];
  mkdirSync(folder, { mode: 0o755 });
  mkdirSync(other);
  writeFileSync(join(other, "b.jsonl"), "");
  const first = new DirectoryCache(null, later);
  first.list(folder);
  rmSync(folder, { recursive: true });
  const again = new DirectoryCache(first, later);
  expect(() => again.list(folder)).toThrow(expect.objectContaining({ code: "ENOENT" }));
  renameSync(other, folder);
  expect(namesIn(again.list(folder))).toEqual(["b.jsonl"]);
});

test("what a folder held that may not be listed any more is not told", async () => {
  const folder = tempDir();
  chmodSync(folder, 0o755);
  const first = new DirectoryCache(null, later);
  first.list(folder);
  await setTimeout(LOCAL_GRANULARITY_MS);
  chmodSync(folder, 0o000);
  const listing = () => asNobody(() => new DirectoryCache(first, later).list(folder));
  expect(listing).toThrow(expect.objectContaining({ code: "EACCES" }));
});

type Change = [what: "file" | "folder" | "link" | "move" | "remove", name: string, other: string];

const NAMES = ["a", "b", "a/c", "b/c", "a/c/d", "e.jsonl", "a/e.jsonl", "a/c/f.jsonl", "b/f.jsonl"];

/** Does what it can: what is in the way of a change, or not there, leaves things as they are. */
function change(root: string, [what, name, other]: Change): void {
  const [path, target] = [join(root, name), join(root, other)];
  try {
    if (what === "file") writeFileSync(path, "");
    else if (what === "folder") mkdirSync(path);
    else if (what === "link") symlinkSync(target, path);
    else if (what === "move") renameSync(path, target);
    else rmSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

function found(root: string, directories: DirectoryCache | null = null): unknown {
  const paths: string[] = [];
  const unseen = visitSessionFiles([root], (path, realPath) => paths.push(path, realPath), {
    isExcluded: NOTHING_EXCLUDED,
    directories,
  });
  return { paths, unseen };
}

test("whatever changes between two walks, both ways of walking find the same", async () => {
  const name = fc.constantFrom(...NAMES);
  const what = fc.constantFrom<Change[0]>("file", "folder", "link", "move", "remove");
  const changes = fc.array(fc.tuple(what, name, name), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(changes, { minLength: 1, maxLength: 5 }), async (rounds) => {
      const root = tempDir();
      for (const name of ["a/c", "b"]) mkdirSync(join(root, name), { recursive: true });
      let directories: DirectoryCache | null = null;
      for (const round of rounds) {
        for (const one of round) change(root, one);
        directories = new DirectoryCache(directories, later);
        expect(found(root, directories)).toEqual(found(root));
        // The clock is ahead, so that listings are kept at once: what changes next must still give other times.
        await setTimeout(LOCAL_GRANULARITY_MS);
      }
    }),
    { numRuns: runs(30) },
  );
});
