import { getEventListeners } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, NOW, type PretendOptions, runCli, runJson } from "./pretend-world.ts";

function world(): PretendOptions {
  const agentDir = emptyAgent(tempDir());
  const timestamp = new Date(NOW - 60_000).toISOString();
  session({ id: "busy", cwd: "/p", timestamp })
    .user("plant pears")
    .assistant({ stopReason: "stop" })
    .writeBelow(join(agentDir, "sessions"));
  session({ id: "old", cwd: "/p", timestamp: "2026-11-01T00:00:00Z" })
    .user("x")
    .writeBelow(join(agentDir, "sessions"));
  return { agentDir };
}

test("top says who waits for whom now, once in a pipe and as a document", async () => {
  const options = world();
  const { stdout, stderr, code } = await runCli(["top"], options);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Now .*\nwaits for you +plant pears /)]);
  expect(stdout).not.toContain("old");
  expect(stderr).toMatch(/^1 session was written in the last 15 minutes(, for \$[\d.]+)?\.\n$/);
  expect(await runJson(["top"], options)).toMatchObject({ sessions: [{ id: "busy", waitsFor: "you" }] });
  expect(
    (await runCli(["top", "--minutes", "1"], { ...options, now: () => NOW + 3_600_000 })).stderr,
  ).toMatch(/^0 sessions were written in the last 1 minutes\.\n$/);
});

test("on a terminal it has a screen of its own, which it leaves with Ctrl-C", async () => {
  const ctrlC = new AbortController();
  let looks = 0;
  // Each look asks for the time, and so does each row.
  const now = (): number => {
    if (++looks > 6) ctrlC.abort();
    return NOW;
  };
  const { stdout, code } = await runCli(["top"], { ...world(), columns: 60, rows: 10, ctrlC, now });
  expect(code).toBe(0);
  expect(stdout.startsWith("\u001b[?1049h\u001b[?25l\u001b[H\u001b[2J")).toBe(true);
  expect(stdout.split("\u001b[H\u001b[2J").length).toBeGreaterThan(2);
  expect(stdout.endsWith("\u001b[?25h\u001b[?1049l")).toBe(true);
  // Nothing is left of each look that waits for the end.
  expect(getEventListeners(ctrlC.signal, "abort").length).toBeLessThan(looks / 2);
});
