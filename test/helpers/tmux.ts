import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { pollUntil } from "./poll-until.ts";
import { tempDir } from "./temp-dir.ts";

const isThere = spawnSync("tmux", ["-V"]).status === 0;
let hasSaid = false;

/** For `describe.skipIf(hasNoTmux())(...)`: true, with a message, where tmux is not installed. */
export function hasNoTmux(): boolean {
  if (!isThere && !hasSaid) {
    hasSaid = true;
    console.warn("Tests in a terminal are skipped: install tmux.");
  }
  return !isThere;
}

export interface TerminalOptions {
  columns: number;
  rows: number;
  cwd: string;
  env?: Record<string, string>;
}

/** What is said on the terminal once the program has ended, before its exit code. */
const ENDED = "ended with";

/** A program in a terminal of its own, of which one sees what a person sees. It ends with the test. */
export class Terminal {
  readonly #socket = join(tempDir(), "tmux");

  constructor(words: readonly string[], { columns, rows, cwd, env = {} }: TerminalOptions) {
    const given = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    // The line before shows that the screen is given back; the shell stays, so that what is left can be seen.
    const script = `echo was here before; "$@"; echo ${ENDED} $?; read -r _`;
    const command = ["env", ...given, "sh", "-c", script, "sh", ...words];
    const size = ["-x", String(columns), "-y", String(rows)];
    this.#tmux("-f", "/dev/null", "new-session", "-d", "-c", cwd, ...size, ...command);
    onTestFinished(() => void this.#tmux("kill-server"));
  }

  /** Keys by tmux's names: `Enter`, `C-s`, `Down`. */
  keys(...names: string[]): void {
    this.#tmux("send-keys", ...names);
  }

  type(text: string): void {
    this.#tmux("send-keys", "-l", text);
  }

  resize(columns: number, rows: number): void {
    this.#tmux("resize-window", "-x", String(columns), "-y", String(rows));
  }

  /** The lines of the screen, in colour if told. */
  seen({ inColour = false } = {}): string[] {
    return this.#tmux("capture-pane", "-p", ...(inColour ? ["-e"] : [])).split("\n");
  }

  /** Waits until it stands on the screen, and returns the lines there. */
  async sees(wanted: string | RegExp): Promise<string[]> {
    const is = (text: string) => (typeof wanted === "string" ? text.includes(wanted) : wanted.test(text));
    try {
      return await pollUntil(
        () => {
          const lines = this.seen();
          return is(lines.join("\n")) && lines;
        },
        { what: String(wanted) },
      );
    } catch (error) {
      throw new Error(`${String(error)}\n${this.seen().join("\n")}`);
    }
  }

  /** Waits for the end of the program, and returns its exit code. */
  async ended(): Promise<number> {
    const lines = await this.sees(new RegExp(`^${ENDED} \\d+`, "m"));
    return Number(/\d+$/.exec(lines.find((line) => line.startsWith(ENDED)) ?? "")?.[0]);
  }

  /** The processes of the terminal, oldest first. */
  get shell(): number {
    return Number(this.#tmux("list-panes", "-F", "#{pane_pid}"));
  }

  #tmux(...words: string[]): string {
    return execFileSync("tmux", ["-S", this.#socket, ...words], { encoding: "utf8" });
  }
}
