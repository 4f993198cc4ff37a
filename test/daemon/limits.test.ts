import { spawn, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { pollUntil } from "../helpers/poll-until.ts";
import { session } from "../helpers/session-builder.ts";
import { Store } from "../sync/store.ts";

const program = join(import.meta.dirname, "limited-daemon.mjs");
const script = "echo 100 > /proc/sys/user/max_inotify_watches";
const mayLimit = spawnSync("unshare", ["-Ur", "sh", "-c", script]).status === 0;
if (!mayLimit) console.info("No user namespaces here: a lack of watches is not tested.");

describe.skipIf(!mayLimit)("where the system gives too few", () => {
  test.each([
    ["watches", "max_inotify_watches", "5", /ENOSPC/],
    ["watchers", "max_inotify_instances", "0", /EMFILE/],
  ] as const)(
    "%s, the daemon polls, says so, and recovers when there are more",
    async (_name, limit, value, code) => {
      const store = new Store();
      for (let folder = 0; folder < 20; folder++) mkdirSync(store.path(`p${folder}`));
      const args = ["-Ur", process.execPath, program, limit, value, store.root, store.indexFolder];
      const child = spawn("unshare", args, { stdio: ["pipe", "pipe", "inherit"] });
      onTestFinished(() => void child.kill("SIGKILL"));
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
