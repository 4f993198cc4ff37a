// Writes test/samples/agent: a small agent folder for first steps, demonstrations and tests.
//
// Every line is written by pi 0.73.1 itself, driven through its SDK with scripted model answers (test/peers/pi).
// The clock, the random numbers and the project files are ours, so the same script gives the same bytes anywhere.
// pi records the directories below as its working directories though they do not exist here: SessionManager.create
// takes the directory as a string, and pi's tools work on files in memory.
//
//   node test/peers/install.mjs && node test/samples/write-samples.mjs
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createWorld } from "../peers/pi/world.mjs";

/** In the order of time, since pi's ids follow the clock. */
const STORIES = [
  "harvest-form",
  "parse-config",
  "tide-table",
  "login-branches",
  "recipe-units",
  "login-fork",
  "monthly-report",
  "poem-search",
  "chart-labels",
  "report-as-html",
  "standup-extension",
  "tide-release",
  "quick-question",
];
const AGENT_DIR_OF_ADA = "/home/ada/.pi/agent";
const target = join(import.meta.dirname, "agent");

const agentDir = mkdtempSync(join(realpathSync(tmpdir()), "samples-"));
try {
  await tellAll();
  pretendHome();
  refuseTraces();
  rmSync(target, { recursive: true, force: true });
  cpSync(agentDir, target, { recursive: true });
  report();
} finally {
  rmSync(agentDir, { recursive: true, force: true });
}

async function tellAll() {
  const world = createWorld({ agentDir, start: "2026-09-21T00:00:00.000Z", seed: 0 });
  const told = new Map();
  for (const [index, name] of STORIES.entries()) {
    const { default: story } = await import(`./stories/${name}.mjs`);
    world.clock.moveTo(story.start);
    world.reseed(index + 1); // a story that changes leaves the ids of the others alone
    told.set(name, await story.play(world, told));
  }
}

/** The one change after pi: `parentSession` holds the path of the file forked from, which was in a temporary folder. */
function pretendHome() {
  for (const path of sessionFiles(agentDir)) {
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(agentDir, AGENT_DIR_OF_ADA));
  }
}

function refuseTraces() {
  const traces = [tmpdir(), realpathSync(tmpdir()), homedir(), import.meta.dirname];
  for (const path of sessionFiles(agentDir)) {
    const text = readFileSync(path, "utf8");
    const found = traces.find((trace) => text.includes(`${trace}/`));
    if (found) throw new Error(`${path} names ${found}`);
  }
}

function report() {
  const sizes = sessionFiles(target).map((path) => readFileSync(path).length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  console.log(`${sizes.length} sessions, ${Math.round(total / 1024)} KiB in test/samples/agent`);
}

function sessionFiles(root) {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
