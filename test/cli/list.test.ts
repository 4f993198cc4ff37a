import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import type { Session, SessionList } from "../../src/reports/answers.ts";
import { widthOf } from "../../src/text/width.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson, sampleAgent } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());
const samples = { agentDir };

async function list(...argv: string[]): Promise<Session[]> {
  return ((await runJson(["list", ...argv], samples)) as SessionList).sessions;
}

describe("list", () => {
  test("is a document with every session, last active first", async () => {
    const document = (await runJson(["list"], samples)) as SessionList;
    const times = document.sessions.map(({ modifiedAt }) => modifiedAt);
    expect(Object.keys(document)).toEqual(["schemaVersion", "total", "sessions"]);
    expect(document.total).toBe(13);
    expect(times).toEqual(times.toSorted().reverse());
  });

  test.each([20, 25, 60, 80, 200])("fits a terminal of %i columns", async (columns) => {
    const { stdout } = await runCli(["list"], { ...samples, columns });
    const lines = stripVTControlCharacters(stdout).trimEnd().split("\n");
    expect(lines).toHaveLength(14);
    expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
  });

  test("cuts titles, and no time, where there is room for both", async () => {
    const { stdout } = await runCli(["list"], { ...samples, columns: 26 });
    const [first] = stripVTControlCharacters(stdout).split("\n").slice(1);
    expect(first).toBe("01a1f2a6  In …  yesterday");
  });

  test("tells ids and paths in full where there is no terminal", async () => {
    const { stdout } = await runCli(["list"], samples);
    for (const { id, path, cwd } of await list())
      for (const text of [id, path, cwd]) expect(stdout).toContain(text);
  });

  test("masks secrets in a document where it is asked to, and has beginnings of first messages then", async () => {
    const token = `ghp_${"A1b2C3d4E5".repeat(4)}`.slice(0, 40);
    const agentDir = emptyAgent(tempDir());
    const text = `use ${token} please ${"word ".repeat(76)}${token} ${"🍐".repeat(2000)}`;
    session().user(text).assistant().name(`of ${token}`).writeBelow(join(agentDir, "sessions"));
    const read = async (...argv: string[]) =>
      ((await runJson(["list", ...argv], { agentDir })) as SessionList).sessions[0];
    const masked = await read("--masked");
    expect(JSON.stringify(masked)).not.toContain("ghp_");
    expect(masked).toMatchObject({ name: "of [masked GitHub token]", title: "of [masked GitHub token]" });
    expect(masked?.firstMessage?.length).toBe(400);
    expect(await read()).toMatchObject({ firstMessage: text, name: `of ${token}` });
  });

  test("says where the directory of a session is gone", async () => {
    const dir = tempDir();
    const agentDir = emptyAgent(dir);
    for (const cwd of [dir, join(dir, "moved")])
      session({ cwd }).user("hi").writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["list"], { agentDir, columns: 200 });
    expect(stdout.match(/\S+ ✗/g)?.map((said) => said.endsWith("moved ✗"))).toEqual([true]);
  });

  test("says what it leaves out", async () => {
    const { stdout, stderr } = await runCli(["list", "--limit", "3"], samples);
    expect(stdout.trimEnd().split("\n")).toHaveLength(4);
    expect(stderr).toContain("3 of 13 sessions");
  });

  test("keeps to a project, and what lies below it", async () => {
    const projects = (await list("--project", "/home/ada/projects/orchard")).map(({ cwd }) => cwd);
    expect(new Set(projects)).toEqual(new Set(["/home/ada/projects/orchard"]));
    expect((await list("--project", "/home/ada")).length).toBe(13);
    expect((await list("--here")).length).toBe(projects.length);
  });

  test("keeps to days, both included", async () => {
    const days = (await list("--since", "2026-10-14", "--until", "2026-10-16")).map(
      ({ modifiedAt }) => modifiedAt,
    );
    expect(days.map((time) => time.slice(0, 10)).toSorted()).toEqual(["2026-10-14", "2026-10-16"]);
  });

  test("sorts as asked", async () => {
    const costs = (await list("--sort", "cost")).map(({ usage }) => usage.cost);
    expect(costs).toEqual(costs.toSorted((a, b) => b - a));
    const sizes = (await list("--sort", "size:asc")).map(({ sizeBytes }) => sizeBytes);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    const titles = (await list("--sort", "title")).map(({ title }) => title);
    expect((await list("--sort", "title:desc")).map(({ title }) => title)).toEqual(titles.toReversed());
    expect(titles[0]).toMatch(/^\/standup/);
  });

  test("finds nothing without being a failure", async () => {
    const { code, stdout, stderr } = await runCli(["list", "--project", "/nowhere"], samples);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/^No session matches\.\n/);
  });

  test("shows the last 50 on a terminal, and all to a program that has one", async () => {
    const many = emptyAgent(tempDir());
    for (let n = 0; n < 52; n++)
      session({ id: `s${n}` })
        .user("hi")
        .writeBelow(join(many, "sessions"));
    const shown = await runCli(["list"], { agentDir: many, columns: 80 });
    expect(shown.stdout.trimEnd().split("\n")).toHaveLength(51);
    expect(shown.stderr).toContain("50 of 52 sessions; --limit 0 shows all");
    const { stdout } = await runCli(["list", "--json"], { agentDir: many, columns: 80 });
    expect((JSON.parse(stdout) as SessionList).sessions).toHaveLength(52);
  });
});
