#!/usr/bin/env node
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Ledger } from "./corpus/ledger.mjs";
import { Out } from "./corpus/out.mjs";
import { CORPORA, planSessions, scaled } from "./corpus/plans.mjs";
import { Random } from "./corpus/random.mjs";
import { Conversation } from "./corpus/session.mjs";
import { measureCorpus } from "./corpus/stats.mjs";
import { Texts } from "./corpus/texts.mjs";
import { makeVocabulary } from "./corpus/vocabulary.mjs";

/** @typedef {keyof typeof CORPORA} CorpusName */
/** @typedef {import("./corpus/session.mjs").Plan} Plan */
/** @typedef {import("./corpus/lines.mjs").Pen} Pen */
/** @typedef {{ path: string, plan: Plan, bytes: number, onDisk: number }} Written */

export { CORPORA, measureCorpus };

/** Forks copy from sessions up to this length, in bytes. */
const FORKABLE = 4_000_000;

/**
 * Writes a corpus of session files below `root` (a sessions root, made if missing, empty if not).
 * The same name, seed and scale give the same bytes, but for `root` in the headers of forks. Needs about 150 MB of
 * memory, whatever the size.
 *
 * @param {CorpusName} name
 * @param {string} root
 * @param {{ seed?: number, scale?: number }} [options] scale 0.1 is a tenth of the sessions
 */
export function makeCorpus(name, root, { seed = 1, scale = 1 } = {}) {
  if (existsSync(root) && readdirSync(root).length > 0) throw new Error(`${root} is not empty.`);
  const shape = scaled(CORPORA[name], scale);
  const random = new Random(seed);
  const out = new Out();
  const texts = new Texts(out, random, makeVocabulary(random));
  const pen = { out, random, texts, ledger: new Ledger(shape.bytesPerLine) };
  /** @type {Written[]} */
  const written = [];
  let surplus = 0;
  for (const plan of planSessions(random, shape)) {
    // No file gets exactly its planned length; the files after it make up for that, each a little.
    const correction = Math.min(plan.bytes * 0.15, Math.max(plan.bytes * -0.15, surplus));
    const parent = random.chance(shape.forks) ? findParent(pen, written, plan.bytes) : undefined;
    const file = writeSession(pen, root, forked({ ...plan, bytes: plan.bytes - correction }, parent));
    surplus += file.bytes - plan.bytes;
    written.push(file);
  }
  const bytes = written.reduce((sofar, file) => sofar + file.onDisk, 0);
  return { root, sessions: written.length, bytes, entries: pen.ledger.lines };
}

/**
 * @param {Pen} pen
 * @param {string} root
 * @param {Plan} plan
 * @returns {Written}
 */
function writeSession(pen, root, plan) {
  const folder = join(root, `--${plan.cwd.slice(1).replaceAll("/", "-")}--`);
  const stamp = new Date(plan.time).toISOString().replace(/[:.]/g, "-");
  const path = join(folder, `${stamp}_${plan.id}.jsonl`);
  mkdirSync(folder, { recursive: true });
  const fd = openSync(path, "wx");
  pen.out.begin(fd);
  const { time, bytes } = new Conversation(pen, plan).write();
  pen.out.flush();
  closeSync(fd);
  utimesSync(path, time / 1000, time / 1000);
  return { path, plan, bytes, onDisk: pen.out.total };
}

/**
 * Finds a session, written before, with which one of `bytes` bytes could begin.
 * @param {Pen} pen
 * @param {Written[]} written
 * @param {number} bytes
 */
function findParent({ random }, written, bytes) {
  const tries = Array.from({ length: Math.min(20, written.length) }, () => random.pick(written));
  return tries.find((file) => file.bytes < FORKABLE && file.bytes > 1500 && bytes > 2500);
}

/**
 * The plan, beginning with the parent's first lines: all of them, or as many as fill two thirds of the file.
 * @param {Plan} plan
 * @param {Written | undefined} parent
 * @returns {Plan}
 */
function forked(plan, parent) {
  if (parent === undefined) return plan;
  const bytes = readFileSync(parent.path);
  const start = bytes.indexOf(10) + 1;
  const end = bytes.lastIndexOf(10, start + Math.floor(plan.bytes * 0.66)) + 1;
  if (end <= start) return plan;
  const lines = bytes.subarray(start, end);
  const lastLine = lines.subarray(lines.lastIndexOf(10, -2) + 1);
  const { id: leaf } = JSON.parse(lastLine.toString());
  return { ...plan, copied: { path: parent.path, lines, leaf } };
}

/** @param {string} [name] @returns {name is CorpusName} */
function isCorpusName(name) {
  return name !== undefined && Object.hasOwn(CORPORA, name);
}

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: "string", default: "1" },
      scale: { type: "string" },
      quick: { type: "boolean", default: false },
      stats: { type: "boolean", default: false },
    },
  });
  const [name, root] = positionals;
  if (!isCorpusName(name) || root === undefined) {
    console.error("usage: corpus.mjs M|L|B100 DIRECTORY [--scale N] [--quick] [--seed N] [--stats]");
    process.exitCode = 2;
    return;
  }
  const scale = Number(values.scale ?? (values.quick ? CORPORA[name].quick : 1));
  const began = performance.now();
  const made = makeCorpus(name, root, { seed: Number(values.seed), scale });
  console.error(`${made.sessions} sessions, ${(made.bytes / 1e6).toFixed(1)} MB in ${root}`);
  console.error(`in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  if (values.stats) console.log(JSON.stringify(measureCorpus(root), null, 2));
}

if (argv[1] === fileURLToPath(import.meta.url)) main();
