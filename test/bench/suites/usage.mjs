/** Usage by day: by ccusage, which reads all session files, and by this program, in process and as a whole command. */
import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { assertEqual, moduleAt, sideBySide, timed } from "../measure.mjs";
import { PEERS } from "../peers.mjs";
import { timesLess } from "../rows.mjs";
import { besideDaemon } from "../watching/daemon.mjs";

const ZONE = "Europe/Berlin";
/** How many questions are asked before those that count: code is warm then, as in a program that asks now and then. */
const WARMING = 20;

/** @param {import("../bench.mjs").Place} place */
export async function usage(place) {
  if (PEERS.ccusage.path === null) return [];
  // npm keeps the mode in the archive, where the file is not executable.
  chmodSync(PEERS.ccusage.path, 0o755);
  const { agent, root, folder } = place.corpora.M;
  const location = {
    indexPath: join(folder, "index-v1.db"),
    searchPath: join(folder, "search-v1.db"),
  };
  const { openIndex } = await moduleAt(join(place.built, "src/store/open.js"));
  const { sumUsage } = await moduleAt(join(place.built, "src/reports/usage/usage-report.js"));
  const index = openIndex(location, { readonly: true });
  try {
    const inProcess = () => sumUsage(index, { by: "daily", timezone: ZONE, roots: [root] });
    const first = await timed(inProcess);
    assertSameTokens(index, root, sumUsage);
    const at = ["--sessions-dir", root, "--db", location.indexPath, "-z", ZONE, "--all", "--json"];
    for (let round = 0; round < WARMING; round++) inProcess();
    const command = () => JSON.parse(run(process.execPath, [place.main, "usage", ...at]));
    const results = await sideBySide(
      { ccusage: () => ccusage("daily", root), process: inProcess, command },
      9,
    );
    const { ms: vouchedForMs, value } = await besideDaemon(place, agent, () =>
      sideBySide({ command }, 9),
    ).then((beside) => beside.command);
    const { cost } = results.process.value.totals;
    for (const each of [results.command.value, value]) assertEqual("cost", each.totals.cost, cost);
    const peer = { name: PEERS.ccusage.name, value: results.ccusage.ms };
    return [
      timesLess(
        "usage by day of 3,000 sessions, in a process that has asked before",
        peer,
        results.process.ms,
        50,
      ),
      timesLess("the same, the first time in a process", peer, first.ms, null),
      timesLess("the same as a whole command, the files looked at before", peer, results.command.ms, 8),
      timesLess("the same beside a daemon", peer, vouchedForMs, 8),
    ];
  } finally {
    index.close();
  }
}

/** Checks that both have read the same: the tokens of assistants in sessions without copies have to be equal. */
function assertSameTokens(index, root, sumUsage) {
  const copied = new Set(
    index.database.prepare("SELECT session_id FROM sessions WHERE inherited_requests > 0").pluck().all(),
  );
  const options = { by: "session", timezone: ZONE, filter: { role: "assistant" } };
  const own = sumUsage(index, options).rows.filter(({ key }) => !copied.has(key));
  const theirs = ccusage("session", root).sessions.filter(({ sessionId }) => !copied.has(sessionId));
  const total = (rows, keyOf) => rows.reduce((sum, row) => sum + keyOf(row), 0);
  assertEqual("sessions", own.length, theirs.length);
  assertEqual(
    "input tokens",
    total(own, (row) => row.input),
    total(theirs, (row) => row.inputTokens),
  );
  assertEqual(
    "output tokens",
    total(own, (row) => row.output),
    total(theirs, (row) => row.outputTokens),
  );
  assertEqual(
    "dollars",
    total(own, (row) => row.cost).toFixed(2),
    total(theirs, (row) => row.totalCost).toFixed(2),
  );
}

function ccusage(by, root) {
  const options = ["--json", "--offline", "-z", ZONE, "--pi-path", root];
  return JSON.parse(run(PEERS.ccusage.path, ["pi", by, ...options]));
}

function run(program, args) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${stderr}`);
  return stdout;
}
