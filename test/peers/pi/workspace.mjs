// A working directory that exists only in memory, behind pi's own read, edit, write and bash tools.
// So pi can record /home/ada/projects/orchard as its directory on a machine that has none, and the tool results
// (diffs, line counts, error texts) are still the ones pi produces.
import { resolve } from "node:path";
import {
  createBashToolDefinition,
  createEditToolDefinition,
  createReadToolDefinition,
  createWriteToolDefinition,
} from "@mariozechner/pi-coding-agent";

/**
 * @param cwd absolute path, recorded by pi, not touched on disk
 * @param files relative path to content
 * @param clock commands take time on it
 * @param pace see world.mjs
 */
export function createWorkspace(cwd, files, clock, pace = async () => undefined) {
  const contents = new Map(Object.entries(files).map(([path, text]) => [resolve(cwd, path), text]));
  const outputs = [];

  const access = async (path) => {
    if (!contents.has(path)) throw missingFile(path);
  };
  const readFile = async (path) => {
    await access(path);
    clock.advance(12);
    return Buffer.from(contents.get(path));
  };
  const writeFile = async (path, text) => {
    clock.advance(9);
    contents.set(path, text);
  };
  const mkdir = async () => undefined; // folders exist as soon as a file is in them

  const bash = {
    exec: async (command, _cwd, { onData }) => {
      const next = outputs.shift();
      if (next?.command !== command) throw new Error(`no output prepared for: ${command}`);
      await pace();
      clock.advance(next.seconds * 1000);
      if (next.output) onData(Buffer.from(next.output));
      return { exitCode: next.exitCode };
    },
  };

  return {
    cwd,
    bash,
    /** The next command must be this one, and prints this. */
    expectCommand: (expected) => outputs.push(expected),
    unusedCommands: () => outputs.map(({ command }) => command),
    tools: [
      createReadToolDefinition(cwd, { operations: { access, readFile } }),
      createEditToolDefinition(cwd, { operations: { access, readFile, writeFile } }),
      createWriteToolDefinition(cwd, { operations: { mkdir, writeFile } }),
      createBashToolDefinition(cwd, { operations: bash }),
    ],
  };
}

function missingFile(path) {
  const error = new Error(`ENOENT: no such file or directory, access '${path}'`);
  return Object.assign(error, { code: "ENOENT" });
}
