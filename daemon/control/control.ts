import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, SessionDbError } from "../../src/errors.ts";
import { clearSuspects } from "../../src/store/crash-journal.ts";
import type { IndexLocation } from "../../src/store/location.ts";
import { listsLocks } from "../../src/store/lock-holder.ts";
import { askDaemon, daemonProcess, isDaemonRunning, isElsewhere, isOfIndex } from "./lease.ts";
import { isAlive, type Launch, StartedProcess, until } from "./process.ts";
import { ASK, type DaemonStatus } from "./status-file.ts";

const START_MS = 15_000;
/** It ends within two seconds; a machine with too much to do is given five times that. */
const STOP_MS = 10_000;
const KILL_MS = 5000;
/** The system may report the end of a process a little before its threads end and release the lock. */
const THREADS_MS = 500;
const ANSWER_MS = 3000;
/** How long a daemon may take from taking the lease to its first word: on an idle machine it takes a few milliseconds. */
const FIRST_WORD_MS = 5000;

/**
 * Starts a daemon that outlives this process and waits until it answers for itself. `started` is false when
 * one was running already. A `signal` that is aborted meanwhile ends what was started.
 *
 * @throws SessionDbError `io` when it ends instead, `timeout`, `usage` where the daemon of the folder keeps another index;
 *   the reason of the signal
 */
export async function startDaemon(
  launch: Launch,
  location: IndexLocation,
  logPath: string,
  { signal }: { signal?: AbortSignal } = {},
): Promise<{ started: boolean; status: DaemonStatus }> {
  const running = await answerOf(location, { signal });
  if (running !== null) return { started: false, status: ofIndex(location, running) };
  let child = new StartedProcess(launch);
  let isDaemon = false;
  try {
    const status = await until(() => {
      const said = aliveAnswer(location);
      if (said !== null) return said;
      signal?.throwIfAborted();
      if (child.failure === null || isDaemonRunning(location)) return false;
      if (!child.gaveWay) throw notStarted(child.failure, logPath);
      // Another daemon was there and has ended meanwhile, or somebody has ended ours: now there is none.
      child = new StartedProcess(launch);
      return false;
    }, START_MS);
    if (status !== false) {
      // Another process may have started a daemon first; then that one will do.
      isDaemon = status.pid === child.pid;
      return { started: isDaemon, status: ofIndex(location, status) };
    }
    isDaemon = child.failure === null && isDaemonRunning(location);
    if (isDaemon) throw saysNothing(`otherwise see ${logPath}.`);
    throw new SessionDbError("timeout", "the daemon does not respond", { hint: `See ${logPath}.` });
  } finally {
    // It may only be beginning, or wait for the lease, which it would take when the other daemon is stopped.
    if (!isDaemon) await child.end();
  }
}

/**
 * Asks the daemon to end and waits for the end; one that does not respond, because a file system hangs or it was
 * stopped, is killed: every change is one transaction, so nothing is lost. Null when none was running.
 *
 * @throws SessionDbError `timeout`; `io`, also where it runs in another container or on another machine; `usage` where it keeps
 *   another index in the same folder
 */
export async function stopDaemon(location: IndexLocation): Promise<StoppedDaemon | null> {
  const told = await whoRuns(location);
  if (told === null) return null;
  if (isElsewhere(location)) throw runsElsewhere();
  const { pid } = told;
  signal(pid, "SIGTERM");
  if (await hasEnded(told, location, STOP_MS)) return { pid, killed: false };
  signal(pid, "SIGKILL");
  if (await hasEnded(told, location, KILL_MS)) {
    clearSuspects(dirname(location.indexPath));
    return { pid, killed: true };
  }
  throw new SessionDbError("timeout", `the daemon (process ${pid}) has not ended, even after it was killed`, {
    hint: "It is waiting for a disk or a file system, and ends as soon as that responds again.",
  });
}

export interface StoppedDaemon {
  pid: number;
  /** It did not respond to being asked. */
  killed: boolean;
}

/** A daemon as far as it is known: one that says nothing is known by its lock only. */
type Known = Pick<DaemonStatus, "pid"> & Partial<Pick<DaemonStatus, "startedAt">>;

async function whoRuns(location: IndexLocation): Promise<Known | null> {
  try {
    const status = await answerOf(location);
    return status === null ? null : ofIndex(location, status);
  } catch (error) {
    if (!(error instanceof SessionDbError) || error.code !== "timeout") throw error;
    const pid = daemonProcess(location);
    if (pid !== null) return { pid };
    throw isElsewhere(location) ? runsElsewhere() : error;
  }
}

/** @throws SessionDbError `usage` */
export function ofIndex(location: IndexLocation, status: DaemonStatus): DaemonStatus {
  if (isOfIndex(status, location)) return status;
  throw new SessionDbError("usage", `the daemon of this folder works on another index: ${status.indexPath}`, {
    hint: "To start or stop it, name its index (--db FILE); or keep this index in a folder of its own.",
  });
}

function runsElsewhere(): SessionDbError {
  return new SessionDbError("io", "the daemon is running in another container or on another machine", {
    hint: "It can only be stopped there: sessiondb daemon stop.",
  });
}

function hasEnded(told: Known, location: IndexLocation, withinMs: number): Promise<boolean> {
  let aliveAt = performance.now();
  return until(() => {
    if (!isDaemonRunning(location)) return true;
    if (listsLocks()) return daemonProcess(location) !== told.pid;
    if (isAlive(told.pid)) aliveAt = performance.now();
    // By then another process holds the lock.
    else if (performance.now() - aliveAt >= THREADS_MS) return true;
    // If somebody has started another daemon between two looks, that one must not be waited for, or killed.
    const present = askDaemon(location);
    return present !== null && !isSame(present, told);
  }, withinMs);
}

function isSame(present: DaemonStatus, { pid, startedAt = present.startedAt }: Known): boolean {
  return present.pid === pid && present.startedAt === startedAt;
}

/**
 * Whether a daemon responds: it is asked to write its status again. That its last status is old may mean that nothing has
 * happened, or that it hangs.
 */
export async function hears({ pid, saidAt }: DaemonStatus, location: IndexLocation): Promise<boolean> {
  // There is no such signal on Windows, and no answer from a daemon of an earlier version.
  if (process.platform === "win32" || saidAt === undefined || isElsewhere(location)) return true;
  signal(pid, ASK);
  return until(() => {
    const status = askDaemon(location);
    return status?.pid !== pid || status.saidAt !== saidAt;
  }, ANSWER_MS);
}

/**
 * A daemon that has just begun holds the lease and has not said anything yet: it is given a moment, until the `signal` is
 * aborted. @throws SessionDbError `timeout`; the reason of the signal
 */
export async function answerOf(
  location: IndexLocation,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<DaemonStatus | null> {
  const status = await until(() => {
    signal?.throwIfAborted();
    return isDaemonRunning(location) ? (aliveAnswer(location) ?? false) : null;
  }, FIRST_WORD_MS);
  if (status === false) throw saysNothing("otherwise try again in a moment.");
  return status;
}

function saysNothing(hint: string): SessionDbError {
  return new SessionDbError(
    "timeout",
    "a daemon is running, but its status file does not say which process it is",
    {
      hint: `If the disk that holds the index is full, free some space; ${hint}`,
    },
  );
}

/** Null for the status of a daemon that was killed, which stays until the next one writes its own. */
function aliveAnswer(location: IndexLocation): DaemonStatus | null {
  const status = askDaemon(location);
  if (status === null) return null;
  // In a container that shares the folder, processes have other numbers: so the lock is asked, where the system lists it.
  const isCurrent = listsLocks() ? [status.pid, null].includes(daemonProcess(location)) : isAlive(status.pid);
  return isCurrent ? status : null;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // The process has just ended by itself.
    if (codeOf(error) === "ESRCH") return;
    throw new SessionDbError("io", `cannot send a signal to the daemon (process ${pid}): ${codeOf(error)}`, {
      cause: error,
    });
  }
}

function notStarted(why: string, logPath: string): SessionDbError {
  return new SessionDbError("io", `the daemon could not be started: ${why}`, {
    // There is no log where nothing can be written.
    hint: `${existsSync(logPath) ? `See ${logPath}, or try` : "Try"} sessiondb daemon run.`,
  });
}
