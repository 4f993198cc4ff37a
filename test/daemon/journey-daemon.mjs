// A daemon that fills the full text itself, not by a thread, and is watched while a line is appended to a session file.
// Says what ran and what was read until it was found. Runs the compiled program: every function in it is one of ours, and
// none was put in by what transforms tests.
//
//   node test/daemon/journey-daemon.mjs '{"root": …, "folder": <index folder>, "path": <session file>, "lines": [{"line", "word"}]}'
//
// It is the last of the lines of which it says it: what is done once was done for those before it.
import fs, { appendFileSync, statSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const { root, folder, path, lines } = JSON.parse(process.argv[2]);
const BUILD = `${pathToFileURL(join(import.meta.dirname, "../../build")).href}/`;

/** Since the last line was appended. */
const seen = { readTo: [], stats: 0, cursors: 0 };
watchReads();

const { Roots } = await import(`${BUILD}daemon/components/roots.js`);
const { Daemon } = await import(`${BUILD}daemon/daemon.js`);
const { StopFlag } = await import(`${BUILD}src/runtime/cancellation.js`);
const { feedSlice, SearchFeeder } = await import(`${BUILD}src/search/feed/feeder.js`);
const { openIndex } = await import(`${BUILD}src/store/open.js`);
const { CursorTable } = await import(`${BUILD}src/store/tables/cursors.js`);
watchCursors();

const location = { indexPath: join(folder, "index-v1.db"), searchPath: join(folder, "search-v1.db") };
const index = openIndex(location, { busyTimeoutMs: 10_000 });
const find = index.search.prepare("SELECT 1 FROM entry_text WHERE entry_text MATCH ?");

let fed = { complete: false };
function openFullText() {
  const own = openIndex(location, { busyTimeoutMs: 10_000 });
  const feeder = new SearchFeeder(own);
  const feed = async () => {
    fed = feedSlice(feeder, new StopFlag());
    return fed;
  };
  return { feed, tidy: async () => true, purge: async () => "done", close: async () => own.close() };
}

// Nothing happens by itself: only what the watch tells of.
const HOUR = 60 * 60_000;
const intervals = { sweepMs: HOUR, hotMs: HOUR, tickMs: HOUR, tidyMs: HOUR, purgeMs: HOUR, feedMs: 10 };
const daemon = new Daemon({ roots: new Roots([root]), location, intervals, openFullText });
const end = new AbortController();
const ended = daemon.run(end.signal);
while (daemon.report().lastSyncAt === null || !fed.complete) await setTimeout(5);

const inspector = new Session();
inspector.connect();
await inspector.post("Profiler.enable");
await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
let journey;
for (const { line, word } of lines) journey = await journeyOf(line, word);
inspector.disconnect();
end.abort();
await ended;
index.close();
console.log(JSON.stringify(journey));

async function journeyOf(line, word) {
  const before = statSync(path).size;
  await modulesRun();
  Object.assign(seen, { readTo: [], stats: 0, cursors: 0 });
  fed = { complete: false };
  appendFileSync(path, `${line}\n`);
  while (!fed.complete || find.get(word) === undefined) await setTimeout(5);
  // What the daemon makes of the answer of the full text comes with the next turns of the event loop.
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  const { readTo, stats, cursors } = seen;
  return { modules: await modulesRun(), reads: readTo.filter((to) => to > before).length, stats, cursors };
}

/** The modules in which a function has run since this was asked last. */
async function modulesRun() {
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  const hasRun = ({ functionName, ranges: [{ count, startOffset }] }) =>
    count > 0 && (functionName !== "" || startOffset > 0);
  const run = result.filter(({ url, functions }) => url.startsWith(BUILD) && functions.some(hasRun));
  return run.map(({ url }) => url.slice(BUILD.length).replace(/\.js$/, ".ts")).sort();
}

/** Notes up to where a file was read, whatever for, and how often the system was asked about the session or what is open. */
function watchReads() {
  const { readSync, fstatSync } = fs;
  fs.readSync = (fd, buffer, at, length, from) => {
    const bytes = readSync(fd, buffer, at, length, from);
    seen.readTo.push(from + bytes);
    return bytes;
  };
  fs.fstatSync = (...asked) => {
    seen.stats++;
    return fstatSync(...asked);
  };
  for (const name of ["statSync", "lstatSync"]) {
    const original = fs[name];
    fs[name] = (of, ...options) => {
      if (String(of).endsWith(".jsonl")) seen.stats++;
      return original(of, ...options);
    };
  }
  syncBuiltinESMExports();
}

function watchCursors() {
  const { load } = CursorTable.prototype;
  CursorTable.prototype.load = function (...asked) {
    seen.cursors++;
    return load.apply(this, asked);
  };
}
