import { type CommandLine, CommandLineError } from "./command-line.ts";
import { numberOf, objectOf } from "./json.ts";

/** Brings the index up to date in the background, so that questions asked meanwhile need not. One run at a time. */
export class CatchUp {
  readonly #commandLine: CommandLine;
  readonly #end = new AbortController();
  #running: Promise<boolean> | undefined;

  constructor(commandLine: CommandLine) {
    this.#commandLine = commandLine;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when it is done, to whether there was anything new. @throws CommandLineError */
  run(cwd: string): Promise<boolean> {
    this.#running ??= this.#sync(cwd).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** pi is done with this extension; nothing can be asked any more. */
  get hasEnded(): boolean {
    return this.#end.signal.aborted;
  }

  end(): void {
    this.#end.abort();
  }

  async #sync(cwd: string): Promise<boolean> {
    try {
      // No timeout: the first run reads every session there is.
      const done = await this.#commandLine.ask(["sync"], { cwd, signal: this.#end.signal, timeout: 0 });
      const files = objectOf(done.files);
      return numberOf(files.indexed) + numberOf(files.removed) > 0;
    } catch (error) {
      // Another process is writing, so it is being done.
      if (error instanceof CommandLineError && error.code === "busy") return true;
      throw error;
    }
  }
}
