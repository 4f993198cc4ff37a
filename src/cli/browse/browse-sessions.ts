import { BackgroundSync } from "../../panels/background-sync.ts";
import { CommandLine, type Run, type RunResult, runProgram } from "../../panels/command-line.ts";
import { hitSource } from "../../panels/hit-source.ts";
import { KnownSessions } from "../../panels/known-sessions.ts";
import type { PanelTools } from "../../panels/session-source.ts";
import { moduleAt } from "../../runtime/module-path.ts";
import { QuestionQueue, threadFor } from "../../runtime/question-queue.ts";
import type { Context } from "../command-line/command.ts";
import { mainProgram, placeOptions } from "../place-options.ts";
import type { ThreadCommand, ThreadEnd, ThreadPlace } from "../terminal/thread-world.ts";
import { actionsInShell } from "./shell-actions.ts";
import { WholeScreen } from "./whole-screen.ts";

/** Shows the panel on the whole screen, and resolves to the file of the session to be resumed, if one is. */
export async function browseSessions(
  context: Context,
  { query, sync }: { query: string; sync: boolean },
): Promise<string | undefined> {
  const { world, out } = context;
  const cwd = world.cwd ?? world.home;
  const isDemo = world.isDemo === true;
  const { tools, end } = toolsOf(context, { sync, cwd });
  const screen = new WholeScreen(out.paint);
  const actions = actionsInShell({ tools, screen, cwd, env: world.env, mayChange: !isDemo });
  // In a thread an answer takes less than the pause between two keys; how long depends on the number of hits.
  const source = { ...hitSource(tools, cwd), pauseMs: 0, most: 20, actions };
  try {
    const choice = await world.interruptible((signal) => screen.show(source, query, signal));
    return choice?.row.path;
  } finally {
    end();
  }
}

/** What answers the panel's questions: threads of this process, and a process that brings the index up to date. */
function toolsOf(
  { world, config, out }: Context,
  { sync, cwd }: { sync: boolean; cwd: string },
): { tools: PanelTools; end: () => void } {
  const places = placeOptions(config);
  const frozenAt = world.isDemo === true ? world.now() : null;
  const place = { home: world.home, cwd, frozenAt };
  const [asking, reading] = [threadAt(place), threadAt(place)];
  asking.begin();
  const commandLine = new CommandLine([{ command: "sessiondb", before: places }], (_command, argv, options) =>
    // While a conversation or the list of all sessions is read, the next key already asks.
    runIn(argv.includes("search") ? asking : reading, argv, options),
  );
  const main = [mainProgram(), ...places];
  const catchUp = new BackgroundSync(
    new CommandLine([{ command: process.execPath, before: main }], runProgram),
  );
  const isPlain = out.paint.red("") === "";
  return {
    tools: {
      commandLine,
      sessions: new KnownSessions(commandLine),
      catchUp: sync ? catchUp : { isRunning: false, run: () => Promise.resolve(false) },
      ...(isPlain && { color: "never" as const }),
    },
    end: () => catchUp.end(),
  };
}

type CommandQueue = QuestionQueue<ThreadCommand, ThreadEnd>;

function threadAt(place: ThreadPlace): CommandQueue {
  return new QuestionQueue(threadFor(moduleAt("src/cli/browse/command-thread"), place));
}

/** What came of a command line; what is withdrawn before its turn is never run. */
async function runIn(
  queue: CommandQueue,
  argv: readonly string[],
  { signal, columns }: Parameters<Run>[2],
): Promise<RunResult> {
  const failed = (error: unknown): ThreadEnd => ({
    stdout: "",
    stderr: signal?.aborted ? "" : `Error: ${String(error)}`,
    code: 1,
  });
  const end = await queue.ask({ argv, columns }, signal).catch(failed);
  return { ...end, signal: null, isStarted: true, isTimedOut: false };
}
