import { execFile } from "node:child_process";
import type { Exec, ExecOptions } from "../../src/pi/host.ts";

/** How pi runs programs, and which it was asked to run. */
export function recordingExec(): { exec: Exec; asked: { args: string[]; options: ExecOptions }[] } {
  const asked: { args: string[]; options: ExecOptions }[] = [];
  const exec: Exec = (command, args, options = {}) =>
    new Promise((resolve) => {
      asked.push({ args, options });
      execFile(command, args, options, (error, stdout, stderr) =>
        resolve({ stdout, stderr, code: error ? 1 : 0, killed: error?.killed ?? false }),
      );
    });
  return { exec, asked };
}

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
