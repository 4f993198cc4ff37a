import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, type PretendOptions, runCli, takeIn } from "./pretend-world.ts";

/** In two pieces, so that nobody takes this file for one that holds a secret. */
const TOKEN = `ghp_${"Zk3rT9vQ1xW7bN5mL2pH8sD4fG6jK0aYcE1u"}`;
/** This many characters of a secret that was cut off may be the beginning of another word. */
const FEW = 12;
const TITLE = 120;
const PREVIEW = 80;

/** How much of the token is left where a title or a preview ends: from one character to all but one. */
const KEPT = Array.from({ length: TOKEN.length - 1 }, (_, index) => index + 1);
const cutAfter = (kept: number, length: number): string =>
  `${"w".repeat(length - kept - 1)} ${TOKEN} and so on`;
/** Of one beginning there are no more than an error lists. */
const idOf = (kept: number): string => `${"abcde"[kept % 5]}${kept}`;

const agentDir = emptyAgent(sharedTempDir());
const sessions = join(agentDir, "sessions");
for (const kept of KEPT) {
  const built = session({ id: idOf(kept), cwd: "/srv" }).user(cutAfter(kept, TITLE));
  built.assistant({ toolCalls: [{ name: "read", arguments: { path: "/srv/x.ts" } }] }).writeBelow(sessions);
}
const branched = session({ id: "branched" });
for (const kept of KEPT) {
  const id = idOf(kept);
  const usage = { input: 1, cost: { total: 1 } };
  branched
    .branchFrom(null)
    .user(cutAfter(kept, PREVIEW), { id })
    .assistant({ text: "a fig", usage })
    .label(id, "here");
}
const path = branched.writeBelow(sessions);

/** The longest beginning of the token that is shown. */
async function shownOf(words: readonly string[], options: Partial<PretendOptions> = {}): Promise<number> {
  const { stdout, stderr } = await runCli(words, { agentDir, ...options });
  const shown = `${stdout}${stderr}`;
  expect(shown, "what is cut off is shown").toMatch(/wwww|masked/);
  return Math.max(0, ...(shown.match(/ghp_\w*/g) ?? []).map(({ length }) => length));
}

describe("no more of a secret that a title or a preview cuts off is shown than another word may begin with, in", () => {
  test.each<[...string[]]>([
    [""],
    ["list", "--limit", "0"],
    ["tree", "branched"],
    ["labels", "--limit", "0"],
    ["files", "/srv/x.ts", "--limit", "0"],
    ["usage", "session", "--all"],
    ["completion", "sessions"],
    ["search", "read", "--limit", "0", "--context", "1"],
    ["export", "branched", "--format", "md"],
    ["export", "branched", "--format", "html"],
    ["export", "branched", "--format", "jsonl"],
    ...[..."abcde"].flatMap((id) => [
      ["show", id],
      ["show", id, "--json"],
      ["show", "branched", "--branch", id],
    ]),
  ])("%s %s %s %s", async (...words) => {
    const asked = words.filter(Boolean);
    expect(await shownOf(asked)).toBeLessThan(FEW);
    if (words[0] !== "export") expect(await shownOf(asked, { columns: 300 })).toBeLessThan(FEW);
  });

  test("show, tree, delete and export of each session", async () => {
    for (const id of KEPT.map(idOf)) {
      for (const words of [["show"], ["tree"], ["export"], ["export", "--format", "html"]]) {
        expect(await shownOf([...words, id, "--no-sync"])).toBeLessThan(FEW);
      }
      expect(await shownOf(["delete", id], { columns: 300, typed: true, stdin: "n\n" })).toBeLessThan(FEW);
    }
  });

  test("search, where the file is gone", async () => {
    await takeIn({ agentDir });
    rmSync(path);
    const words = ["--no-sync", "--limit", "0"];
    expect(await shownOf(["search", "wwww*", ...words])).toBeLessThan(FEW);
    expect(await shownOf(["search", "fig", "--context", "1", ...words])).toBeLessThan(FEW);
  });
});
