#!/usr/bin/env node
// Measures this program beside others, in one run, on corpora made from a seed. Prints a table of ratios. Never fails
// because of a time, but does when two sides have not read the same. `npm run bench -- --help` says how to run it.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeCorpus } from "./corpus.mjs";
import { command, project } from "./measure.mjs";
import { PEERS } from "./peers.mjs";
import { asMarkdown } from "./rows.mjs";
import { appending } from "./suites/appending.mjs";
import { indexing } from "./suites/indexing.mjs";
import { listing } from "./suites/listing.mjs";
import { memory } from "./suites/memory.mjs";
import { opening } from "./suites/opening.mjs";
import { page } from "./suites/page.mjs";
import { searching } from "./suites/searching.mjs";
import { starting } from "./suites/starting.mjs";
import { team } from "./suites/team.mjs";
import { usage } from "./suites/usage.mjs";
import { watching } from "./suites/watching.mjs";

/**
 * A corpus and its index.
 * @typedef {{ agent: string, root: string, folder: string, files: number, bytes: number }} Corpus
 * @typedef {{ dir: string, built: string, main: string, quick: boolean, corpora: Record<"M" | "L" | "B100", Corpus> }} Place
 */

const SUITES = {
  indexing,
  memory,
  listing,
  searching,
  opening,
  appending,
  starting,
  usage,
  watching,
  page,
  team,
};

const USAGE = `usage: npm run bench -- [--quick] [--json] [--only SUITE] [--keep FOLDER]
SUITE: ${Object.keys(SUITES).join(", ")}`;

const options = readOptions();
if (options.help) {
  console.log(USAGE);
  process.exit(0);
}
const built = process.env.SESSIONDB_BUILT ?? join(project, "build");
const main = join(built, "../dist/src/cli/main.js");
if (!existsSync(main)) stop(`${main} is missing: run \`npm run build\` first`);
const wanted = options.only ?? Object.keys(SUITES);
const unknown = wanted.find((name) => !(name in SUITES));
if (unknown) stop(`no suite ${unknown}\n${USAGE}`);

function readOptions() {
  const known = {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    keep: { type: "string" },
    help: { type: "boolean", default: false },
  };
  try {
    return parseArgs({ options: known }).values;
  } catch (error) {
    if (!error.code?.startsWith("ERR_PARSE_ARGS_")) throw error;
    return stop(`${error.message}\n${USAGE}`);
  }
}

function stop(message) {
  console.error(message);
  process.exit(2);
}

/** @param {"M" | "L" | "B100"} name @returns {Corpus} */
function corpus(home, name, scale) {
  const agent = join(home, `${name}-${scale}`);
  const facts = join(agent, "corpus.json");
  if (!existsSync(facts)) {
    rmSync(agent, { recursive: true, force: true });
    mkdirSync(agent, { recursive: true });
    say(`making ${name}`);
    const { sessions: files, bytes } = makeCorpus(name, join(agent, "sessions"), { scale });
    writeFileSync(facts, JSON.stringify({ files, bytes }));
  }
  const [root, folder] = [join(agent, "sessions"), join(agent, "sessiondb")];
  say(`indexing ${name}`);
  // Twice, because only the second sync finds the files at rest.
  for (let look = 0; look < 2; look++) {
    command(main, ["sync", "--sessions-dir", root, "--db", join(folder, "index-v1.db")]);
  }
  return { agent, root, folder, ...JSON.parse(readFileSync(facts, "utf8")) };
}

function say(text) {
  console.error(text);
}

const dir = mkdtempSync(join(tmpdir(), "bench-"));
try {
  const home = options.keep ?? dir;
  const scale = options.quick ? 0.1 : 1;
  const corpora = {
    M: corpus(home, "M", scale),
    L: corpus(home, "L", scale),
    B100: corpus(home, "B100", scale),
  };
  const rows = [];
  for (const name of wanted) {
    say(`measuring: ${name}`);
    try {
      rows.push(...(await SUITES[name]({ dir, built, main, corpora, quick: options.quick })));
    } catch (error) {
      // What the others have measured for a quarter of an hour is printed all the same.
      console.error(error);
      process.exitCode = 1;
    }
  }
  const machine = `Node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB`;
  const missing = Object.values(PEERS).filter(({ path }) => path === null);
  if (options.json) console.log(JSON.stringify({ machine, quick: options.quick, rows }, null, 2));
  else console.log(`${machine}\n\n${asMarkdown(rows)}`);
  for (const { name } of missing) say(`not installed, so not measured: ${name}`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
