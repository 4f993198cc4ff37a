// Run as `node child.mjs TASK ...`: does one thing in a process of its own and prints what came out as JSON.
import { performance } from "node:perf_hooks";
import { pathToFileURL } from "node:url";

const [task, ...args] = process.argv.slice(2);

/** How long opening a session and building its context takes, the first time in a process, and memory at its peak. */
async function openOnce([modulePath, file]) {
  const { SessionManager } = await import(pathToFileURL(modulePath).href);
  const loaded = process.memoryUsage.rss();
  const start = performance.now();
  const manager = SessionManager.open(file);
  const { messages } = manager.buildSessionContext();
  const ms = performance.now() - start;
  return {
    ms,
    messages: messages.length,
    peakMb: process.resourceUsage().maxRSS / 1024,
    loadedMb: loaded / 1e6,
  };
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

if (task === "open") console.log(JSON.stringify(await openOnce(args)));
else if (task === "index") await indexInBulk(args);
else throw new Error(`no such task: ${task}`);
