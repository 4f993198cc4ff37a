// Run as `node child.mjs TASK ...`: does one thing in a process of its own and prints the result as JSON.
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { median, moduleAt, peakMb, timed } from "./measure.mjs";

const [task, ...args] = process.argv.slice(2);

/** How long each side repeats, in ms. The first tenth of it, and at least one run, do not count: code is warm then. */
const REPEATING_MS = 2000;

/**
 * How long opening a session and building its context takes: the first time in a process, with the peak of memory and
 * the part of it that Node had taken before; and when it is done again and again.
 */
async function openAgainAndAgain([modulePath, file]) {
  const emptyMb = peakMb();
  const { SessionManager } = await moduleAt(modulePath);
  const open = async () => {
    const { ms, value } = await timed(() => SessionManager.open(file).buildSessionContext());
    return { ms, messages: value.messages.length };
  };
  const { ms: firstMs, messages } = await open();
  const mostMb = peakMb();
  const times = [];
  const start = performance.now();
  for (let past = 0; past < REPEATING_MS || times.length === 0; past = performance.now() - start) {
    const { ms } = await open();
    if (past > REPEATING_MS / 10) times.push(ms);
  }
  return { firstMs, ms: median(times), messages, peakMb: mostMb, ownMb: mostMb - emptyMb };
}

/** How long listing all sessions takes: the first time in a process, and when it is done again and again. */
async function listAll([modulePath]) {
  const { SessionManager } = await moduleAt(modulePath);
  const { ms: firstMs, value } = await timed(() => SessionManager.listAll());
  const messages = value.reduce((sum, info) => sum + info.messageCount, 0);
  const times = [];
  const start = performance.now();
  do times.push((await timed(() => SessionManager.listAll())).ms);
  while (performance.now() - start < REPEATING_MS);
  return { firstMs, ms: median(times), sessions: value.length, messages, peakMb: peakMb() };
}

/**
 * How long just reading and parsing everything takes, which no program that parses JSON in Node can beat: one reused
 * buffer, lines split at newlines. The second of two passes.
 */
async function readAndParse([root]) {
  const buffer = Buffer.alloc(64 * 1024 * 1024);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  const pass = () => files.reduce((lines, name) => lines + parseFile(join(root, name), buffer), 0);
  pass();
  const { ms, value } = await timed(pass);
  return { ms, lines: value };
}

function parseFile(path, reused) {
  const fd = openSync(path);
  const { size } = fstatSync(fd);
  const buffer = size > reused.length ? Buffer.alloc(size) : reused;
  readSync(fd, buffer, 0, size, 0);
  closeSync(fd);
  let lines = 0;
  for (let start = 0; start < size; lines++) {
    const newline = buffer.indexOf(0x0a, start);
    const end = newline < 0 || newline > size ? size : newline;
    JSON.parse(buffer.utf8Slice(start, end));
    start = end + 1;
  }
  return lines;
}

/** How long it takes to make all rows of an empty index, without the full text. */
async function rowsFromNothing([builtDir, folder, root]) {
  const index = await openAt(builtDir, folder);
  const { syncAll } = await moduleAt(join(builtDir, "src/indexing/sync-run.js"));
  const { ms, value } = await timed(() => syncAll(index, [root]));
  index.close();
  const { files, entries } = value;
  return { ms, files: files.indexed, entries: entries.added, peakMb: peakMb() };
}

/** How often both are done. The first few are slower, more so on our side, until V8 has compiled what runs often. */
const LOOKS = 15;

/** A sync with nothing to do and a bare walk with a stat of each file, in turn; and the first of the syncs. */
async function nothingToDo([builtDir, folder, root]) {
  const index = await openAt(builtDir, folder);
  const { syncAll } = await moduleAt(join(builtDir, "src/indexing/sync-run.js"));
  const walks = [];
  const syncs = [];
  for (let round = 0; round < LOOKS; round++) {
    const walk = await timed(() => statAll(root));
    const sync = await timed(() => syncAll(index, [root]));
    const { seen, indexed } = sync.value.files;
    if (seen !== walk.value || indexed > 0)
      throw new Error(`${seen} of ${walk.value} files, ${indexed} read`);
    walks.push(walk.ms);
    syncs.push(sync.ms);
  }
  index.close();
  return { walkMs: median(walks), syncMs: median(syncs), firstMs: syncs[0] };
}

function statAll(folder) {
  let files = 0;
  for (const found of readdirSync(folder, { withFileTypes: true })) {
    const path = `${folder}/${found.name}`;
    if (found.isDirectory()) files += statAll(path);
    else if (statSync(path).isFile()) files++;
  }
  return files;
}

/** How long a program waits that opens the index and searches once. */
async function firstSearch([builtDir, folder, root, query]) {
  const { searchEntries } = await moduleAt(join(builtDir, "src/search/search.js"));
  const { ms, value: index } = await timed(async () => {
    const opened = await openAt(builtDir, folder);
    searchEntries(opened, query, { roots: [root] });
    return opened;
  });
  index.close();
  return { ms };
}

/** Indexes a corpus again and again until its input ends. */
async function indexInBulk([builtDir, folder, root]) {
  const index = await openAt(builtDir, folder);
  const { SyncRun } = await moduleAt(join(builtDir, "src/indexing/sync-run.js"));
  process.stdin.on("end", () => process.exit(0)).resume();
  process.stdout.write("ready\n");
  for (;;) {
    const run = new SyncRun(index, [root], { rebuild: true });
    while (run.step()) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function openAt(builtDir, folder) {
  const { openIndex } = await moduleAt(join(builtDir, "src/store/open.js"));
  return openIndex({ indexPath: join(folder, "index-v1.db"), searchPath: join(folder, "search-v1.db") });
}

const TASKS = {
  open: openAgainAndAgain,
  listAll,
  readAndParse,
  rows: rowsFromNothing,
  nothingToDo,
  firstSearch,
};

if (task === "index") await indexInBulk(args);
else if (task in TASKS) console.log(JSON.stringify(await TASKS[task](args)));
else throw new Error(`no such task: ${task}`);
