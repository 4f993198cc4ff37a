/** How long a command takes to its first output, compared with Node alone. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sideBySide } from "../measure.mjs";
import { timesAsMuch } from "../rows.mjs";

/** @param {import("../bench.mjs").Place} place */
export async function starting(place) {
  const { root, folder } = place.corpora.M;
  const at = ["--sessions-dir", root, "--db", join(folder, "index-v1.db"), "--no-sync"];
  const config = join(folder, "budgets.json");
  writeFileSync(
    config,
    JSON.stringify({ budgets: [{ name: "all", day: 1e6, week: 1e6, month: 1e6, total: 1e6 }] }),
  );
  const run = (args) => () => {
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  };
  const results = await sideBySide(
    {
      node: run(["-e", "0"]),
      list: run([place.main, "list", "--limit", "10", ...at]),
      usage: run([place.main, "usage", ...at]),
      all: run([place.main, "usage", "--all", ...at]),
      check: run([place.main, "usage", "--check", "--config", config, ...at]),
      line: run([place.main, "usage", "statusline", ...at]),
    },
    15,
  );
  const peer = { name: "node -e 0", value: results.node.ms };
  return [
    timesAsMuch("the command `list --no-sync`", peer, results.list.ms, 3),
    timesAsMuch("the command `usage --no-sync`", peer, results.usage.ms, 3),
    timesAsMuch(
      "`usage statusline --no-sync`, without budgets",
      { name: "`usage --no-sync`", value: results.usage.ms },
      results.line.ms,
      1.1,
    ),
    timesAsMuch(
      "`usage --check --no-sync` of four limits, one of them in all",
      { name: "`usage --all --no-sync`", value: results.all.ms },
      results.check.ms,
      1.1,
    ),
  ];
}
