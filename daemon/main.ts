import { accessSync, constants } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { messageOf, SessionDbError } from "../src/errors.ts";
import { makeFolder } from "../src/files/folder.ts";
import type { IsExcluded } from "../src/files/session-path.ts";
import { CrashJournal, READING } from "../src/store/crash-journal.ts";
import type { IndexLocation } from "../src/store/location.ts";
import { openIndex } from "../src/store/open.ts";
import { assertMayBeMoved } from "../src/store/quarantine.ts";
import { toStoreError } from "../src/store/sqlite-errors.ts";
import { FreshnessServer } from "./components/freshness-server.ts";
import { agentFolderOf, isMissing } from "./components/index-handle.ts";
import { IndexRecovery } from "./components/index-recovery.ts";
import { Roots } from "./components/roots.ts";
import { Lease } from "./control/lease.ts";
import { LogFile } from "./control/log.ts";
import { ASK, type DaemonReport } from "./control/status-file.ts";
import { StatusWriter, type StatusWriterOptions } from "./control/status-writer.ts";
import { Daemon, type DaemonOptions } from "./daemon.ts";

export interface MainOptions extends StatusWriterOptions {
  isExcluded: IsExcluded;
  /** What that leaves out, as it stands at that moment. */
  exclude: () => readonly string[];
  /** The user's own folder for sockets; without one nobody can ask whether the index is up to date. */
  runtimeDir: string | undefined;
  /** As that of `Daemon`. */
  onChange?: DaemonOptions["onChange"];
  /** Told when it has begun, and is the only one. */
  onStart?: () => void;
  /** Ends the daemon at its next step. */
  signal: AbortSignal;
}

export function logPathOf(location: IndexLocation): string {
  return join(dirname(location.indexPath), "daemon.log");
}

/**
 * Runs as the daemon until it is told to end. False when another one runs already.
 *
 * @throws SessionDbError that waiting cannot mend: a newer or foreign index, a missing native module
 */
export async function runDaemon(options: MainOptions): Promise<boolean> {
  process.umask(0o077);
  for (let ran = false; ; ran = true) {
    const lease = Lease.take(options.location);
    if (lease === null) return ran;
    try {
      await runWithLease(lease, options);
    } catch (error) {
      // When the folder was deleted, anything may fail; then the error does not matter.
      if (lease.isInPlace()) throw error;
    } finally {
      lease.release();
    }
    // The folder of the index was deleted, and the lease with it: the next lease goes to whoever is first.
    await untilThere(agentFolderOf(options.location.indexPath), options.signal);
    if (options.signal.aborted) return true;
  }
}

/** Runs as the daemon until it is told to end or has lost its lease. */
async function runWithLease(lease: Lease, options: MainOptions): Promise<void> {
  const { location, roots, isExcluded, exclude, now } = options;
  assertUsable(location);
  // The folder it was started in may be removed, or its disk unmounted; the folder of the index is in use anyhow.
  process.chdir(lease.folder);
  const log = new LogFile(logPathOf(location), { now });
  const status = new StatusWriter(options, lease, log);
  const journal = new CrashJournal(lease.folder, READING);
  const isLost = watchOver(lease);
  const lost = new AbortController();
  const onTurn = (report: DaemonReport): void => {
    status.update(report);
    if (isLost()) lost.abort();
  };
  const { onChange } = options;
  const daemon = new Daemon({
    ...{ roots: new Roots(roots), location, isExcluded, exclude, log, journal, onTurn },
    ...(onChange && { onChange }),
  });
  status.update(daemon.report());
  const answer = (): void => status.answer(daemon.report());
  process.on(ASK, answer);
  const place = { location, runtimeDir: options.runtimeDir, log };
  let server: FreshnessServer | null = null;
  try {
    server = await FreshnessServer.open(place, (question) => daemon.isUpToDate(question));
    log.write("started", { pid: process.pid, version: options.version, roots: roots.join(":") });
    options.onStart?.();
    await daemon.run(AbortSignal.any([options.signal, lost.signal]));
    log.write(lost.signal.aborted ? "leaseLost" : "stopped");
  } catch (error) {
    log.write("failed", { message: messageOf(error) });
    throw error;
  } finally {
    await server?.close();
    process.off(ASK, answer);
    status.close();
    journal.close();
  }
}

/** Between two looks at whether the folder is there again. */
const FOLDER_MS = 1000;

async function untilThere(path: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && isMissing(path)) {
    // It rejects when it is told to end.
    await pause(FOLDER_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Between two looks at the lease, at least. */
const LEASE_MS = 1000;

/** Whether the lease was lost, to be asked at every turn of the daemon. */
function watchOver(lease: Lease): () => boolean {
  let lookedAt = performance.now();
  return () => {
    if (performance.now() - lookedAt < LEASE_MS) return false;
    lookedAt = performance.now();
    return !lease.isInPlace();
  };
}

/**
 * What waiting cannot mend ends the daemon before it says that it runs.
 *
 * @throws SessionDbError `index_newer`, `index_foreign`, `native_missing`; `io` where the folder cannot be written to
 */
export function assertUsable(location: IndexLocation): void {
  assertFolder(location);
  try {
    // Read-only, because whoever starts a daemon waits for its first word: to empty an outdated index may take long.
    openIndex(location, { readonly: true }).close();
  } catch (error) {
    if (!(error instanceof SessionDbError)) throw error;
    if (error.code === "index_corrupt") assertMayBeMoved("index", location);
    if (error.code !== "not_found" && !IndexRecovery.passes(error.code)) throw error;
  }
}

/** What a daemon says of itself, and of what it reads, lies beside the index. */
function assertFolder({ indexPath }: IndexLocation): void {
  const folder = dirname(indexPath);
  try {
    makeFolder(folder, 0o700);
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw toStoreError(error, indexPath);
  }
}

/**
 * Runs work that the usual signals end at its next step. A closed terminal ends it too. Which one it was is the reason of
 * the work's signal.
 */
export async function untilToldToEnd<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const end = (name: NodeJS.Signals): void => controller.abort(name);
  for (const name of SIGNALS) process.on(name, end);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of SIGNALS) process.off(name, end);
    if (controller.signal.aborted) endForSure();
  }
}

const LINGER_MS = 1000;

/**
 * A call to a file system that hangs keeps the process alive when all is done, and `process.exit()` waits for its
 * thread. The timer keeps nothing alive: where nothing hangs it never comes to this.
 */
function endForSure(): void {
  setTimeout(() => process.kill(process.pid, "SIGKILL"), LINGER_MS).unref();
}

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
