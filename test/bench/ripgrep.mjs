/** Runs ripgrep through a process of its own. `node ripgrep.mjs PROGRAM` is that process. */
import { fork, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ARGS = ["--count", "--no-filename", "--ignore-case", "--fixed-strings", "--"];

/**
 * Counts lines with ripgrep. A process that starts another one shares all its memory with it for a moment, and then
 * gets it back page by page: after that, hundreds of our searches took half as long again. So another process starts
 * ripgrep.
 */
export class Ripgrep {
  #child;

  /** @param {string} program */
  constructor(program) {
    this.#child = fork(fileURLToPath(import.meta.url), [program]);
  }

  /**
   * @param {string} text @param {string} root
   * @returns {Promise<{ ms: number, lines: number }>}
   */
  count(text, root) {
    return new Promise((resolve, reject) => {
      const ended = () => reject(new Error("ripgrep's process has ended"));
      this.#child.once("exit", ended);
      this.#child.once("message", (counted) => {
        this.#child.off("exit", ended);
        resolve(counted);
      });
      this.#child.send({ text, root });
    });
  }

  close() {
    this.#child.disconnect();
  }
}

function count(program, text, root) {
  const start = performance.now();
  const { stdout } = spawnSync(program, [...ARGS, text, root], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const ms = performance.now() - start;
  return { ms, lines: stdout.split("\n").reduce((sum, lines) => sum + Number(lines), 0) };
}

const [script, program] = process.argv.slice(1);
if (script === fileURLToPath(import.meta.url)) {
  process.on("message", ({ text, root }) => process.send(count(program, text, root)));
}
