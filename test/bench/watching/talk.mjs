// pi itself in a process of its own, which talks and calls tools at a given rate, with a model that answers from a
// script. Sent `{ rate, seconds }`, it talks for so long and answers with what it appended and when; sent nothing more,
// it ends.
//
//   fork("talk.mjs", [JSON.stringify({ agentDir, number })])
import { setTimeout } from "node:timers/promises";
import { countOfAppends, takeAppends } from "./appends.mjs";

const { createChatter } = await import("../../peers/pi/chatter.mjs");
const { bash, say, think, write } = await import("../../peers/pi/turns.mjs");
const { createWorld } = await import("../../peers/pi/world.mjs");

/** After so many exchanges a new session is begun. */
const EXCHANGES = 12;

const { agentDir, number } = JSON.parse(process.argv[2]);
/** How many lines may have been appended by now: the rate, when it began, and how many there were then. See `pace`. */
let pacing = { rate: 0, beganAt: 0, first: 0 };
let marked = 0;

const world = createWorld({ agentDir, start: "2026-01-05T08:00:00.000Z", seed: number, pace });
const { sentence, paragraph } = createChatter(world.chance);
let pi = await begin();

process.on("message", async ({ rate, seconds }) => {
  takeAppends();
  pacing = { rate, beganAt: performance.now(), first: countOfAppends() };
  for (let exchange = 1; linesAllowed() < rate * seconds; exchange++) {
    if (exchange % EXCHANGES === 0) {
      pi.end();
      pi = await begin();
    }
    await talk();
  }
  process.send({ appended: takeAppends() });
});
process.send({ ready: true });

function begin() {
  const cwd = `/home/ada/projects/bench-${number}`;
  return world.begin({ cwd, model: "anthropic/claude-sonnet-4-6", thinkingLevel: "low" });
}

/** Six lines: a question, two turns with tools and their results, an answer. */
async function talk() {
  await pace();
  await pi.ask(`${mark()} ${sentence()}`, [
    [think(sentence()), say(`${mark()} ${sentence()}`), bash("npm test", `${mark()} ${paragraph(4)}\n`)],
    [say(`${mark()} ${sentence()}`), write(`docs/${mark()}.md`, paragraph(3))],
    `${mark()} ${paragraph(3)}`,
  ]);
}

/** A word that no other line holds. */
function mark() {
  return `mark${number}x${++marked}`;
}

function linesAllowed() {
  return (pacing.rate * (performance.now() - pacing.beganAt)) / 1000;
}

/** Waits until the next line is due. Called by pi at every turn of the model and at every command. */
async function pace() {
  if (pacing.rate === 0) return;
  const lines = countOfAppends() - pacing.first + number / 10;
  await setTimeout((1000 * lines) / pacing.rate - (performance.now() - pacing.beganAt));
}
