import { join } from "node:path";
import { session } from "../../helpers/session-builder.ts";
import { Random } from "../../session-manager/random.ts";

/** Money that was spent once, at a moment, in a working directory. */
export interface SpentOnce {
  time: number;
  cost: number;
  cwd: string;
}

/** Moments around which clocks change and weeks and months begin. */
const EDGES = [
  "2017-10-01T04:00:00Z",
  "2026-03-29T01:00:00Z",
  "2026-10-25T01:00:00Z",
  "2026-11-01T00:00:00Z",
];
const HOUR = 3_600_000;

/**
 * Writes families drawn by a seed: sessions with forks that copy what they were forked from, and with sub-agents whose
 * money the result that ran them states again. Returns what was really spent.
 */
export function writeFamilies(root: string, seed: number): SpentOnce[] {
  const random = new Random(seed);
  const spent: SpentOnce[] = [];
  for (let number = 0; number < 12; number++) {
    const cwd = number % 3 === 0 ? "/b" : "/a";
    const start =
      Date.parse(EDGES[number % EDGES.length] ?? "") + Math.floor((random.next() - 0.5) * 60) * HOUR;
    const spend = (time: number) => {
      const cost = Math.ceil(random.next() * 1000) / 1000;
      spent.push({ time, cost, cwd });
      return { input: 10, cost: { total: cost } };
    };
    const iso = (time: number) => new Date(time).toISOString();
    const folder = join(root, "--p--", `${number}_root`);
    const parent = session({ id: `root${number}`, cwd, timestamp: iso(start - HOUR) });
    for (let at = 0; at < 6; at++) {
      const time = start + at * 7 * HOUR;
      parent
        .at(time)
        .user(`question ${number} ${at}`)
        .at(time)
        .assistant({ text: `answer ${number} ${at}`, usage: spend(time) });
    }
    const end = start + 50 * HOUR;
    const path = join(folder, "0a", "run-0", "session.jsonl");
    const usage = spend(end);
    session({ id: `agent${number}`, cwd, timestamp: iso(end - HOUR) })
      .user("work")
      .at(end)
      .assistant({ text: `worked ${number}`, usage })
      .write(path);
    const fork = parent.fork({ id: `fork${number}`, timestamp: iso(end), cwd });
    fork.at(end + HOUR).assistant({ text: `forked ${number}`, usage: spend(end + HOUR) });
    parent
      .at(end)
      .toolResult("done", { usage, details: { results: [{ agent: "worker", sessionFile: path }] } });
    parent.write(`${folder}.jsonl`);
    fork.write(join(root, "--p--", `${number}_fork.jsonl`));
  }
  return spent;
}
