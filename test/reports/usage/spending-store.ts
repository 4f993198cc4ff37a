import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { session } from "../../helpers/session-builder.ts";

const usage = (tokens: number, cost: number) => ({
  input: tokens,
  output: tokens / 2,
  cacheRead: tokens * 4,
  cacheWrite: tokens / 4,
  cost: { input: cost / 2, output: cost / 4, cacheRead: cost / 8, cacheWrite: cost / 8, total: cost },
});

/**
 * All five sources under labels and on branches: a tree gone back in three times, a fork of its abandoned branch
 * that goes on there, forks of that fork, a clone, a renamed copy, a sub-agent's session, models without a price.
 */
export function writeSpendingStore(root: string): void {
  const tree = session({ id: "tree", cwd: "/p/tree", timestamp: "2026-03-28T22:10:00Z" });
  tree.user("plan").assistant({ usage: usage(100, 0.1) });
  const start = tree.lastId;
  tree
    .label(start ?? "", "start")
    .user("one way")
    .assistant({ toolCalls: [{ name: "task", arguments: {} }] });
  tree.toolResult("done", { toolName: "task", usage: usage(40, 0.04) });
  tree.toolResult("looked", { toolName: "oracle", usage: usage(8, 0.008) });
  tree.usage("cache_warm", { usage: usage(16, 0.0125) });
  const dead = tree.fork({ id: "dead", timestamp: "2026-03-29T00:59:30Z" });
  tree.branchFrom(start).branchSummary("went one way", { usage: usage(12, 0.012) });
  tree.user("another way").assistant({ usage: usage(200, 0.2), provider: "openai", model: "gpt-5.5" });
  const other = tree.lastId;
  tree.compaction("so far", { usage: usage(400, 0.4) }).label(other ?? "", "other way");
  tree.user("third way").assistant({ usage: usage(20, 0) });
  tree
    .branchFrom(other)
    .user("and back")
    .assistant({ usage: usage(60, 0.06) });
  tree.label(start ?? "", "begin");
  const clone = tree
    .fork({ id: "clone", timestamp: "2026-10-25T00:30:00Z" })
    .assistant({ usage: usage(4, 0.001) });
  dead
    .user("goes on where the other stopped")
    .assistant({ usage: usage(80, 0.08), model: "local", provider: "ollama" });
  const grandchild = dead.fork({ id: "grandchild", timestamp: "2026-10-25T01:30:00Z" });
  grandchild.label(grandchild.lastId ?? "", "begin").assistant({
    usage: { input: 7, output: 7, cacheRead: 0, cacheWrite: 0, totalTokens: 14, cost: { total: 0 } },
  });
  for (const each of [tree, dead, clone, grandchild]) each.writeBelow(root);
  mkdirSync(join(root, "elsewhere"), { recursive: true });
  copyFileSync(grandchild.writeBelow(root), join(root, "elsewhere", "renamed.jsonl"));
  session({ id: "agent", parentSession: "/p/tree.jsonl" })
    .user("delegated")
    .assistant({ usage: usage(1000, 1) })
    .write(join(root, "tree", "0f", "run-1", "session.jsonl"));
}
