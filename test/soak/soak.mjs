// Everything at once, for minutes: conversations of pi and of programs that embed SessionManager, forks, migrations,
// deletions, moves, readers, a daemon that is killed every few seconds, disks that are full, a database that is deleted and
// damaged. At its end nothing may be lost, and the index must equal one made anew.
//
//   npm run soak -- 10          (minutes; Linux with user namespaces, for disks of its own)
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as faults from "./faults.mjs";
import { Program } from "./program.mjs";
import { judge } from "./verdict.mjs";
import { makeWorld } from "./world.mjs";

const minutes = Number(process.argv[2] ?? 10);
if (!(minutes > 0)) throw new Error("usage: npm run soak -- MINUTES");

/** Again as the root of a namespace, where disks may be mounted that nobody else sees. */
function enterNamespace() {
  const folder = mkdtempSync(join(tmpdir(), "sessiondb-soak-"));
  const args = ["-Urm", process.execPath, ...process.argv.slice(1)];
  const env = { ...process.env, SESSIONDB_SOAK: folder };
  const { status, error } = spawnSync("unshare", args, { env, stdio: "inherit" });
  if (error) throw new Error("the soak needs Linux with user namespaces (unshare)");
  process.exitCode = status ?? 1;
  rmSync(folder, { recursive: true });
}

async function soak(folder) {
  const world = makeWorld(folder);
  console.log(`soak of ${minutes} minutes, seed ${world.seed}, in ${world.folder}`);
  const until = Date.now() + minutes * 60_000;
  const isOver = () => Date.now() >= until;
  await Promise.all([
    converse(world, 1, isOver),
    converse(world, 2, isOver),
    talk(world, isOver),
    talk(world, isOver),
    keepDaemon(world, isOver),
    read(world, isOver),
    ...faults.all.map((fault) => nowAndThen(world, fault, isOver)),
    report(world, isOver),
  ]);
  faults.endAll(world);
  process.exitCode = judge(world) ? 0 : 1;
}

/** pi writes sessions of every kind. A pi that a full disk ends is no failure of ours. */
async function converse(world, number, isOver) {
  for (let round = 0; !isOver(); round++) {
    const start = new Date(Date.UTC(2026, 0, 1 + (round % 300), number)).toISOString();
    const options = { agentDir: world.agentDir, sessions: 8, projects: 4, seed: round * 10 + number, start };
    const writer = join(import.meta.dirname, "../peers/pi-writer.mjs");
    const { code } = await new Program(world, [writer, JSON.stringify(options)]).ended;
    world.count(code === 0 ? "pi conversations" : "pi stopped by a full disk", code === 0 ? 8 : 1);
    await pause(3000 + world.below(3000));
  }
}

/** Killed now and then, in the middle of whatever it writes. */
async function talk(world, isOver) {
  const program = join(import.meta.dirname, "talker.mjs");
  while (!isOver()) {
    const talker = new Program(world, [program, world.agentDir, world.ledger, world.canary]);
    await pause(4000 + world.below(20_000));
    talker.kill("SIGKILL");
    await talker.ended;
    world.count("talkers killed");
    const last = talker.stdout.trim().split("\n").at(-1);
    if (last?.startsWith("{"))
      for (const [name, value] of Object.entries(JSON.parse(last))) world.count(name, value);
    else if (talker.stderr === "") world.count("talkers killed while they were starting");
    else world.note(`a talker could not talk: ${talker.stderr.slice(0, 300)}`);
  }
}

const ENDINGS = ["SIGKILL", "SIGKILL", "SIGKILL", "SIGTERM", "SIGSTOP"];

async function keepDaemon(world, isOver) {
  while (!isOver()) {
    const daemon = new Program(world, [world.main, "daemon", "run"]);
    const until = Date.now() + 2000 + world.below(8000);
    while (Date.now() < until && daemon.isRunning) {
      world.measure(daemon.pid);
      await pause(250);
    }
    const ending = ENDINGS[world.below(ENDINGS.length)] ?? "SIGKILL";
    if (!daemon.isRunning)
      world.note(`the daemon ended by itself: ${(await daemon.ended).code} ${daemon.stderr}`);
    daemon.kill(ending);
    if (ending === "SIGSTOP") {
      await pause(1500);
      daemon.kill("SIGCONT");
      await pause(500);
      daemon.kill("SIGKILL");
    }
    const { code, took } = await daemon.ended;
    world.count(`daemon ended by ${ending}`);
    // Null: it was still starting, and ended by the signal itself.
    if (ending === "SIGTERM" && code !== 0 && code !== null)
      world.note(`SIGTERM ended the daemon with ${code}: ${daemon.stderr}`);
    if (ending === "SIGTERM") world.most("ms from SIGTERM to the end", took);
  }
}

const QUESTIONS = [
  ["list", "--json"],
  ["search", "question", "--json"],
  ["usage", "model", "--all"],
  ["sql", "SELECT count(*) FROM entries"],
  ["show", "latest"],
  ["tree", "latest"],
  ["daemon", "status", "--json"],
  ["--json"],
];

/** Answers, or one line that says why not. A damaged index is mended as the message says. */
async function read(world, isOver) {
  for (let turn = 0; !isOver(); turn++) {
    const question = QUESTIONS[turn % QUESTIONS.length] ?? [];
    const reader = new Program(world, [world.main, ...question]);
    const { code } = await reader.ended;
    world.count(`questions that ended with ${code}`);
    if (/\n\s+at /.test(reader.stderr)) world.note(`stack trace of ${question}: ${reader.stderr}`);
    // What is damaged here is said in other words: this is two processes that trip over each other.
    if (reader.stderr.includes("SQLITE_CONSTRAINT"))
      world.note(`${question.join(" ")} broke a rule of its own: ${reader.stderr}`);
    if (![0, 1, 75].includes(code ?? -1))
      world.note(`${question.join(" ")} ended with ${code}: ${reader.stderr}`);
    if (code === 1)
      world.count(
        `said: ${reader.stderr
          .trim()
          .split("\n")[0]
          ?.replace(/:? ?\/.*/, "")}`,
      );
    if (reader.stderr.includes("--rebuild"))
      await new Program(world, [world.main, "sync", "--rebuild"]).ended;
    await pause(300);
  }
}

async function nowAndThen(world, { everySeconds, name, act }, isOver) {
  for (;;) {
    const wait = Date.now() + (everySeconds * 500 + world.below(everySeconds * 1000));
    while (Date.now() < wait) {
      if (isOver()) return;
      await pause(500);
    }
    await act(world);
    world.count(name);
  }
}

async function report(world, isOver) {
  for (let minute = 1; !isOver(); minute++) {
    const next = Date.now() + 60_000;
    while (Date.now() < next && !isOver()) await pause(500);
    console.log(`${minute} min: ${JSON.stringify(world.counts)}`);
  }
}

if (process.env.SESSIONDB_SOAK === undefined) enterNamespace();
else await soak(process.env.SESSIONDB_SOAK);
