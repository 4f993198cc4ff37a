// How long after an append its row is visible to another process, and its text to search, while a daemon runs.
// Runs the compiled program on a store of its own; needs nothing but `npm run build`.
//
//   node test/bench/daemon.mjs [seconds a rate] [sessions folder to append into a copy of] [idle seconds]
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { askDaemon } from "../../dist/daemon/lease.js";
import { openIndex } from "../../dist/src/db/open.js";

const MAIN = fileURLToPath(new URL("../../dist/src/cli/main.js", import.meta.url));
const RATES = [1, 20, 200];
const seconds = Number(process.argv[2] ?? 10);
const corpus = process.argv[3];
const idleSeconds = Number(process.argv[4] ?? 10);
/** The full text is tidied, and memory given back, so long after the last text. */
const QUIET_MS = 40_000;

const agentDir = mkdtempSync(join(tmpdir(), "sessiondb-bench-"));
const root = join(agentDir, "sessions");
const daemon = (...argv) =>
  spawnSync(process.execPath, [MAIN, "daemon", ...argv, "--agent-dir", agentDir], { encoding: "utf8" });
try {
  if (corpus) cpSync(corpus, root, { recursive: true });
  mkdirSync(join(root, "--bench--"), { recursive: true });
  const path = join(root, "--bench--", "bench.jsonl");
  writeFileSync(path, `${JSON.stringify(header())}\n`);
  const before = digest(root);
  daemon("start");
  const location = {
    indexPath: join(agentDir, "sessiondb", "index-v1.db"),
    searchPath: join(agentDir, "sessiondb", "search-v1.db"),
  };
  const status = await until(() => {
    const found = askDaemon(location);
    return found?.state === "watching" && found;
  });
  const index = openIndex(location, { readonly: true });
  await until(() => behind(index) === 0);
  console.log(`${status.watches} watches, ${memory(status.pid)} MB, CPU so far ${cpuMs(status.pid)} ms`);
  for (const rate of RATES) await measure(index, path, rate, status.pid);
  index.close();
  await setTimeout(QUIET_MS);
  const [cpu, reads] = [cpuMs(status.pid), readBytes(status.pid)];
  await setTimeout(idleSeconds * 1000);
  const idle = (cpuMs(status.pid) - cpu) / (10 * idleSeconds);
  console.log(
    `idle: ${idle.toFixed(3)} % CPU, ${readBytes(status.pid) - reads} bytes read, ${memory(status.pid)} MB`,
  );
  console.log(`the session files are ${digest(root) === before ? "untouched" : "CHANGED"}`);
} finally {
  daemon("stop");
  rmSync(agentDir, { recursive: true, force: true });
}

/** Bytes, times and modes of everything but the file that is appended to. */
function digest(folder) {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder, { recursive: true }).sort()) {
    if (name.startsWith("--bench--")) continue;
    const path = join(folder, name);
    const { mode, size, mtimeMs } = statSync(path);
    hash.update(`${name} ${mode} ${size} ${mtimeMs}\n`);
    if (name.endsWith(".jsonl")) hash.update(readFileSync(path));
  }
  return hash.digest("hex");
}

/** Appends at a rate and looks, as another process, for each line. */
async function measure(index, path, rate, pid) {
  // By file and id, which an index answers: an id alone would have this process scan all entries.
  const rowOf = index.database.prepare(`SELECT 1 FROM entries e JOIN files f ON f.id = e.file_id
    WHERE f.real_path = ? AND e.entry_id = ?`);
  const realPath = realpathSync(path);
  const hitOf = index.search.prepare("SELECT 1 FROM entry_text WHERE entry_text MATCH ?");
  const rows = [];
  const texts = [];
  const waiting = [];
  const cpu = cpuMs(pid);
  const began = performance.now();
  for (let count = 0; count < rate * seconds; count++) {
    while (performance.now() < began + (1000 * count) / rate) await look();
    const id = `r${rate}n${count}`;
    waiting.push({ id, at: performance.now() });
    appendFileSync(path, `${JSON.stringify(entry(id))}\n`);
    const at = performance.now();
    await until(() => rowOf.get(realPath, id) !== undefined, 5000, 0);
    rows.push(performance.now() - at);
    lookForTexts();
  }
  while (waiting.length > 0) await look();
  const share = (cpuMs(pid) - cpu) / (performance.now() - began);
  console.log(
    `${rate} lines/s: rows ${percentiles(rows)} ms, search ${percentiles(texts)} ms, CPU ${(100 * share).toFixed(1)} %`,
  );

  async function look() {
    lookForTexts();
    if (waiting.length > 0 && performance.now() - waiting[0].at > 30_000)
      throw new Error(`missed ${waiting[0].id}`);
    await setTimeout(2);
  }

  function lookForTexts() {
    while (waiting.length > 0 && hitOf.get(waiting[0].id) !== undefined) {
      texts.push(performance.now() - waiting.shift().at);
    }
  }
}

function header() {
  return { type: "session", version: 3, id: "bench", timestamp: new Date().toISOString(), cwd: "/bench" };
}

function entry(id) {
  const content = `${id} ${"some words of a conversation that goes on for a while ".repeat(20)}`;
  const timestamp = new Date().toISOString();
  const message = { role: "user", content, timestamp: Date.now() };
  return { type: "message", id, parentId: null, timestamp, message };
}

async function until(look, deadline = 600_000, every = 20) {
  for (const giveUpAt = performance.now() + deadline; performance.now() < giveUpAt; ) {
    const seen = look();
    if (seen) return seen;
    if (every > 0) await setTimeout(every);
    else await setImmediate();
  }
  throw new Error("gave up waiting");
}

function behind(index) {
  const read = index.search.prepare("SELECT value FROM meta WHERE name = 'watermark'").pluck();
  return index.database
    .prepare("SELECT count(*) FROM entries WHERE key > ?")
    .pluck()
    .get(Number(read.get() ?? 0));
}

function percentiles(times) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2);
  return `p50 ${at(0.5)} p95 ${at(0.95)} p99 ${at(0.99)} max ${at(1)}`;
}

/** Linux: user and system time of a process. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function readBytes(pid) {
  return Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1]);
}

function memory(pid) {
  const kb = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  return Math.round(kb / 1024);
}
