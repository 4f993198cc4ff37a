// Lets real pi write a store of any size, for end-to-end tests and measurements. A process of its own, because it takes
// over Date and randomness. From tests use test/helpers/pi-store.ts.
//
//   node test/peers/pi-writer.mjs '{"agentDir":"/tmp/store","sessions":100,"projects":7,"seed":1}'
//
// Prints one JSON document: { agentDir, sessions: [{ file, cwd, kind, marker }] }, in the order they were begun.
// The same arguments give the same bytes, but for the agent directory in `parentSession`.
import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { KINDS } from "./pi/kinds.mjs";
import { createWorld } from "./pi/world.mjs";

const { positionals } = parseArgs({ allowPositionals: true });
const options = {
  sessions: 10,
  projects: 3,
  seed: 1,
  /** Question and answer, this many times a session. */
  exchanges: 3,
  start: "2026-01-05T08:00:00.000Z",
  cwdRoot: "/home/ada/projects",
  ...JSON.parse(positionals[0] ?? "{}"),
};
if (typeof options.agentDir !== "string") throw new Error("agentDir is missing");

const kindNames = Object.keys(KINDS);
mkdirSync(options.agentDir, { recursive: true });
console.log(JSON.stringify({ agentDir: options.agentDir, sessions: await writeStore() }));

async function writeStore() {
  const world = createWorld(options);
  const written = [];
  for (let index = 0; index < options.sessions; index++) {
    written.push(await writeSession(world, index, written));
    world.clock.advance(10 * 60_000 + world.chance() * 5 * 3_600_000);
  }
  return written;
}

/** Kinds take turns, so that a store of as many sessions as there are kinds holds each of them once. */
async function writeSession(world, index, written) {
  const kind = kindNames[index % kindNames.length];
  const project = Math.floor(world.chance() * options.projects);
  const marker = `marker${String(index).padStart(6, "0")}`; // a word that only this session's first message holds
  const cwd = `${options.cwdRoot}/project-${project + 1}`;
  const pi = await KINDS[kind](world, { cwd, marker, exchanges: options.exchanges, written });
  pi.end();
  return { file: pi.file, cwd: pi.manager.getCwd(), kind, marker };
}
