/** Opening a long, compacted session and building the model's context; walking it to its root. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { assertEqual, inChild, inTurn, median, moduleAt, sideBySide } from "../measure.mjs";
import { PI } from "../peers.mjs";
import { timesAsMuch, timesLess } from "../rows.mjs";

/** @param {import("../bench.mjs").Place} place */
export async function opening(place) {
  const { agent, root } = place.corpora.B100;
  const [name = ""] = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((each) =>
    each.endsWith(".jsonl"),
  );
  const file = join(root, name);
  const open = (module) => () => inChild(["open", module, file], { PI_CODING_AGENT_DIR: agent });
  const works = Object.fromEntries(PI.map((pi) => [pi.name, open(pi.path)]));
  const results = await inTurn({ ...works, own: open(join(place.built, "src/session/session-manager.js")) });
  const of = (who, what) => median(results[who].map((result) => result[what]));
  const mb = (statSync(file).size / 1e6).toFixed(0);
  const rows = PI.flatMap(({ name: pi }) => {
    assertEqual("messages in the context", of("own", "messages"), of(pi, "messages"));
    const row = (what, key, target, unit) =>
      timesLess(what, { name: pi, value: of(pi, key) }, of("own", key), target, unit);
    return [
      row(`open and build the context, ${mb} MB, again and again`, "ms", 50),
      row("the same as the first thing a process does", "firstMs", null),
      row("memory of that process at its peak", "peakMb", null, "MB"),
      row("the same without what Node itself takes", "ownMb", 10, "MB"),
    ];
  });
  return [...rows, await toTheRoot(place)];
}

/** The target: 10 ms where the loop takes 75. */
const LIMIT = 10 / 75;

async function toTheRoot(place) {
  const { folder } = place.corpora.B100;
  const { openIndex } = await moduleAt(join(place.built, "src/store/open.js"));
  // The way in which `SessionManager` walks.
  const { ON_BRANCH, STRETCHES } = await moduleAt(join(place.built, "src/store/tables/entry-rows.js"));
  const index = openIndex({
    indexPath: join(folder, "index-v1.db"),
    searchPath: join(folder, "search-v1.db"),
  });
  const { database } = index;
  const branch = database.prepare(`${STRETCHES} SELECT count(*) FROM ${ON_BRANCH}`).pluck();
  const parent = database.prepare("SELECT parent_key FROM entries WHERE key = ?").pluck();
  const { leaf, fileId } = database.prepare("SELECT leaf_key AS leaf, file_id AS fileId FROM sessions").get();
  const loop = () => {
    let depth = 0;
    for (let key = leaf; typeof key === "number"; key = parent.get(key)) depth++;
    return depth;
  };
  const { own, theirs } = await sideBySide({
    own: () => branch.get({ fileId, key: leaf, low: 0 }),
    theirs: loop,
  });
  index.close();
  assertEqual("entries on the branch", own.value, theirs.value);
  const peer = { name: "a query for each parent", value: theirs.ms };
  return timesAsMuch(`leaf to root, ${own.value.toLocaleString("en-US")} deep`, peer, own.ms, LIMIT);
}
