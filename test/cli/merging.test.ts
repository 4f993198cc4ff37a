import { spawnSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mayMount } from "../helpers/mounts.ts";
import { withIndex } from "../helpers/open-index.ts";
import { MAIN } from "../helpers/program.ts";
import { addSegments, countSegments } from "../helpers/segments.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli } from "./pretend-world.ts";

/** So many that to merge them takes more than a search does of it. */
const SEGMENTS = 60;

test("search leaves most of what is to be merged to others", async () => {
  const agentDir = emptyAgent(tempDir());
  const [root, folder] = [join(agentDir, "sessions"), join(agentDir, "sessiondb")];
  withIndex(folder, (index) => addSegments(index, root, SEGMENTS));
  session({ id: "last" }).user("apple").writeBelow(root);
  expect((await runCli(["search", "apple"], { agentDir })).stdout).toContain("last.jsonl");
  expect(withIndex(folder, countSegments)).toBeGreaterThan(SEGMENTS);
});

/** The program as it is installed: a thread cannot load TypeScript on every Node that is supported. */
function syncAt(root: string, folder: string): { status: number | null; stderr: string } {
  const args = [MAIN, "sync", "--sessions-dir", root, "--db", join(folder, "index-v1.db")];
  return spawnSync(process.execPath, args, { encoding: "utf8" });
}

test("sync merges what it and others have left, once it has said what it did", () => {
  const [root, folder] = [tempDir(), tempDir()];
  withIndex(folder, (index) => addSegments(index, root, SEGMENTS));
  session({ id: "last" }).user("apple").writeBelow(root);
  expect(syncAt(root, folder)).toMatchObject({ status: 0, stderr: expect.stringMatching(/^1 file read/) });
  expect(withIndex(folder, countSegments)).toBeLessThanOrEqual(8);
  withIndex(folder, ({ search }) => expect(search.pragma("freelist_count", { simple: true })).toBe(0));
});

test("sync leaves the merging to others while another process writes the full text", () => {
  const [root, folder] = [tempDir(), tempDir()];
  withIndex(folder, (index) => {
    addSegments(index, root, SEGMENTS);
    index.search.exec("BEGIN IMMEDIATE");
    expect(syncAt(root, folder)).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Up to date/) });
    index.search.exec("ROLLBACK");
    expect(countSegments(index)).toBe(SEGMENTS);
  });
});

/** Syncs with the index on a disk of so many bytes, then with ten times the room. */
const ON_A_SMALL_DISK = `mount -t tmpfs -o size=$1 none /mnt && cp "$2"/* /mnt || exit 99
  shift 2; "$@"; echo "ended with $?"; mount -o remount,size=100m /mnt; "$@"; echo "ended with $?"`;

test.skipIf(!mayMount)("D4: sync that has no room to merge says so, and the next one merges", () => {
  const agentDir = emptyAgent(tempDir());
  const [root, folder] = [join(agentDir, "sessions"), tempDir()];
  withIndex(folder, (index) => addSegments(index, root, SEGMENTS));
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  const room = sizes.reduce((sum, size) => sum + size, 1024 * 1024);
  const sync = [process.execPath, MAIN, "sync", "--sessions-dir", root, "--db", "/mnt/index-v1.db"];
  const args = ["-Urm", "sh", "-c", `(${ON_A_SMALL_DISK}) 2>&1`, "sh", String(room), folder, ...sync];
  const { stdout } = spawnSync("unshare", args, { encoding: "utf8" });
  const said = expect.stringMatching(/^note: .*no space left to tidy up/);
  const looked = expect.stringMatching(/^Up to date/);
  expect(stdout.trim().split("\n")).toEqual([looked, said, "ended with 0", looked, "ended with 0"]);
});
