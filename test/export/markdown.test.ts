import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyAgent, runCli } from "../cli/pretend-world.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

async function exported(built: SessionBuilder, format = "md"): Promise<string> {
  const agentDir = emptyAgent(tempDir());
  built.writeBelow(join(agentDir, "sessions"));
  const { stdout, code } = await runCli(["export", "latest", "--format", format], { agentDir });
  expect(code).toBe(0);
  return stdout;
}

test("says of a tool that it failed", async () => {
  const built = session().assistant({ toolCalls: [{ name: "bash" }] });
  const page = await exported(built.toolResult("boom", { isError: true }).toolResult("fine"));
  expect(page.match(/^## result.*$/gm)?.map((line) => line.includes(" · failed · "))).toEqual([true, false]);
});

test("says of what was thought that it was thought", async () => {
  const page = await exported(session().assistant({ thinking: "2, I think.\n\nOr 3.", text: "It is 3." }));
  expect(page).toContain("\n> *Thinking*\n>\n> 2, I think.\n>\n> Or 3.\n\nIt is 3.\n");
});

test("has the headings of answers, summaries and thoughts below those of the speakers", async () => {
  const built = session().user("# Task").assistant({ text: "## Plan\n\nNow\n===", thinking: "# Hm" });
  const page = await exported(built.compaction("## Goal\n\n```sh\n# list\nls\n```"));
  expect(page.match(/^(?:> )?#+ \w*/gm)).toEqual([
    ...["# ", "## user", "### Task", "## assistant", "> ### Hm", "#### Plan", "### Now"],
    ...["## compaction", "#### Goal", "# list"],
  ]);
});

test("has a command as it was typed: its lines, and the spaces within it", async () => {
  const built = session().bash("cd a\nrm -rf b", "").bash('echo "a  b"\n', "");
  built.assistant({ toolCalls: [{ name: "bash", arguments: { command: "set -e\nls", timeout: 5 } }] });
  const page = await exported(built.assistant({ toolCalls: [{ name: "now", arguments: {} }] }));
  expect(page).toContain("\n\n**$**\n\n```\ncd a\nrm -rf b\n```\n");
  expect(page).toContain('\n\n**$** `echo "a  b"`\n');
  expect(page).toContain("\n\n**bash**\n\n```\ncommand:\n  set -e\n  ls\ntimeout: 5\n```\n");
  expect(page).toContain("\n\n**now**\n");
});

test("shows titles, labels, errors and names as they are", async () => {
  const built = session().user("Why does <Suspense> crash when *args is [x](y)?", { id: "asked" });
  built.label("asked", "*star* <b>").assistant({ text: "", model: "__m__", errorMessage: "no `key` in <x>" });
  built
    .toolResult("", { toolName: "mcp__a" })
    .toolResult("b")
    .assistant({ toolCalls: [{ name: "_a*" }] });
  const page = await exported(built.user("**text** <b>"));
  expect(page).toContain("# Why does \\<Suspense> crash when \\*args is \\[x\\](y)?\n");
  expect(page).toMatch(/^## user · .* · \*\*\\\*star\\\* \\<b>\*\*$/m);
  expect(page).toContain("- Models: \\_\\_m\\_\\_");
  expect(page).toContain("\n**no \\`key\\` in \\<x>**\n");
  expect(page).toContain("\n**\\_a\\***\n");
  expect(page).toContain("\n**text** <b>\n");
});

test("ends a title that was cut in an ellipsis, as a page does, but no name", async () => {
  const page = await exported(session().user(`${"word ".repeat(23)}and more of it`));
  expect(page.split("\n")[0]).toBe(`# ${"word ".repeat(23)}and m…`);
  const named = session().name("n".repeat(120));
  expect((await exported(named)).split("\n")[0]).toBe(`# ${"n".repeat(120)}`);
  expect(await exported(named, "html")).toContain(`<h1>${"n".repeat(120)}</h1>`);
});

test("says of a fork in which nothing was said since when it was made, not that it ended before", async () => {
  const parent = session({ timestamp: "2026-11-03T10:00:00.000Z" }).user("hello").assistant();
  const page = await exported(parent.fork({ id: "fork", timestamp: "2026-11-05T12:00:00.000Z" }));
  expect(page).toContain("\n- Time: 2026-11-05 12:00 (UTC)\n");
});
