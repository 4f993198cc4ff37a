import { spawn, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { mayMount } from "../helpers/mounts.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { endWithTest } from "../helpers/processes.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { Store } from "../indexing/store.ts";
import { someStatus } from "./some-status.ts";

const program = join(import.meta.dirname, "limited-daemon.mjs");
const script = "echo 100 > /proc/sys/user/max_inotify_watches";
const mayLimit = spawnSync("unshare", ["-Ur", "sh", "-c", script]).status === 0;
if (!mayLimit) console.info("No user namespaces here: a lack of watches is not tested.");

describe.skipIf(!mayLimit)("C1, C2, C12: where the system gives too few", () => {
  test.each([
    ["watches", "max_inotify_watches", "5", /ENOSPC/],
    ["watchers", "max_inotify_instances", "0", /EMFILE/],
  ] as const)(
    "C1 and C2: %s, the daemon polls, says so, and recovers when there are more",
    async (_name, limit, value, code) => {
      const store = new Store();
      for (let folder = 0; folder < 20; folder++) mkdirSync(store.path(`p${folder}`));
      const args = ["-Ur", process.execPath, program, limit, value, store.root, store.indexFolder];
      const child = endWithTest(spawn("unshare", args, { stdio: ["pipe", "pipe", "inherit"] }));
      let said = "";
      child.stdout.on("data", (chunk) => {
        said += chunk;
      });
      await pollUntil(() => said.includes("degraded"), { what: "degraded" });
      expect(said).toMatch(code);
      const built = session({ id: "s" }).user("one");
      for (const [entries, name] of ["p19/a.jsonl", "p3/b.jsonl", "c.jsonl"].entries()) {
        store.write(name, built.bytes());
        const count = () => store.column("SELECT count(*) FROM entries")[0];
        await pollUntil(() => count() === entries + 1, { what: name });
      }
      child.stdin.end();
      await pollUntil(() => said.trimEnd().endsWith("watching"), { what: "recovery" });
    },
  );
});

const disk = join(import.meta.dirname, "small-disk-daemon.mjs");

test.skipIf(!mayMount)(
  "D4: on a full disk it says so, waits, and goes on by itself when there is room",
  async () => {
    const store = new Store();
    const sessions = 300;
    for (let n = 0; n < sessions; n++) {
      const built = session({ id: `s${n}` });
      for (let line = 0; line < 10; line++) built.user(`line ${line} ${"of many words ".repeat(40)}`);
      store.write(`s${n}.jsonl`, built.bytes());
    }
    const before = store.image();
    const args = ["-Urm", process.execPath, disk, "24", store.root, tempDir()];
    const child = endWithTest(spawn("unshare", args, { stdio: ["pipe", "pipe", "inherit"] }));
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
    });
    await pollUntil(() => said.includes("degraded"), { what: "degraded" });
    expect(said).toMatch(/degraded .*(full|disk)/);
    child.stdin.write("room\n");
    await pollUntil(() => /watching .*synced\n$/.test(said), { what: "recovery" });
    child.stdin.end();
    await pollUntil(() => said.includes("check"), { what: "the check" });
    expect(said).toMatch(new RegExp(`check ok ${sessions * 10} 0`));
    expect(store.image()).toEqual(before);
  },
);

const STATUS_ON_FULL_DISK = join(import.meta.dirname, "full-disk-status.mjs");

test.skipIf(!mayMount)(
  "D4: on a disk without any room it says so all the same, in the place of what it said before",
  () => {
    const before = someStatus("/somewhere", 1);
    const after = { ...before, state: "degraded", degraded: "the disk that holds the index is almost full" };
    const args = [
      "-Urm",
      process.execPath,
      STATUS_ON_FULL_DISK,
      tempDir(),
      ...[before, after].map((said) => JSON.stringify(said)),
    ];
    const { stdout } = spawnSync("unshare", args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
    expect(JSON.parse(stdout)).toEqual([after, before, ["ballast", "daemon-status.json"]]);
  },
);
