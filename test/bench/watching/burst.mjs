// A program that embeds pi's SessionManager and appends in bursts of 1 to 8 lines, with pauses between them. Sent
// `{ bursts }`, it answers with the last line of each burst and when that was appended.
//
//   fork("burst.mjs", [JSON.stringify({ agentDir, number })])
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { moduleAt } from "../measure.mjs";
import { PEERS } from "../peers.mjs";
import { takeAppends } from "./appends.mjs";

const { SessionManager } = await moduleAt(PEERS.pi73.path);

const { agentDir, number } = JSON.parse(process.argv[2]);
const folder = join(agentDir, "sessions", `--burst-${number}--`);
let manager;

process.on("message", async ({ bursts }) => {
  const appended = [];
  for (let burst = 0; burst < bursts; burst++) {
    if (burst % 100 === 0) begin();
    for (let line = 0; line <= (burst * 7) % 8; line++)
      manager.appendMessage(message(`burst ${burst} ${line}`));
    appended.push(takeAppends().at(-1));
    await setTimeout(2 + ((burst * 13) % 40));
  }
  process.send({ appended });
});
process.send({ ready: true });

/** Begins a session, with an answer: pi writes nothing before the first one. */
function begin() {
  manager = SessionManager.create(`/burst-${number}`, folder);
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
  const content = [{ type: "text", text: "ready" }];
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const model = { api: "faux", provider: "faux", model: "faux-1", stopReason: "stop" };
  manager.appendMessage({
    role: "assistant",
    content,
    ...model,
    usage: { ...usage, cost },
    timestamp: Date.now(),
  });
}

function message(text) {
  return {
    role: "user",
    content: `${text} ${"some words that were said ".repeat(20)}`,
    timestamp: Date.now(),
  };
}
