import { type CommandLine, CommandLineError } from "./command-line.ts";
import { numberOf, objectOf } from "./json-document.ts";

/** Brings the index up to date in the background, so that later questions need not. One run at a time. */
export class BackgroundSync {
  readonly #commandLine: CommandLine;
  readonly #end = new AbortController();
  #running: Promise<boolean> | undefined;

  constructor(commandLine: CommandLine) {
    this.#commandLine = commandLine;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when the index is up to date, to whether anything was new. @throws CommandLineError */
  run(cwd: string): Promise<boolean> {
    this.#running ??= this.#sync(cwd).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Whether pi has ended this extension: nothing can be asked any more. */
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
      // Another process is writing, so the index is being brought up to date; there may be news.
      if (error instanceof CommandLineError && error.code === "busy") return true;
      throw error;
    }
  }
}
