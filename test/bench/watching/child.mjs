/** A child process that is asked one thing at a time. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export class Child {
  #process;

  /** @param {string} name of a file beside this one @param {string[]} args */
  constructor(name, args) {
    this.#process = fork(join(import.meta.dirname, name), args);
    this.ready = this.#answer();
  }

  get pid() {
    return this.#process.pid;
  }

  /** @param {object} question @returns {Promise<any>} */
  ask(question = {}) {
    this.#process.send(question);
    return this.#answer();
  }

  async end() {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }

  async #answer() {
    const gone = new AbortController();
    const exit = once(this.#process, "exit", { signal: gone.signal }).then(([code]) => {
      throw new Error(`${this.#process.spawnargs.slice(1).join(" ")} ended with ${code}`);
    });
    try {
      const [answer] = await Promise.race([once(this.#process, "message"), exit]);
      return answer;
    } finally {
      gone.abort();
      exit.catch(() => undefined);
    }
  }
}
