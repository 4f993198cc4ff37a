import { cpSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { run } from "../../src/cli/run.ts";
import type { World } from "../../src/cli/terminal/world.ts";
import type { Environment } from "../../src/runtime/env.ts";
import { timezoneByIntl } from "../../src/time/zone.ts";
import { PATIENCE_MS } from "../helpers/poll-until.ts";
import { session } from "../helpers/session-builder.ts";

/** The sessions a newcomer gets to see; they end in November 2026. */
const SAMPLES = fileURLToPath(new URL("../samples/agent", import.meta.url));
/** Compiled: a process of its own cannot load TypeScript on every Node that is supported. */
export const SQL_PROGRAM = fileURLToPath(
  new URL("../../dist/src/reports/sql/sql-process.js", import.meta.url),
);
export const NOW = Date.parse("2026-11-20T12:00:00Z");

export interface PretendOptions {
  agentDir: string;
  /** Columns of the terminal both streams are; absent: no terminal. */
  columns?: number;
  /** Rows of it; what does not fit is paged. */
  rows?: number;
  /** Told what is paged. */
  onPage?: (text: string) => void;
  env?: Environment;
  /** The terminal shows links. */
  showsLinks?: boolean;
  stdin?: string;
  /** stdin is a terminal, at which somebody types it. */
  typed?: boolean;
  /** Where deleted files go; absent: there is no trash. */
  trash?: string;
  /** Called when a file has gone there. */
  onTrash?: () => Promise<unknown>;
  /** What runs statements, where it is not the real one. */
  sqlProgram?: string;
  /** Null: it is gone. */
  cwd?: string | null;
  home?: string;
  now?: () => number;
  /** Stands still unless told, so that no machine is too slow. */
  steady?: () => number;
  /** Called whenever work asks, between two steps, whether Ctrl-C has been pressed. */
  onStep?: () => void;
  /** It is to meet a bug. Otherwise one fails the test, whatever else that looks at. */
  meetsBug?: boolean;
  /** Ctrl-C has been pressed before the work begins. */
  interrupted?: boolean;
  /** Ctrl-C is pressed when somebody aborts it. */
  ctrlC?: AbortController;
}

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs one command line in this process, in a world of its own. */
export async function runCli(argv: readonly string[], options: PretendOptions): Promise<Outcome> {
  const stdout = new Collector(options.columns, options.rows);
  const stderr = new Collector(options.columns);
  const controller = options.ctrlC ?? new AbortController();
  if (options.interrupted) controller.abort();
  let pressed = false;
  controller.signal.addEventListener("abort", () => {
    pressed = true;
  });
  const aborted = (): boolean => {
    options.onStep?.();
    return pressed;
  };
  if (options.onStep) Object.defineProperty(controller.signal, "aborted", { get: aborted });
  const world: World = {
    stdin: Object.assign(Readable.from(options.stdin === undefined ? [] : [options.stdin]), {
      isTTY: options.typed === true,
    }),
    stdout,
    stderr,
    env: { PI_CODING_AGENT_DIR: options.agentDir, ...options.env },
    home: options.home ?? "/home/ada",
    cwd: options.cwd === null ? undefined : (options.cwd ?? "/home/ada/projects/orchard"),
    sqlProgram: options.sqlProgram ?? SQL_PROGRAM,
    now: options.now ?? (() => NOW),
    steady: options.steady ?? (() => 0),
    daemonPatienceMs: PATIENCE_MS,
    timezoneOf: (name) => (name === undefined ? "UTC" : timezoneByIntl(name)),
    moveToTrash: async (path) => {
      if (options.trash === undefined) throw new Error("no trash here");
      // As real ones do.
      if (!existsSync(path)) return;
      renameSync(path, join(options.trash, basename(path)));
      await options.onTrash?.();
    },
    showsLinks: async () => options.showsLinks === true,
    ...(options.onPage && {
      page: async (text) => {
        options.onPage?.(text);
        return true;
      },
    }),
    interruptible: (work) => work(controller.signal),
  };
  const code = await run(argv, world);
  if (!options.meetsBug && stderr.text.includes("this is a bug in sessiondb")) throw new Error(stderr.text);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** The same for a JSON document on stdout. */
export async function runJson(argv: readonly string[], options: PretendOptions): Promise<unknown> {
  const { stdout, stderr, code } = await runCli([...argv, "--json"], options);
  if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/**
 * Takes every session into the index, the full text too. It does so by a question: `sync` has a thread for the full text
 * (a question only where much is missing), which is TypeScript here, and not every Node that is supported can load that.
 */
export async function takeIn(options: PretendOptions, ...argv: string[]): Promise<void> {
  await runJson(["search", "anything", ...argv], options);
}

/** Copies the sample sessions into an agent directory below `dir`. */
export function sampleAgent(dir: string): string {
  const agentDir = join(dir, "agent");
  cpSync(SAMPLES, agentDir, { recursive: true });
  return agentDir;
}

/** An agent directory without sessions below `dir`. */
export function emptyAgent(dir: string): string {
  const agentDir = join(dir, "agent");
  mkdirSync(join(agentDir, "sessions"), { recursive: true });
  return agentDir;
}

/** Writes a session with one answer of a model, at noon of a day. */
export function spendOn(agentDir: string, day: string, usage: Record<string, unknown>): void {
  session({ id: day, timestamp: `${day}T12:00:00Z` })
    .assistant({ usage })
    .writeBelow(join(agentDir, "sessions"));
}

class Collector extends Writable {
  text = "";
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  readonly rows: number | undefined;

  constructor(columns: number | undefined, rows?: number) {
    super({ decodeStrings: false });
    this.isTTY = columns !== undefined;
    this.columns = columns;
    this.rows = rows;
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    done();
  }
}
