// What a soak does to the world from outside.
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Program } from "./program.mjs";
import { DISK } from "./world.mjs";

export const all = [
  { name: "sessions deleted", everySeconds: 3, act: deleteSession },
  { name: "sessions moved", everySeconds: 1, act: moveSession },
  { name: "sessions swapped", everySeconds: 1, act: swapSessions },
  { name: "sessions copied, and moved back", everySeconds: 2, act: copyAndMoveBack },
  { name: "lines torn", everySeconds: 5, act: tearLine },
  { name: "sessions rewritten in place", everySeconds: 4, act: rewriteSession },
  { name: "rebuilds, two at once", everySeconds: 90, act: rebuildTwice },
  { name: "index disk full for a while", everySeconds: 45, act: (world) => fill(world.index, "4m") },
  { name: "sessions disk full for a while", everySeconds: 60, act: (world) => fill(world.sessions, "1m") },
  { name: "databases deleted", everySeconds: 70, act: deleteDatabase },
  { name: "databases damaged", everySeconds: 50, act: damageDatabase },
  { name: "write-ahead logs deleted", everySeconds: 80, act: deleteLog },
];

/** Before the verdict the disks have room again. */
export function endAll(world) {
  for (const disk of [world.index, world.sessions]) resize(disk, DISK);
}

function resize(disk, size) {
  execFileSync("mount", ["-o", `remount,size=${size}`, disk]);
}

/** No room for anything new; what is there stays. A tmpfs cannot become smaller than what it holds. */
async function fill(disk, room) {
  const used = Number(
    execFileSync("df", ["-B1", "--output=used", disk], { encoding: "utf8" }).split("\n")[1],
  );
  resize(disk, String(used + Number.parseInt(room, 10) * 1024 * 1024));
  await pause(6000);
  resize(disk, DISK);
}

/** Of pi's own sessions; those of the ledger stay. */
function deleteSession(world) {
  const path = anySession(world);
  if (path !== undefined && piSessions(world).length > 40) rmSync(path, { force: true });
}

function moveSession(world) {
  const [path, other] = [anySession(world), anySession(world)];
  if (path !== undefined) renameSync(path, join(dirname(other), basename(path)));
}

function swapSessions(world) {
  const [path, other] = [anySession(world), anySession(world)];
  if (path === undefined || path === other) return;
  renameSync(path, `${path}.swapped`);
  renameSync(other, path);
  renameSync(`${path}.swapped`, other);
}

/** Whoever looked in between has seen the file elsewhere, where another one lies by now. */
async function copyAndMoveBack(world) {
  const path = anySession(world);
  if (path === undefined) return;
  const elsewhere = path.replace(/\.jsonl$/, "-elsewhere.jsonl");
  try {
    renameSync(path, elsewhere);
    await pause(world.below(100));
    renameSync(elsewhere, path);
    copyFileSync(path, elsewhere);
  } catch (error) {
    // Moved or deleted meanwhile, or its disk is full.
    if (!["ENOENT", "ENOSPC"].includes(error.code)) throw error;
  }
}

function tearLine(world) {
  const path = anySession(world);
  const size = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false })?.size;
  if (path !== undefined && size !== undefined) truncateSync(path, Math.max(0, size - 1 - world.below(50)));
}

/** Emptied, and written again in small pieces, without its last lines. */
async function rewriteSession(world) {
  const path = anySession(world);
  if (path === undefined) return;
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    const kept = lines.slice(0, Math.max(1, lines.length - 1 - world.below(3)));
    truncateSync(path);
    for (const line of kept) {
      appendFileSync(path, `${line}\n`);
      await pause(world.below(30));
    }
  } catch (error) {
    // Deleted meanwhile, or its disk is full.
    if (!["ENOENT", "ENOSPC"].includes(error.code)) throw error;
  }
}

/** Whichever finds the index damaged puts it aside; the other one must not do so with what the first has made. */
async function rebuildTwice(world) {
  const rebuilds = [1, 2].map(() => new Program(world, [world.main, "sync", "--rebuild"]));
  for (const { ended } of rebuilds) await ended;
  for (const { stderr } of rebuilds)
    if (/\n\s+at /.test(stderr)) world.note(`stack trace of a rebuild: ${stderr}`);
}

function anySession(world) {
  const files = piSessions(world);
  return files[world.below(files.length)];
}

function piSessions(world) {
  return readdirSync(world.sessions, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl") && !name.startsWith("--kept--"))
    .map((name) => join(world.sessions, name));
}

function databases(world) {
  return ["index-v1.db", "search-v1.db"].map((name) => join(world.index, name));
}

function deleteDatabase(world) {
  const path = databases(world)[world.below(2)];
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
}

function deleteLog(world) {
  rmSync(`${databases(world)[world.below(2)]}-wal`, { force: true });
}

/** Some bytes written over, or the end cut off. */
function damageDatabase(world) {
  const path = databases(world)[world.below(2)];
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return;
  if (world.below(3) === 0) return truncateSync(path, world.below(size));
  const fd = openSync(path, "r+");
  for (let times = 0; times < 5; times++) writeSync(fd, Buffer.alloc(2000, 0xa5), 0, 2000, world.below(size));
  closeSync(fd);
}
