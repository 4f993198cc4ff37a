import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { tempDir } from "../../helpers/temp-dir.ts";
import { emptyAgent, runCli } from "../pretend-world.ts";

const LOG = [
  '{"time":"2026-11-20T11:00:07.250Z","event":"started","pid":417,"roots":"/home/ada/\\u001b[31msessions"}',
  '{"time":"2026-11-20T11:00:08.000Z","event":"state","state":"watching","degraded":null}',
  "FATAL ERROR: something of Node's",
  "null",
];

function agentWithLog(): string {
  const agentDir = emptyAgent(tempDir());
  mkdirSync(join(agentDir, "sessiondb"));
  writeFileSync(join(agentDir, "sessiondb", "daemon.log"), `${LOG.join("\n")}\n`);
  return agentDir;
}

test("on a terminal the daemon's log is written for people, in their zone", async () => {
  const argv = ["daemon", "logs", "-z", "Asia/Tokyo"];
  const { stdout } = await runCli(argv, { agentDir: agentWithLog(), columns: 80 });
  expect(stdout).not.toContain("\u001b[31m");
  expect(stripVTControlCharacters(stdout).split("\n")).toEqual([
    expect.stringMatching(/^2026-11-20 20:00:07 {2}started {2}pid 417, roots \/home\/ada\/\S*sessions$/),
    "2026-11-20 20:00:08  state  watching",
    "FATAL ERROR: something of Node's",
    "null",
    "",
  ]);
});

test.each([{}, { columns: 80, argv: ["--json"] }])("elsewhere it is what it is: %j", async (options) => {
  const { argv = [], ...terminal }: { argv?: string[]; columns?: number } = options;
  const { stdout } = await runCli(["daemon", "logs", ...argv], { agentDir: agentWithLog(), ...terminal });
  expect(stdout).toBe(`${LOG.join("\n")}\n`);
});

test("of a long one the end is shown, in whole lines", async () => {
  const agentDir = emptyAgent(tempDir());
  mkdirSync(join(agentDir, "sessiondb"));
  const lines = Array.from({ length: 2000 }, (_, n) => `line ${n} ${"x".repeat(60)}`);
  writeFileSync(join(agentDir, "sessiondb", "daemon.log"), `${lines.join("\n")}\n`);
  const { stdout } = await runCli(["daemon", "logs"], { agentDir });
  const shown = stdout.trimEnd().split("\n");
  expect([shown.length < 1000, shown]).toEqual([true, lines.slice(-shown.length)]);
});

test("--follow goes on when the log was full and put aside, and loses nothing written before that", async () => {
  const agentDir = agentWithLog();
  const path = join(agentDir, "sessiondb", "daemon.log");
  const ctrlC = new AbortController();
  let looks = 0;
  const onStep = () => {
    if (looks++ > 0) return ctrlC.abort();
    appendFileSync(path, "last of the old\n");
    renameSync(path, `${path}.1`);
    writeFileSync(path, "first of the new\n");
  };
  const { stdout } = await runCli(["daemon", "logs", "--follow"], { agentDir, ctrlC, onStep });
  expect(stdout).toBe(`${[...LOG, "last of the old", "first of the new"].join("\n")}\n`);
});
