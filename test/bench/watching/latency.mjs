/** How long it takes, after pi has appended a line, until other processes see its row and find its text. */
import { setTimeout } from "node:timers/promises";
import { assertEqual } from "../measure.mjs";
import { timesAsMuch } from "../rows.mjs";
import { Child } from "./child.mjs";
import { BenchDaemon } from "./daemon.mjs";
import { cpuMs } from "./process.mjs";

/** How many processes talk at once. */
const TALKERS = 4;
/** Lines a second, for all of them together, and for how many seconds. */
const RATES = [
  { rate: 200, seconds: 20 },
  { rate: 20, seconds: 40 },
  { rate: 1, seconds: 120 },
];
const BURSTS = 2400;
/** What is not seen by then was missed: the next look at recently written files may be half a minute away. */
const GRACE_MS = 3000;

const ROWS = { name: "promised", value: 10 };
const TEXTS = { name: "promised", value: 1000 };

/** @param {import("../bench.mjs").Place} place @param {string} agentDir */
export function untilVisible(place, agentDir) {
  return withDaemon(place, agentDir, "talk.mjs", async ({ pid, talkers, reader }) => {
    const rows = [];
    // Warms up: each process has done everything once.
    await talkAtOnce(talkers, { rate: 5, seconds: 3 });
    await reader.ask();
    for (const { rate, seconds } of RATES) {
      const measured = { rate: rate / TALKERS, seconds: place.quick ? seconds / 4 : seconds };
      const cpu = cpuMs(pid);
      const began = performance.now();
      const appended = await talkAtOnce(talkers, measured);
      const share = (100 * (cpuMs(pid) - cpu)) / (performance.now() - began);
      const delays = await seenBy(reader, appended);
      rows.push(...rowsFor(rate, delays, share));
    }
    return rows;
  });
}

/** @param {import("../bench.mjs").Place} place @param {string} agentDir */
export function lastOfBursts(place, agentDir) {
  return withDaemon(place, agentDir, "burst.mjs", async ({ talkers, reader }) => {
    const bursts = (place.quick ? BURSTS / 10 : BURSTS) / TALKERS;
    const delays = await seenBy(reader, await talkAtOnce(talkers, { bursts }));
    const count = (bursts * TALKERS).toLocaleString("en-US");
    return [
      timesAsMuch(
        `the last line of each of ${count} bursts: its row, the slowest`,
        TEXTS,
        worst(delays.rows),
        1,
      ),
    ];
  });
}

/** A daemon that has begun in an empty store, a reader and some programs that append. */
async function withDaemon(place, agentDir, program, measure) {
  const daemon = new BenchDaemon(place, agentDir);
  const children = [];
  try {
    const pid = await daemon.start();
    const options = { built: place.built, location: daemon.location };
    const reader = new Child("see.mjs", [JSON.stringify(options)]);
    const talkers = Array.from({ length: TALKERS }, (_, number) => {
      return new Child(program, [JSON.stringify({ agentDir, number })]);
    });
    children.push(reader, ...talkers);
    await Promise.all(children.map(({ ready }) => ready));
    return await measure({ pid, talkers, reader });
  } finally {
    for (const child of children) await child.end();
    daemon.end();
  }
}

async function talkAtOnce(talkers, what) {
  const answers = await Promise.all(talkers.map((talker) => talker.ask(what)));
  return answers.flatMap(({ appended }) => appended);
}

/** Milliseconds from the return of each append until its row was seen and, where it has a word of its own, its text. */
async function seenBy(reader, appended) {
  await setTimeout(GRACE_MS);
  const { seen, wanted } = await reader.ask();
  assertEqual("texts never found", 0, wanted);
  const byName = new Map(seen.map((each) => [`${each.path} ${each.id}`, each]));
  const pairs = appended.map((line) => ({ line, entry: byName.get(`${line.path} ${line.id}`) }));
  assertEqual("lines never seen", 0, pairs.filter(({ entry }) => entry === undefined).length);
  return {
    rows: pairs.map(({ line, entry }) => entry.rowAt - line.at),
    texts: pairs.flatMap(({ line, entry }) => (entry.textAt === null ? [] : [entry.textAt - line.at])),
  };
}

function rowsFor(rate, { rows, texts }, share) {
  const told = (delays) =>
    `${delays.length.toLocaleString("en-US")} lines: half in ${percentile(delays, 0.5)} ms, all in ${percentile(delays, 1)}`;
  const lines = `${rate} ${rate === 1 ? "line" : "lines"} a second`;
  return [
    timesAsMuch(`pi writes ${lines}: a row (p99; ${told(rows)})`, ROWS, at(rows, 0.99), 1),
    timesAsMuch(`the same: its text (p99; ${told(texts)})`, TEXTS, at(texts, 0.99), 1),
    timesAsMuch("the same: CPU of the daemon", { name: "one core", value: 100 }, share, null, "%"),
  ];
}

function percentile(delays, share) {
  return at(delays, share).toFixed(at(delays, share) < 10 ? 1 : 0);
}

function worst(delays) {
  return at(delays, 1);
}

function at(delays, share) {
  const sorted = delays.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
