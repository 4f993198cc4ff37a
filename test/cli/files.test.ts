import { existsSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import type { Hit } from "../../src/search/hits/hit.ts";
import { widthOf } from "../../src/text/width.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson, sampleAgent } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());
const samples = { agentDir };

describe("files", () => {
  test("takes a path from the current directory on", async () => {
    const world = { ...samples, cwd: "/home/ada/projects/pi-standup/src" };
    expect(await runJson(["files", "standup.ts"], world)).toMatchObject({
      match: "path",
      touches: [{ tool: "edit" }, { tool: "edit" }, { tool: "read", file: "src/standup.ts" }],
    });
  });

  test("tells of the last sessions only, where it is asked to", async () => {
    const whole = (await runJson(["files", "/home/ada"], samples)) as { touches: Hit[] };
    const one = (await runJson(["files", "/home/ada", "--limit", "1"], samples)) as { touches: Hit[] };
    const first = whole.touches[0]?.session.path;
    expect(one.touches).toEqual(whole.touches.filter(({ session }) => session.path === first));
    const { stderr } = await runCli(["files", "/home/ada", "--limit", "1"], samples);
    expect(stderr).toContain("; showing the first 1, --limit 0 shows all");
  });

  test("looks at no index for a limit that is none", async () => {
    const agentDir = emptyAgent(tempDir());
    const { code, stderr } = await runCli(["files", "x", "--limit", "many"], { agentDir });
    expect([code, stderr]).toEqual([2, expect.stringContaining("--limit takes a whole number")]);
    expect(existsSync(join(agentDir, "sessiondb"))).toBe(false);
  });

  test("shows the last 20 sessions on a terminal, and all of them to programs", async () => {
    const agentDir = emptyAgent(tempDir());
    for (let n = 0; n < 22; n++)
      session({ id: `s${n}` })
        .assistant({ toolCalls: [{ name: "read", arguments: { path: "/srv/x.ts" } }] })
        .writeBelow(join(agentDir, "sessions"));
    const blocks = (text: string) => text.split("\n\n").length;
    const shown = await runCli(["files", "/srv/x.ts"], { agentDir, columns: 80 });
    expect(blocks(shown.stdout)).toBe(20);
    expect(shown.stderr).toContain("22 calls in 22 sessions; showing the first 20, --limit 0 shows all");
    const piped = await runCli(["files", "/srv/x.ts", "--no-header"], { agentDir });
    expect(piped.stdout.trimEnd().split("\n")).toHaveLength(22);
    const { stdout } = await runCli(["files", "/srv/x.ts", "--json"], { agentDir, columns: 80 });
    expect((JSON.parse(stdout) as { touches: object[] }).touches).toHaveLength(22);
  });

  test("shows the session that was first to touch it first where that is asked for", async () => {
    const agentDir = emptyAgent(tempDir());
    for (const day of ["01", "02", "03"])
      session({ id: `d${day}`, timestamp: `2026-11-${day}T10:00:00Z` })
        .assistant({ toolCalls: [{ name: "write", arguments: { path: "/srv/x.ts" } }] })
        .writeBelow(join(agentDir, "sessions"));
    const asked = ["files", "/srv/x.ts", "--sort", "oldest", "--limit", "1"];
    expect((await runCli(asked, { agentDir })).stdout).toContain("2026-11-01T");
    const { touches } = (await runJson(asked, { agentDir })) as { touches: { session: { id: string } }[] };
    expect(touches.map(({ session }) => session.id)).toEqual(["d01"]);
    expect((await runCli([...asked, "--sort", "path"], { agentDir })).code).toBe(2);
  });

  test("says how many calls have failed", async () => {
    const agentDir = emptyAgent(tempDir());
    const call = { toolCalls: [{ name: "edit", arguments: { path: "/srv/x.ts" } }] };
    session({ timestamp: "2026-11-20T10:00:00Z" })
      .assistant(call)
      .toolResult("no", { isError: true })
      .assistant(call)
      .toolResult("yes")
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["files", "/srv/x.ts"], { agentDir, columns: 80 });
    expect(stripVTControlCharacters(stdout)).toMatch(/ · 1 h ago\n {2}edit \/srv\/x\.ts ×2 \(1 failed\)\n/);
    const none = await runCli(["files", "/srv/y"], { agentDir });
    expect(none).toEqual({
      code: 0,
      stdout: "",
      stderr: "No session read or changed /srv/y with a tool.\n",
    });
  });

  test("fits a terminal, with Chinese in title and project", async () => {
    const agentDir = emptyAgent(tempDir());
    session({ cwd: `/home/ada/${"天气".repeat(20)}` })
      .name("名".repeat(90))
      .assistant({ toolCalls: [{ name: "read", arguments: { path: "/srv/天气.ts" } }] })
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["files", "/srv"], { agentDir, columns: 60 });
    const [title = ""] = stripVTControlCharacters(stdout).split("\n");
    expect(title).toContain("名…");
    expect(widthOf(title)).toBeLessThanOrEqual(60);
  });

  test.each([40, 80])("shows the file beside the long name of a tool, in %i columns", async (columns) => {
    const agentDir = emptyAgent(tempDir());
    const name = "mcp__a_server__".repeat(8);
    const call = { toolCalls: [{ name, arguments: { path: `/srv/${"deep/".repeat(40)}x.ts` } }] };
    const built = session();
    for (let i = 0; i < 12; i++) built.assistant(call).toolResult("no", { isError: true });
    built.writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["files", "/srv"], { agentDir, columns });
    const calls = stripVTControlCharacters(stdout).split("\n")[1] ?? "";
    expect(calls).toMatch(/^ {2}mcp__a\S*… …\S*\/x\.ts ×12 \(12 failed\)$/);
    expect(widthOf(calls)).toBeLessThanOrEqual(columns);
  });

  test("says when it answers by the end of paths", async () => {
    const { stdout, stderr } = await runCli(["files", "standup.ts"], {
      ...samples,
      cwd: "/nowhere",
      columns: 200,
      env: { NO_COLOR: "1" },
    });
    expect(stderr).toContain(
      "Nothing at /nowhere/standup.ts; these files, or the folders they are in, have paths that end the same way:",
    );
    expect(stdout).toContain("edit src/standup.ts ×2");
  });
});
