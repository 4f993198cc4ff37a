import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mayMount } from "../helpers/mounts.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const project = join(import.meta.dirname, "..", "..");
const PROGRAM = join(project, "dist", "src", "cli", "main.js");
const SAMPLES = join(project, "test", "samples", "agent", "sessions");

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

/** What the doctor says of the room on a disk of this size, where the index is to be made at a path. */
function doctorOn(size: string, path: string) {
  const script = 'mount -t tmpfs -o size="$0" none /mnt && "$@"; echo "ended with $?"';
  const doctor = [PROGRAM, "doctor", "--sessions-dir", SAMPLES, "--db", path];
  const env = { ...process.env, PI_CODING_AGENT_DIR: tempDir() };
  const args = ["-Urm", "sh", "-c", script, size, process.execPath, ...doctor];
  return spawnSync("unshare", args, { encoding: "utf8", env }).stdout;
}

describe.runIf(mayMount)("D4: doctor", () => {
  test.each(["/mnt/i.db", "/mnt/new/folder/i.db"])(
    "calls a disk too full to make %s an error, and ends with 1",
    (path) => {
      expect(doctorOn("256k", path)).toMatch(
        /^error {4}the disk that holds the index is full \(\d.*--db.*ended with 1\n$/ms,
      );
    },
  );

  test("calls a disk on which few files can still be made an error", () => {
    expect(doctorOn("1g,nr_inodes=4", "/mnt/i.db")).toMatch(
      /^error {4}the disk that holds the index has no room for more files.*df -i.*ended with 1\n$/ms,
    );
  });

  test("warns of one that only the daemon takes for full", () => {
    expect(doctorOn("8m", "/mnt/i.db")).toMatch(
      /^warning {2}the disk that holds the index is almost full \(\d.*ended with 0\n$/ms,
    );
  });
});
