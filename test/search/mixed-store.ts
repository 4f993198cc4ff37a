import { join } from "node:path";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";

/** Moments on both sides of midnights and of changes to and from daylight saving time, in several zones. */
const MOMENTS = `2025-03-29T22:59:59.999Z 2025-03-29T23:00:00Z 2025-03-30T00:59:59Z 2025-03-30T01:00:00Z
    2025-03-30T21:59:59Z 2025-03-30T22:00:00Z 2025-10-26T00:30:00Z 2025-10-26T01:30:00Z
    2025-10-26T22:59:59Z 2025-10-26T23:00:00Z 2025-06-01T18:14:59Z 2025-06-01T18:15:00Z
    2025-03-09T03:29:59Z 2025-03-09T03:30:00Z 2025-03-10T02:29:59Z 2025-03-10T02:30:00Z
    2025-11-02T02:29:59Z 2025-11-02T02:30:00Z 2025-11-03T03:30:00Z 2011-12-29T23:59:59Z
    2011-12-30T09:59:59Z 2011-12-30T10:00:00Z 2011-12-31T09:59:59Z 2011-12-31T10:00:00Z`.split(/\s+/);

/** Sessions that hold usage in all five places, forks of forks, all versions, many zones' midnights, damage. */
export function writeMixedStore(root: string): void {
  const parent = everyPlace(session({ id: "parent", cwd: "/home/ada/orchard" }));
  const child = parent.fork({ id: "child", cwd: "/home/ada/orchard/sensors" }).user("fork").assistant();
  const grandchild = child
    .fork({ id: "grandchild", timestamp: "2025-11-25T10:00:00Z" })
    .assistant({ model: "gpt-5.5" });
  const old = session({ id: "old", version: 1, cwd: "/home/ada/tide", timestamp: "2025-01-01T00:00:00Z" });
  old.user("how high is the tide?").assistant({ text: "highTideMark" }).compaction("tides");
  const second = session({
    id: "second",
    version: 2,
    cwd: "/home/ada/tide",
    timestamp: "2025-02-01T00:00:00Z",
  });
  second.user("and now?").hookMessage("weather", "stormy weather").assistant();
  const moments = session({ id: "moments", cwd: "/home/ada/clock", timestamp: "2011-12-29T00:00:00Z" });
  for (const moment of MOMENTS) moments.at(moment).assistant({ model: "clock" });
  const damaged = everyPlace(session({ id: "damaged", cwd: "", timestamp: "2025-05-05T05:05:05Z" }));
  damaged
    .raw("no json")
    .raw("[1]")
    .raw("")
    .assistant({ usage: { input: -1, output: 5, cost: "free" } });
  for (const each of [parent, child, grandchild, old, second, moments, damaged]) each.writeBelow(root);
  session({ id: "agent" })
    .user("delegated")
    .assistant()
    .write(join(root, "s", "0f", "run-1", "session.jsonl"));
  session({ id: "empty" }).write(join(root, "empty.jsonl"));
}

function everyPlace(built: SessionBuilder): SessionBuilder {
  built
    .user("Which trees should be pruned?")
    .assistant({ thinking: "pears first", text: "The pears, with café." });
  built.assistant({ toolCalls: [{ name: "read", arguments: { path: "/orchard/treeList.ts" } }] });
  built.toolResult("export const treeList = [];", { usage: { input: 7, output: 3, cost: { total: 0.001 } } });
  built.compaction("pruning", {
    usage: { input: 100, output: 10, totalTokens: 110, cost: { input: 0.5, output: 0.25 } },
  });
  built.branchSummary("an abandoned graft", { usage: { input: 11, output: 1 } });
  return built.usage("cache_warm", { note: "kept alive" }).name(`named ${built.id}`);
}
