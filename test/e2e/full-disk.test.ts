import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";

const project = join(import.meta.dirname, "..", "..");
const PROGRAM = join(project, "dist", "src", "cli", "main.js");
const SAMPLES = join(project, "test", "samples", "agent", "sessions");
const mayMount = spawnSync("unshare", ["-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

/** Lists sessions with an index on a disk that takes no more files: before there is one, and afterwards. */
const WITHOUT_INODES = `mount -t tmpfs -o nr_inodes=20 none /mnt || exit 99
  fill() { n=0; while (: > /mnt/$1$n) 2>/dev/null; do n=$((n + 1)); done; }
  fill before; "$@"; rm /mnt/before*; "$@"; fill after; "$@"; "$@" --no-sync`;

test.skipIf(!mayMount)("D4: a disk without free inodes is named, and not its room", () => {
  const list = [process.execPath, PROGRAM, "list", "--sessions-dir", SAMPLES, "--db", "/mnt/i.db"];
  const args = ["-Urm", "sh", "-c", `(${WITHOUT_INODES}) 2>&1 >/dev/null`, "sh", ...list];
  const { stdout, stderr } = spawnSync("unshare", args, { encoding: "utf8", cwd: tempDir() });
  const sentence = expect.stringMatching(/^error: no more files can be created .*\/mnt\/i\.db\. .*df -i/);
  expect(stdout.trim().split("\n"), stderr).toEqual([sentence, sentence, sentence]);
});

/** Sorts 40 MB: more than is sorted in memory. */
const LARGE_SORT = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400000)
  SELECT x FROM (SELECT hex(randomblob(50)) AS x FROM n ORDER BY x LIMIT -1 OFFSET 399999)`;

test.skipIf(!mayMount)(
  "D4: a statement that finds no room for what it sorts says so, and where else it may",
  () => {
    const folder = tempDir();
    const place = ["--sessions-dir", SAMPLES, "--db", join(folder, "i.db")];
    const script = 'mount -t tmpfs -o size=64k none /mnt && TMPDIR=/mnt "$@"; echo "ended with $?"';
    const args = ["-Urm", "sh", "-c", script, "sh", process.execPath, PROGRAM, "sql", LARGE_SORT, ...place];
    const { stdout, stderr } = spawnSync("unshare", args, { encoding: "utf8" });
    const sentence = expect.stringMatching(/^error: no space left .*TMPDIR/);
    expect([stdout, stderr]).toEqual(["ended with 1\n", sentence]);
  },
);
