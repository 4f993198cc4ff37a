import { closeSync, fstatSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../src/errors.ts";
import { readJson } from "../../src/files/json-file.ts";
import type { SweepProgress } from "../../src/runtime/observer.ts";

/** Asks a daemon to say again how it stands. A process that does not know it is not disturbed by this signal. */
export const ASK = "SIGURG";

export type DaemonState = "indexing" | "watching" | "degraded" | "stopping";

/** The state of a daemon, as far as it knows that itself. */
export interface DaemonReport {
  state: DaemonState;
  /** Why it does less than it should, null when it does not. */
  degraded: string | null;
  /** Folders and roots it is told about by the file system. */
  watches: number;
  /** Files that may have changed and have not been looked at yet. */
  queue: number;
  /** What a look at everything has read of what it has to; null when none is going on. */
  progress: SweepProgress | null;
  /** Entries that are not searchable yet. */
  searchQueue: number;
  /** Unix ms; null before everything has been looked at once. */
  lastSyncAt: number | null;
  /** How often everything was looked at. */
  sweeps: number;
}

/** What a daemon says of itself. Times are ISO 8601 UTC. */
export interface DaemonStatus extends Omit<DaemonReport, "lastSyncAt" | "sweeps"> {
  pid: number;
  version: string;
  startedAt: string;
  /** When it said this; a daemon of an earlier version does not tell. */
  saidAt?: string;
  /** Of its process, when it said this; a daemon of an earlier version does not tell. */
  memoryBytes?: number;
  roots: string[];
  /** When everything that was known to have changed was last in the index. */
  lastSyncAt: string | null;
  indexPath: string;
}

/** Replaces the file at once: readers see the old one or the new one, and it is its owner's only. */
export function writeStatusFile(folder: string, status: DaemonStatus): void {
  const path = pathIn(folder);
  const fresh = `${path}.${process.pid}`;
  const text = `${JSON.stringify(status)}\n`;
  rmSync(fresh, { force: true });
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: "wx" });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    if (!["ENOSPC", "EDQUOT"].includes(codeOf(error))) throw error;
    overwrite(path, text);
  }
}

/** Writes into the file of the last status: on a full disk there is no other room. */
function overwrite(path: string, text: string): void {
  const fd = openSync(path, "r+");
  try {
    writeSync(fd, text.padEnd(fstatSync(fd).size), 0);
  } finally {
    closeSync(fd);
  }
}

/** Null when there is none or it makes no sense. */
export function readStatusFile(folder: string): DaemonStatus | null {
  const status = readJson(pathIn(folder));
  return isStatus(status) ? status : null;
}

export function removeStatusFile(folder: string): void {
  rmSync(pathIn(folder), { force: true });
}

function pathIn(folder: string): string {
  return join(folder, "daemon-status.json");
}

const TEXTS = ["version", "startedAt", "state", "indexPath"];

/** A daemon of another version may say more, or be in a state unknown here: it can be shown and ended all the same. */
function isStatus(value: unknown): value is DaemonStatus {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Record<string, unknown>;
  return (
    Number.isSafeInteger(fields.pid) &&
    Number(fields.pid) > 0 &&
    TEXTS.every((name) => typeof fields[name] === "string") &&
    Array.isArray(fields.roots)
  );
}
