// Run as `node wasteful.mjs DIR`: what somebody may do with pi 0.73.1 that costs twice. Prints the session file.

import { interrupted, refuse, say } from "./turns.mjs";
import { createWorld } from "./world.mjs";

const world = createWorld({ agentDir: process.argv[2], start: "2026-01-05T08:00:00.000Z", seed: 7 });
const pi = await world.begin({
  cwd: "/home/ada/work",
  model: "anthropic/claude-sonnet-4-6",
  keepRecentTokens: 60,
});
const long = "It is quite a long answer, with many words that say little. ".repeat(8);
for (const question of ["first", "second", "third"]) await pi.ask(question, [long]);
const before = pi.leaf;
await pi.compact("## Goal\nthree questions");
await pi.ask("and then?", ["nothing much"]);
// Back to before the compaction, which is then done again.
await pi.goTo(before);
await pi.compact("## Goal\nthree questions, once more");
await pi.ask("hurry", [refuse("529 overloaded_error: Overloaded"), "here it is"]);
await pi.ask("a long story", [interrupted([say(long)], 200)]);
await pi.ask("after an hour", [long], { pause: 3600 });
console.log(pi.file);
pi.end();
