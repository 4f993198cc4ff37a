import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import process from "node:process";
import { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import type { ColorMode } from "../../config/config.ts";
import { codeOf } from "../../errors.ts";
import type { Environment } from "../../runtime/env.ts";
import { widthOf } from "../../text/width.ts";
import { withoutLinks } from "./links.ts";
import { columnsOf, Output, type Stream } from "./output.ts";
import { endOf, exitCodeOf } from "./signals.ts";

/**
 * Collects what a command prints on a terminal, so that an answer that does not fit can be shown page by page. Talk
 * that comes after the answer is kept with it; talk before it is printed at once.
 */
export class PagedOutput {
  readonly out: Output;
  readonly talk: Output;
  readonly #terminal: Stream;
  #text = "";
  /** What comes later is printed as it comes. */
  #isShown = false;

  constructor(streams: { stdout: Stream; stderr: Stream }, color: ColorMode) {
    this.#terminal = streams.stdout;
    const collect = (text: string): void => {
      if (this.#isShown) this.#terminal.write(text);
      else this.#text += text;
    };
    this.out = new Output(new CollectedTerminal(streams.stdout, collect), color);
    this.talk = new TalkAfter(streams.stderr, color, (text) => {
      if (this.#text === "" || this.#isShown) return false;
      collect(text);
      return true;
    });
  }

  /** Shows all that was collected: with `page` if it takes more lines than the terminal has, else as it is. */
  async show(page: (text: string) => Promise<boolean>): Promise<void> {
    this.#isShown = true;
    if (!this.#fits() && (await page(this.#text))) return;
    if (this.#text !== "") this.#terminal.write(this.#text);
  }

  #fits(): boolean {
    const { rows } = this.#terminal;
    if (!rows) return true;
    const columns = columnsOf(this.#terminal);
    let left = rows;
    for (const line of this.#text.split("\n")) {
      // No more of a line is measured than would fill the terminal many times.
      const start = stripVTControlCharacters(line.slice(0, 16 * rows * columns));
      left -= Math.max(1, Math.ceil(widthOf(start) / columns));
      if (left < 0) return false;
    }
    return true;
  }
}

class CollectedTerminal extends Writable {
  readonly isTTY = true;
  readonly #terminal: Stream;
  readonly #collect: (text: string) => void;

  constructor(terminal: Stream, collect: (text: string) => void) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    this.#collect = collect;
  }

  get columns(): number | undefined {
    return this.#terminal.columns;
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.#collect(String(chunk));
    done();
  }
}

class TalkAfter extends Output {
  readonly #takes: (text: string) => boolean;

  constructor(stream: Stream, color: ColorMode, takes: (text: string) => boolean) {
    super(stream, color);
    this.#takes = takes;
  }

  protected override write(text: string): void {
    if (!this.#takes(text)) super.write(text);
  }
}

/** The user's pager; null where none is wanted, or none can be expected. */
export function pagerOf(env: Environment, platform: NodeJS.Platform): string | null {
  const named = env.SESSIONDB_PAGER ?? env.PAGER;
  if (named !== undefined) return named.trim() === "" || named.trim() === "cat" ? null : named;
  return platform === "win32" || env.TERM === "dumb" ? null : "less";
}

/**
 * Shows a text in a pager, and resolves to whether there was such a program. Until it ends, Ctrl-C is left to it. A
 * signal that should end this process does so after the pager has ended: otherwise the pager would go on reading from
 * the terminal, beside the shell.
 */
export async function showInPager(pager: string, text: string, env: Environment): Promise<boolean> {
  const shown = text.includes("\u001b]8;") && !takesLinks(pager) ? withoutLinks(text) : text;
  const { code, told } = await endOf(() => beginPager(pager, shown, env));
  if (told !== undefined) process.exit(exitCodeOf(told));
  // The codes of a shell when there is no such program, or it cannot be run.
  return code !== 127 && code !== 126;
}

/** The release of less that shows links; older ones, and other pagers, may show what they are made of. */
const LESS_WITH_LINKS = 566;

function takesLinks(pager: string): boolean {
  if (!/^(?:\S*\/)?less(?:\s|$)/.test(pager)) return false;
  const { stdout } = spawnSync("less", ["--version"], { encoding: "utf8", timeout: 1000 });
  return Number(/^less (\d+)/.exec(stdout ?? "")?.[1] ?? 0) >= LESS_WITH_LINKS;
}

function beginPager(pager: string, text: string, env: Environment): ChildProcess {
  const child = spawn(pager, {
    shell: true,
    stdio: ["pipe", "inherit", "inherit"],
    // FRX: less ends by itself when one page is enough, shows colours, leaves the text on the terminal. For users with
    // options of their own the colours are added, in front: an option such as `-P` takes the rest for a prompt.
    env: { LESSCHARSET: "utf-8", ...env, LESS: env.LESS === undefined ? "FRX" : `-R ${env.LESS}` },
  });
  // The pager may be closed before it has read everything.
  child.stdin.on("error", (error) => {
    if (codeOf(error) !== "EPIPE") child.emit("error", error);
  });
  child.stdin.end(text);
  return child;
}
