import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { SessionDbError } from "../../errors.ts";
import { tildePath } from "../../files/paths.ts";
import type { IndexSize, SkippedFile } from "../../reports/status.ts";
import { formatBytes, formatCount, plural } from "../../text/numbers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { wrapWords } from "../../text/wrap-words.ts";
import { apiOf } from "../api-of.ts";
import { type Args, refuseOptions, wordOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { alreadyRunning, beDaemon } from "../daemon/daemon-run.ts";
import { type DaemonFacts, hearDaemonStatus } from "../daemon/daemon-status.ts";
import { shownPath, shownWhenSince } from "../output/fields.ts";

const ACTIONS = ["run", "start", "stop", "restart", "status", "logs", "install", "uninstall"] as const;

/** Options of one action only. Refused elsewhere: if it were ignored, `uninstall --print` would uninstall. */
const OWNERS = [
  ["follow", "logs"],
  ["print", "install"],
] as const;

export const daemon: Command = {
  positionals: { action: `One of: ${ACTIONS.join(", ")} [default: status]` },
  completes: ACTIONS,
  options: {
    follow: { describe: "logs: keep printing lines as they are written" },
    print: { describe: "install: show what would be written, without writing it" },
  },
  examples: [
    ["$0 daemon install", "start it now and at every login"],
    ["$0 daemon status", "what it is doing"],
    ["$0 daemon start", "start it now, until the machine is turned off"],
    ["$0 daemon logs --follow", "its log, as it is written"],
  ],
  async run(context, args) {
    const action = wordOf(args, "action", ACTIONS) ?? "status";
    for (const [option, owner] of OWNERS) {
      const whose = { of: `daemon ${action}`, hint: `That option belongs to sessiondb daemon ${owner}.` };
      if (action !== owner) refuseOptions(args, [option], whose);
    }
    switch (action) {
      case "run":
        return runHere(context);
      case "start":
        return start(context, args);
      case "stop":
        return stop(context);
      case "restart":
        // A daemon of a newer version must not be ended for one that cannot take its place.
        await assertMayStart(context);
        await stop(context);
        return start(context, args);
      case "status":
        return showStatus(context);
      case "logs":
        return (await import("../daemon/daemon-logs.ts")).showLogs(context, args);
      case "install":
        return (await import("../daemon/daemon-service.ts")).install(context, args);
      case "uninstall":
        return (await import("../daemon/daemon-service.ts")).uninstall(context);
      default:
        return action satisfies never;
    }
  },
};

async function runHere(context: Context): Promise<number> {
  // Without a terminal, stderr is the daemon's log, or the system's.
  return beDaemon(context, { tells: context.talk.isTerminal });
}

/**
 * Checked before the start, so that an error is reported with its hint: of a daemon that ends while it starts only that
 * is known.
 */
async function assertMayStart({ config }: Context): Promise<void> {
  const { assertUsable } = await import("../../../daemon/main.ts");
  assertUsable(config.location);
}

async function start(context: Context, args: Args): Promise<number> {
  const { config, talk } = context;
  const { daemonLaunch, startInBackground } = await import("../daemon/daemon-start.ts");
  const { isDaemonRunning } = await import("../../../daemon/control/lease.ts");
  if (!isDaemonRunning(config.location)) await assertMayStart(context);
  const { started, status } = await startInBackground(context, daemonLaunch(context, args));
  talk.say(started ? `The daemon is running (process ${status.pid}).` : await alreadyRunning(context));
  return ExitCode.done;
}

async function stop({ config, talk }: Context): Promise<number> {
  const { stopDaemon } = await import("../../../daemon/control/control.ts");
  const stopped = await stopDaemon(config.location);
  if (stopped === null) talk.say("No daemon was running.");
  else if (!stopped.killed) talk.say(`The daemon (process ${stopped.pid}) has ended.`);
  else talk.say(`The daemon (process ${stopped.pid}) did not respond and was killed; nothing is lost.`);
  return ExitCode.done;
}

async function showStatus(context: Context): Promise<number> {
  const { config, json, out } = context;
  const facts = await hearDaemonStatus(config);
  const { skipped, index } = await lookIntoIndex(context);
  const places = await placesOf(context);
  if (json) {
    const { printDocument } = await import("../output/json-output.ts");
    printDocument(out, { ...facts, ...places, skipped, index });
    return ExitCode.done;
  }
  out.print(describe(context, facts));
  const counts = `${plural(index.sessions, "session")}, ${plural(index.entries, "entry", "entries")}`;
  const size = index.entries === 0 ? "" : `${counts}, ${formatBytes(index.bytes)}`;
  const rows: [string, string][] = [
    ["Index", size],
    [
      "At login",
      places.atLogin === null ? "no; sessiondb daemon install" : shownPath(context, places.atLogin),
    ],
    ["Log", facts.running ? shownPath(context, places.log) : ""],
  ];
  out.print(
    rows.flatMap(([label, fact]) => (fact === "" ? [] : labelled(context, label, fact))).map(out.paint.dim),
  );
  out.print(describeSkipped(context, skipped));
  return ExitCode.done;
}

/** What starts it at login, as far as that is still there, and where its log is. */
async function placesOf({ config }: Context): Promise<{ atLogin: string | null; log: string }> {
  const { readServiceRecord } = await import("../../../daemon/service/registration.ts");
  const { logPathOf } = await import("../../../daemon/main.ts");
  const path = readServiceRecord(dirname(config.location.indexPath))?.path;
  const isThere = path !== undefined && existsSync(path);
  return { atLogin: isThere ? path : null, log: logPathOf(config.location) };
}

function describe(context: Context, facts: DaemonFacts): string[] {
  const { out, world } = context;
  const { bold, dim, yellow } = out.paint;
  if (!facts.running) {
    const none = `${NONE}; every command brings the index up to date by itself.`;
    return wrapWords(none, out.width).map((line) => line.replace(NONE, bold));
  }
  const { lastSyncAt, memoryBytes } = facts;
  const roots = facts.roots.map((root) => oneLine(tildePath(root, world.home)));
  const rows: [string, string][] = [
    ["Process", describeProcess(context, facts).join(", ")],
    ["Memory", memoryBytes === null ? "" : formatBytes(memoryBytes)],
    ["Watches", `${plural(facts.watches, "folder")}, ${plural(facts.queue, "file")} waiting`],
    ...roots.map((root, at): [string, string] => [at === 0 ? "Below" : "", root]),
    ["Synced", lastSyncAt === null ? "" : shownWhenSince(context, lastSyncAt)],
  ];
  return [
    bold(oneLine(facts.state ?? "")),
    ...(facts.degraded === null ? [] : wrapWords(oneLine(facts.degraded), out.width).map(yellow)),
    ...describeProgress(context, facts),
    ...rows.flatMap(([label, fact]) => (fact === "" ? [] : labelled(context, label, fact))).map(dim),
  ];
}

const NONE = "No daemon is running";

/** A fact, broken between words beside its label. */
function labelled({ out }: Context, label: string, fact: string): string[] {
  const lines = wrapWords(fact, out.width && out.width - LABEL_WIDTH);
  return lines.map((line, at) => (at === 0 ? label : "").padEnd(LABEL_WIDTH) + line);
}

const LABEL_WIDTH = "At login  ".length;

/** The process may be unknown: for a daemon that is still silent on some systems, and for one in another container. */
function describeProcess(context: Context, { pid, version, startedAt }: DaemonFacts): string[] {
  return [
    pid === null ? "unknown" : String(pid),
    ...(version === null ? [] : [`version ${oneLine(version)}`]),
    ...(startedAt === null ? [] : [`started ${shownWhenSince(context, startedAt)}`]),
  ];
}

function describeProgress(context: Context, { progress, searchQueue }: DaemonFacts): string[] {
  const lines: string[] = [];
  if (progress !== null && progress.filesTotal > 0) {
    const { filesDone, filesTotal, bytesDone, bytesTotal } = progress;
    const files = `${formatCount(filesDone)} of ${plural(filesTotal, "file")}`;
    const bytes = `${formatBytes(bytesDone)} of ${formatBytes(bytesTotal)}`;
    lines.push(...labelled(context, "Reads", `${files}, ${bytes}`));
  }
  if (searchQueue > 0) {
    const entries = plural(searchQueue, "entry", "entries");
    lines.push(...labelled(context, "Search", `${entries} not searchable yet`));
  }
  return lines.map(context.out.paint.dim);
}

const SKIPPED_SHOWN = 10;

function describeSkipped({ out, world }: Context, skipped: readonly SkippedFile[]): string[] {
  if (skipped.length === 0) return [];
  const paths = skipped
    .slice(0, SKIPPED_SHOWN)
    .map(({ path, why }) => `  ${oneLine(tildePath(path, world.home))} (${oneLine(why)})`);
  const skips = "Skips".padEnd(LABEL_WIDTH);
  return [`${skips}${plural(skipped.length, "file")}, each until it changes:`, ...paths].map(
    out.paint.yellow,
  );
}

interface IndexLook {
  index: IndexSize & { trouble: string | null };
  skipped: SkippedFile[];
}

/**
 * Creates no index just for the question, and lets no error of the index keep the daemon's status from being told. A
 * damaged one is made anew.
 */
async function lookIntoIndex(context: Context): Promise<IndexLook> {
  const { talk } = context;
  const { indexPath } = context.config.location;
  const { askIndex } = await import("../../api/ask.ts");
  const { readIndexSize, readSkippedFiles } = await import("../../reports/status.ts");
  try {
    return await askIndex(apiOf(context), { sync: false, needs: { search: false } }, (index) => ({
      index: { ...readIndexSize(index), trouble: null },
      skipped: readSkippedFiles(index),
    }));
  } catch (error) {
    if (!(error instanceof SessionDbError)) throw error;
    const isThere = error.code !== "not_found";
    if (isThere) talk.note(`${oneLine(error.message)}. ${error.hint ?? ""}`.trimEnd());
    const trouble = isThere ? error.message : null;
    return { index: { path: indexPath, bytes: 0, sessions: 0, entries: 0, trouble }, skipped: [] };
  }
}
