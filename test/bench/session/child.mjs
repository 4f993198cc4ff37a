// Run as `node child.mjs TASK ...`: does one thing in a process of its own and prints what came out as JSON.
import { pathToFileURL } from "node:url";
import { median, REPEATS, timed } from "./measure.mjs";

const [task, ...args] = process.argv.slice(2);

/**
 * How long opening a session and building its context takes, the first time in a process, with memory at its
 * peak, and then in the middle of some more.
 */
async function openAgainAndAgain([modulePath, file]) {
  const { SessionManager } = await import(pathToFileURL(modulePath).href);
  const open = async () => {
    const { ms, value } = await timed(() => SessionManager.open(file).buildSessionContext());
    return { ms, messages: value.messages.length };
  };
  const { ms: firstMs, messages } = await open();
  const peakMb = process.resourceUsage().maxRSS / 1024;
  const times = [];
  for (let round = 0; round < REPEATS; round++) times.push((await open()).ms);
  return { firstMs, ms: median(times), messages, peakMb };
}

/** Indexes a corpus again and again until its input ends. */
async function indexInBulk([builtDir, folder, root]) {
  const { openIndex } = await import(pathToFileURL(`${builtDir}/src/db/open.js`).href);
  const { SyncRun } = await import(pathToFileURL(`${builtDir}/src/sync/sync-all.js`).href);
  const index = openIndex({ indexPath: `${folder}/index-v1.db`, searchPath: `${folder}/search-v1.db` });
  process.stdin.on("end", () => process.exit(0)).resume();
  process.stdout.write("ready\n");
  for (;;) {
    const run = new SyncRun(index, [root], { rebuild: true });
    while (run.step()) await new Promise((resolve) => setImmediate(resolve));
  }
}

if (task === "open") console.log(JSON.stringify(await openAgainAndAgain(args)));
else if (task === "index") await indexInBulk(args);
else throw new Error(`no such task: ${task}`);
