import { describe, expect, test } from "vitest";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, type Outcome, runCli } from "./pretend-world.ts";

describe("text from sessions", () => {
  const ESC = "\u001b";
  const dir = sharedTempDir();
  const hostile = emptyAgent(dir);
  const evil = `${ESC}]0;owned\u0007${ESC}[2J\u202e\u009b31m\rneedle\u0008 =cmd`;
  session({ cwd: `/tmp/${ESC}[31mred` })
    .user(evil)
    .assistant({ text: `${ESC}]52;c;ZXZpbA==${ESC}\\ needle`, model: `m${ESC}[31m`, provider: `p${ESC}c` })
    .name(`name ${evil}`)
    .writeBelow(`${hostile}/sessions`);
  const forbidden = (text: string): boolean =>
    [...text].some((character) => {
      const code = character.codePointAt(0) ?? 0;
      const isControl = (code < 32 && code !== 10 && code !== 9) || (code >= 127 && code < 160);
      return (
        isControl ||
        (code >= 0x202a && code <= 0x202e) ||
        (code >= 0x2066 && code <= 0x2069) ||
        code === 0x61c
      );
    });

  /** Nothing but what a terminal may be sent, on one and without. */
  async function harmless(argv: string[]): Promise<Outcome[]> {
    const outcomes = await Promise.all(
      [undefined, 80].map((columns) =>
        runCli(argv, { agentDir: hostile, env: { NO_COLOR: "1" }, ...(columns && { columns }) }),
      ),
    );
    for (const { stdout, stderr } of outcomes) expect(forbidden(stdout + stderr)).toBe(false);
    return outcomes;
  }

  test.each([
    [[], "name "],
    [["list"], "name "],
    [["search", "needle"], "needle"],
    [["usage", "session", "--all"], "name "],
    [["usage", "waste", "--all"], ""],
    [["usage", "model", "--all"], "\nm"],
    [["labels"], ""],
    [["files", "/"], ""],
    [["search", "needle", "--flat"], "needle"],
    [["search", "needle", "--csv"], "needle"],
    [["list", "--csv"], "name "],
    [["list", "--ndjson"], "name "],
    [["usage", "project", "--all"], "red"],
    [["sql", "SELECT * FROM messages"], "needle"],
    [["sql", "--csv", "SELECT * FROM messages"], "needle"],
    [["sql", "--nl", "SELECT * FROM messages"], "needle"],
    [["list", "--json"], "name "],
    [["search", "needle", "--json"], "needle"],
  ])("F8, I-13: brings no control character out of %j, but what stands around it", async (argv, text) => {
    for (const { code, stdout } of await harmless(argv))
      expect([code, stdout]).toEqual([0, expect.stringContaining(text)]);
  });

  test.each([
    [["search", "--has", evil, "x"], "needle"],
    [["list", `--bad${ESC}[31m`], "bad"],
  ])("F8, I-13: brings no control character out of %j, which is a misuse", async (argv, text) => {
    for (const { code, stdout, stderr } of await harmless(argv))
      expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(text)]);
  });
});
