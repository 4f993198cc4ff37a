// Whether a soak ended as promised: everything kept, the index sound and equal to one made anew, bounds held.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const BOUNDS = {
  "MB of the daemon": 400,
  "descriptors of the daemon": 200,
  "MB of index-v1.db-wal": 200,
  "MB of search-v1.db-wal": 200,
  "ms from SIGTERM to the end": 4000,
};

export function judge(world) {
  const lost = lostAppends(world);
  checkIndex(world);
  checkLogs(world);
  // Where others take most of the machine, a time on the clock says nothing of the program.
  const isOverloaded = world.largest["load for each core"] > 2;
  for (const [name, most] of Object.entries(BOUNDS)) {
    if (name.startsWith("ms ") && isOverloaded) continue;
    if ((world.largest[name] ?? 0) > most) world.note(`${name}: ${world.largest[name]}, more than ${most}`);
  }
  const { seed, counts, largest, notes } = world;
  console.log(JSON.stringify({ seed, counts, largest, lost, notAsPromised: notes }, null, 2));
  console.log(notes.length === 0 ? "Clean." : `${notes.length} not as promised.`);
  return notes.length === 0;
}

/** Every append that returned is in its file. */
function lostAppends(world) {
  const promised = new Map();
  for (const line of readFileSync(world.ledger, "utf8").split("\n")) {
    const [path, id] = line.split("\t");
    if (id) promised.set(path, [...(promised.get(path) ?? []), id]);
  }
  let lost = 0;
  for (const [path, ids] of promised) {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const missing = ids.filter((id) => !text.includes(`"id":"${id}"`));
    lost += missing.length;
    if (missing.length > 0) world.note(`${missing.length} of ${ids.length} appends are not in ${path}`);
  }
  return lost;
}

/** One command, as a user would give it. */
function run(world, ...args) {
  const env = { ...process.env, HOME: world.home, PI_CODING_AGENT_DIR: world.agentDir, NO_COLOR: "1" };
  const options = { cwd: world.home, env, encoding: "utf8", maxBuffer: 1024 ** 3 };
  return spawnSync(process.execPath, [world.main, ...args], options);
}

const SUMS = `SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM entries), (SELECT count(*) FROM messages),
  (SELECT count(*) FROM tool_calls), (SELECT count(*) FROM labels), (SELECT count(*) FROM usage),
  (SELECT round(total(cost), 6) FROM usage WHERE counted = 1), (SELECT sum(total_tokens) FROM usage),
  (SELECT round(total(cost), 6) FROM usage_quarters WHERE counted = 1), (SELECT sum(offset) FROM files)`;

function checkIndex(world) {
  // Damage that nobody has met yet is met here, by reading all there is; what it says is what a user would do.
  const isSound = run(world, "sync").status === 0 && !run(world, "verify").stderr.includes("--rebuild");
  if (!isSound) run(world, "sync", "--rebuild");
  const second = run(world, "sync");
  if (second.status !== 0) world.note(`the last sync ended with ${second.status}: ${second.stderr}`);
  const verified = run(world, "verify", "--json");
  world.verified = verified.status === 0;
  if (!verified.stdout.includes('"ok": true') && !verified.stdout.includes('"ok":true')) {
    world.note(
      `verify: ${verified.status} ${verified.stdout.slice(0, 2000)} ${verified.stderr.slice(0, 500)}`,
    );
  }
  const anew = join(world.folder, "anew", "index-v1.db");
  run(world, "sync", "--db", anew);
  const [old, fresh] = [run(world, "sql", "--json", SUMS), run(world, "sql", "--json", SUMS, "--db", anew)];
  if (old.status !== 0 || old.stdout !== fresh.stdout) {
    world.note(`the index is not what a new one is: ${old.stdout} ${fresh.stdout} ${old.stderr}`);
  }
  for (const word of ["question", "answer", "project"]) checkWord(world, word, anew);
}

function checkWord(world, word, anew) {
  const total = (...more) =>
    JSON.parse(run(world, "search", word, "--limit", "1", "--json", ...more).stdout).total;
  const [found, expected] = [total(), total("--db", anew)];
  if (found !== expected) world.note(`${word}: ${found} hits, a new index has ${expected}`);
}

/** Nothing of a transcript in a log; modes as promised. */
function checkLogs(world) {
  for (const name of readdirSync(world.index)) {
    const path = join(world.index, name);
    const { mode } = statSync(path);
    if ((mode & 0o077) !== 0) world.note(`${name} has mode ${(mode & 0o777).toString(8)}`);
    if (name.startsWith("daemon") && readFileSync(path, "utf8").includes(world.canary)) {
      world.note(`text of a session in ${name}`);
    }
  }
}
