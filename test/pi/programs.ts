import { type Run, type RunOptions, type RunResult, runProgram } from "../../src/panels/command-line.ts";

/** Runs programs as the extension does, and keeps what was asked. */
export function recordingRun(): { run: Run; asked: { args: string[]; options: RunOptions }[] } {
  const asked: { args: string[]; options: RunOptions }[] = [];
  const run: Run = (command, args, options) => {
    asked.push({ args, options });
    return runProgram(command, args, options);
  };
  return { run, asked };
}

/** How a program ends that prints this. */
export const printing = (stdout: string): RunResult => ({
  ...{ stdout, stderr: "", code: 0, signal: null },
  ...{ isStarted: true, isTimedOut: false },
});

/** A program that does what the script says, whatever it is asked; `process.argv.slice(1)` is what it is asked. */
export const program = (script: string) => ({ command: process.execPath, before: ["-e", script, "--"] });

/** A program that gives one answer, whatever it is asked. */
export const answering = (answer: object) =>
  program(`console.log(${JSON.stringify(JSON.stringify({ schemaVersion: 1, ...answer }))})`);

/** A program that gives an error, whatever it is asked. */
export const failing = (code: string) => {
  const error = JSON.stringify({ error: { code, message: "it broke", hint: "Mend it." } });
  return program(`console.error(${JSON.stringify(error)}); process.exit(1)`);
};
