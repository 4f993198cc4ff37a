import { type CommandLine, CommandLineError } from "../panels/command-line.ts";
import { oneLine } from "../panels/text.ts";
import { say, telling } from "./dialogs.ts";
import type { Command, CommandContext } from "./host.ts";

/** `/page`: the conversation in a browser, and from there everything else. It is served until pi leaves the conversation. */
export class PageCommand implements Command {
  readonly description = "This conversation, costs and search as a page in your browser";
  readonly handler: Command["handler"];
  readonly #commandLine: CommandLine;
  #serving = new AbortController();

  constructor(commandLine: CommandLine) {
    this.#commandLine = commandLine;
    this.handler = telling((_args, context) => this.#serve(context));
  }

  end(): void {
    this.#serving.abort();
  }

  /** Resolves when the link is there: the page itself lives on. */
  async #serve(context: CommandContext): Promise<void> {
    this.end();
    this.#serving = new AbortController();
    const { signal } = this.#serving;
    const { cwd, sessionManager } = context;
    const session = sessionManager.getSessionFile();
    let printed = "";
    await new Promise<void>((resolve, reject) => {
      const hear = (piece: string): void => {
        if (printed.includes("\n")) return;
        printed += piece;
        if (!printed.includes("\n")) return;
        const link = oneLine(printed.trim());
        const isOpen = !link.includes("#code=");
        say(
          context,
          isOpen ? "The page is open in your browser." : `Open this link within a minute: ${link}`,
        );
        resolve();
      };
      const words = ["serve", "--open", ...(session === undefined ? [] : ["--", session])];
      this.#commandLine.print(words, { cwd, signal, timeout: 0, hear }).then(
        () => resolve(),
        (error) => {
          if (error instanceof CommandLineError && error.code === "aborted") resolve();
          else reject(error);
        },
      );
    });
  }
}
