import type { IndexLocation } from "../../src/store/location.ts";
import type { Lease } from "./lease.ts";
import { cannotWrite, type Log } from "./log.ts";
import { type DaemonReport, type DaemonStatus, writeStatusFile } from "./status-file.ts";

export interface StatusWriterOptions {
  /** Absolute. */
  roots: readonly string[];
  location: IndexLocation;
  /** Of the program. */
  version: string;
  now: () => number;
}

/** Readers of the status file need not know sooner. */
const STATUS_MS = 1000;

/** Writes the status file when what it says has changed, at once when the state has, else at most once a second. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #lease: Lease;
  readonly #log: Log;
  readonly #startedAt: string;
  #written = "";
  #writtenAt = Number.NEGATIVE_INFINITY;
  #state = "";
  #late: NodeJS.Timeout | undefined;

  constructor(options: StatusWriterOptions, lease: Lease, log: Log) {
    this.#options = options;
    this.#lease = lease;
    this.#log = log;
    this.#startedAt = new Date(options.now()).toISOString();
  }

  update(report: DaemonReport): void {
    clearTimeout(this.#late);
    const state = `${report.state} ${report.degraded ?? ""}`;
    if (state !== this.#state) this.#log.write("state", { state: report.state, degraded: report.degraded });
    const wait = state === this.#state ? this.#writtenAt + STATUS_MS - performance.now() : 0;
    this.#state = state;
    if (wait <= 0) this.#write(report);
    // What changed last must be written too, though nothing more may happen for long.
    else this.#late = setTimeout(() => this.#write(report), wait);
  }

  /** Writes the status although nothing in it has changed: somebody asks whether the daemon still responds. */
  answer(report: DaemonReport): void {
    this.#written = "";
    this.#write(report);
  }

  /** After this nothing is written any more. */
  close(): void {
    clearTimeout(this.#late);
  }

  #write(report: DaemonReport): void {
    const said = this.#statusOf(report);
    const text = JSON.stringify(said);
    this.#writtenAt = performance.now();
    // Once the lease is lost the file is another daemon's.
    if (text === this.#written || !this.#lease.isInPlace()) return;
    const saidAt = new Date(this.#options.now()).toISOString();
    try {
      // On Linux asking for the memory opens a file, too.
      writeStatusFile(this.#lease.folder, { ...said, saidAt, memoryBytes: process.memoryUsage.rss() });
      this.#written = text;
    } catch (error) {
      // Told again with the next change: a daemon that cannot say what it does still does it.
      if (!cannotWrite(error)) throw error;
    }
  }

  #statusOf({
    lastSyncAt,
    sweeps: _sweeps,
    ...rest
  }: DaemonReport): Omit<DaemonStatus, "saidAt" | "memoryBytes"> {
    const { roots, location, version } = this.#options;
    return {
      pid: process.pid,
      version,
      startedAt: this.#startedAt,
      ...rest,
      roots: [...roots],
      lastSyncAt: lastSyncAt === null ? null : new Date(lastSyncAt).toISOString(),
      indexPath: location.indexPath,
    };
  }
}
