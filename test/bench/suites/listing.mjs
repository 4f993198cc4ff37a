/** Listing all sessions: pi's class and ours, each in a process of its own. */
import { join } from "node:path";
import { assertEqual, inChild, inTurn, median, moduleAt, sideBySide } from "../measure.mjs";
import { PI } from "../peers.mjs";
import { timesLess } from "../rows.mjs";
import { besideDaemon } from "../watching/daemon.mjs";

/** @param {import("../bench.mjs").Place} place */
export async function listing(place) {
  return [...(await ofCorpus(place, "M", 200)), ...(await ofCorpus(place, "L", 35))];
}

async function ofCorpus(place, name, target) {
  const { agent, folder, files } = place.corpora[name];
  const list = (module) => () => inChild(["listAll", module], { PI_CODING_AGENT_DIR: agent });
  const works = Object.fromEntries(PI.map((pi) => [pi.name, list(pi.path)]));
  const own = list(join(place.built, "src/session/session-manager.js"));
  const vouchedFor = () => besideDaemon(place, agent, own);
  const results = await inTurn({ ...works, own, vouchedFor });
  for (const { sessions, messages } of results.vouchedFor) {
    assertEqual("sessions", sessions, results.own[0].sessions);
    assertEqual("messages", messages, results.own[0].messages);
  }
  const { openIndex } = await moduleAt(join(place.built, "src/store/open.js"));
  const { listSessions } = await moduleAt(join(place.built, "src/reports/sessions.js"));
  const index = openIndex({
    indexPath: join(folder, "index-v1.db"),
    searchPath: join(folder, "search-v1.db"),
  });
  const first = await sideBySide({ own: () => listSessions(index, { limit: 50 }) });
  index.close();
  const of = (name, time) => median(results[name].map((result) => result[time]));
  const sessions = files.toLocaleString("en-US");
  return PI.flatMap(({ name }) => {
    const missed = missedBy(results[name], results.own[0]);
    const peer = (time) => ({ name: name + missed, value: of(name, time) });
    const all = `listAll of ${sessions} sessions`;
    return [
      timesLess(`${all}, as the first thing a process does`, peer("firstMs"), of("own", "firstMs"), null),
      timesLess("the same beside a daemon", peer("firstMs"), of("vouchedFor", "firstMs"), null),
      timesLess(`${all}, in a process that has listed before`, peer("ms"), of("own", "ms"), null),
      timesLess("the same beside a daemon", peer("ms"), of("vouchedFor", "ms"), target),
      timesLess("the first 50 of them", peer("ms"), first.own.ms, 1000),
    ];
  });
}

/**
 * pi drops sessions silently where it runs out of file descriptors: then the row says so. Any other difference is an
 * error.
 */
function missedBy(theirs, own) {
  const most = theirs.reduce((best, each) => (each.sessions > best.sessions ? each : best));
  const fewest = Math.min(...theirs.map(({ sessions }) => sessions));
  if (most.sessions > own.sessions) assertEqual("sessions", own.sessions, most.sessions);
  const tellsAsMuch = most.sessions === own.sessions || most.messages > own.messages;
  if (tellsAsMuch) assertEqual("messages", own.messages, most.messages);
  return fewest === own.sessions ? "" : `, which missed ${own.sessions - fewest}`;
}
