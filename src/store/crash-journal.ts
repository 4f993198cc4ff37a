import { closeSync, fstatSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { unlessUnreadable } from "../errors.ts";
import { readJson, textIfThere } from "../files/json-file.ts";
import { identityOf } from "../files/stat.ts";
import type { Journal } from "../runtime/observer.ts";
import { fileAt, isSameFile } from "./location.ts";

/** What a process or thread was reading when it ended without a word, and how often it ended so at that place. */
export interface Suspect {
  realPath: string;
  /** Where the step began: a byte, or the key of an entry. */
  at: number;
  deaths: number;
}

/** Says what the rows are being read from. */
export const READING = "daemon-reading";
/** Says what the full text is being read from. */
export const FEEDING = "daemon-feeding";

/** How often a step may end the process or thread that does it, before the file or entry is left alone. */
export const DEATHS = 2;

/**
 * Says in a file what is being read, so that the next reader knows what killed this one: a line that takes
 * more memory than there is would otherwise do it again and again. Not flushed: the kernel keeps what a
 * process has written, however it ends.
 */
export class CrashJournal implements Journal {
  /** Null when the last one ended as it should, or while it read nothing. */
  readonly suspect: Suspect | null;
  readonly #fd: number;
  readonly #path: string;
  readonly #deathsPath: string;
  #isEmpty = true;

  /** `folder` is that of the index, which exists; `name` says who reads. */
  constructor(folder: string, name: string) {
    this.#path = join(folder, name);
    this.#deathsPath = join(folder, `${name}-deaths.json`);
    this.suspect = this.#findSuspect();
    if (this.suspect === null) rmSync(this.#deathsPath, { force: true });
    else writeFileSync(this.#deathsPath, `${JSON.stringify(this.suspect)}\n`, { mode: 0o600 });
    // Always a new file, so that a daemon that has lost its lease, and does not know it yet, sees that it is not its own.
    rmSync(this.#path, { force: true });
    this.#fd = openSync(this.#path, "wx", 0o600);
  }

  begin(realPath: string, at: number): void {
    writeSync(this.#fd, `${at}\n${realPath}\0`, 0);
    this.#isEmpty = false;
  }

  end(): void {
    if (this.#isEmpty) return;
    writeSync(this.#fd, "\n", 0);
    this.#isEmpty = true;
  }

  /** The reader ended as it should. A file that another reader has put in the place of this one's is left there. */
  close(): void {
    const there = unlessUnreadable(() => fileAt(this.#path)) ?? null;
    const isOwn = isSameFile(there, identityOf(fstatSync(this.#fd)));
    closeSync(this.#fd);
    if (!isOwn) return;
    rmSync(this.#path, { force: true });
    rmSync(this.#deathsPath, { force: true });
  }

  #findSuspect(): Suspect | null {
    const [, at, realPath] = /^(\d+)\n([^\0]+)\0/.exec(textIfThere(this.#path)) ?? [];
    if (at === undefined || realPath === undefined) return null;
    const last = readJson(this.#deathsPath);
    const isSame = isSuspect(last) && last.realPath === realPath && last.at === Number(at);
    return { realPath, at: Number(at), deaths: isSame ? last.deaths + 1 : 1 };
  }
}

/** Forgets what a daemon was reading when it was killed for another reason. */
export function clearSuspects(folder: string): void {
  for (const name of [READING, FEEDING]) rmSync(join(folder, name), { force: true });
}

function isSuspect(value: unknown): value is Suspect {
  if (typeof value !== "object" || value === null) return false;
  const { realPath, at, deaths } = value as Record<string, unknown>;
  return typeof realPath === "string" && typeof at === "number" && typeof deaths === "number";
}
