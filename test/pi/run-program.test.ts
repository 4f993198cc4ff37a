import { expect, test } from "vitest";
import { runProgram } from "../../src/panels/command-line.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { program } from "./programs.ts";

const run = (script: string, options: { timeout?: number; signal?: AbortSignal } = {}) => {
  const { command, before } = program(script);
  return runProgram(command, before, { cwd: tempDir(), timeout: 0, ...options });
};

test("characters that lie across two pieces of the output stay whole, in both streams", async () => {
  // Each write is a piece of its own: the first ends within a character of three bytes.
  const { stdout, stderr } = await run(`
    const bytes = Buffer.from("海".repeat(5));
    for (const stream of [process.stdout, process.stderr]) {
      stream.write(bytes.subarray(0, 7));
      setTimeout(() => stream.write(bytes.subarray(7)), 50);
    }`);
  expect([stdout, stderr]).toEqual(["海".repeat(5), "海".repeat(5)]);
});

test("an output of many megabytes comes whole", async () => {
  const { stdout, code } = await run('process.stdout.write("海".repeat(2_000_000))');
  expect([stdout === "海".repeat(2_000_000), code]).toEqual([true, 0]);
});

test("a program that reads its input finds the end of it", async () => {
  const { stdout } = await run("console.log(require('node:fs').readFileSync(0).length)");
  expect(stdout).toBe("0\n");
});

test("how a program ended is told apart: an exit code, a signal, the time, no program", async () => {
  const absent = runProgram("/no/such/program", [], { cwd: tempDir(), timeout: 0 });
  const endless = "setInterval(() => undefined, 1000)";
  expect(
    await Promise.all([run("process.exit(75)"), run("process.kill(process.pid, 'SIGKILL')")]),
  ).toMatchObject([
    { code: 75, signal: null, isStarted: true, isTimedOut: false },
    { code: null, signal: "SIGKILL", isStarted: true, isTimedOut: false },
  ]);
  expect(await Promise.all([run(endless, { timeout: 300 }), absent])).toMatchObject([
    { code: null, isStarted: true, isTimedOut: true },
    { code: null, signal: null, isStarted: false, isTimedOut: false },
  ]);
});

test("a program whose question was withdrawn is ended", async () => {
  const withdrawn = new AbortController();
  const ended = run("setInterval(() => undefined, 1000)", { signal: withdrawn.signal });
  withdrawn.abort();
  expect(await ended).toMatchObject({ isStarted: true, isTimedOut: false });
});
