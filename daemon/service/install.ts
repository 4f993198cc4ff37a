import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, isSystemError, SessionDbError } from "../../src/errors.ts";
import { makeFolder } from "../../src/files/folder.ts";
import type { Launch } from "../control/process.ts";
import { type Mechanism, mechanismsOf, type RunProgram, type ServicePlace } from "./mechanisms.ts";
import type { ServiceRecord } from "./registration.ts";

const BY_HAND = "Start it yourself: sessiondb daemon start.";

export interface Installed {
  mechanism: Mechanism;
  /** The file was there already with the same content. */
  unchanged: boolean;
}

/** What would be written, and where. @throws SessionDbError `usage` for paths no service file can hold */
export function previewService(
  place: ServicePlace,
  launch: Launch,
  run: RunProgram,
): Mechanism & { text: string } {
  const mechanism = mechanismsOf(place).find((each) => each.isPossible(run));
  if (mechanism === undefined) throw refused(place);
  return { ...mechanism, text: mechanism.content(launch) };
}

/**
 * Registers the daemon to be started at login by the best mechanism that works, and removes the others. May
 * be done again.
 *
 * @throws SessionDbError `usage`, `io`
 */
export function installService(place: ServicePlace, launch: Launch, run: RunProgram): Installed {
  for (const mechanism of mechanismsOf(place)) {
    if (!mechanism.isPossible(run)) continue;
    const unchanged = !write(mechanism, launch);
    if (mechanism.enable(run)) {
      for (const other of mechanismsOf(place)) if (other.name !== mechanism.name) remove(other, run);
      return { mechanism, unchanged };
    }
    remove(mechanism, run);
  }
  throw refused(place);
}

/** Whether something is started at login, for whatever index: there is one file for all of a user's. */
export function isSomeInstalled(place: ServicePlace): boolean {
  return mechanismsOf(place).some(({ path }) => bytesIfThere(path) !== null);
}

/** Whether the file that a record names still holds what was written then, and not what starts another index's daemon. */
export function isAsInstalled(place: ServicePlace, { mechanism, path, launch }: ServiceRecord): boolean {
  const known = mechanismsOf(place).find((each) => each.name === mechanism && each.path === path);
  // Where it was installed under other settings nobody can tell.
  if (known === undefined) return true;
  return bytesIfThere(path)?.equals(bytesOf(known, launch)) ?? false;
}

/** Removes every mechanism of this system; gives the files that were there. */
export function uninstallService(place: ServicePlace, run: RunProgram): string[] {
  return mechanismsOf(place)
    .filter((mechanism) => remove(mechanism, run))
    .map(({ path }) => path);
}

/** Only what was installed is disabled. */
function remove(mechanism: Mechanism, run: RunProgram): boolean {
  if (bytesIfThere(mechanism.path) === null) return false;
  mechanism.disable(run);
  rmSync(mechanism.path, { force: true });
  mechanism.afterRemoval?.(run);
  return true;
}

/** Whether its file had to be written. @throws SessionDbError `io` */
function write(mechanism: Mechanism, launch: Launch): boolean {
  const bytes = bytesOf(mechanism, launch);
  try {
    return replaceIfOther(mechanism.path, bytes);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new SessionDbError("io", `${mechanism.path} cannot be written (${codeOf(error)})`, {
      hint: BY_HAND,
      cause: error,
    });
  }
}

/** Readers see the old file or the new one. False where the same one was there already. */
function replaceIfOther(path: string, bytes: Buffer): boolean {
  if (bytesIfThere(path)?.equals(bytes)) return false;
  makeFolder(dirname(path));
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, bytes, { mode: 0o644 });
  renameSync(fresh, path);
  return true;
}

function bytesOf({ content, encoding }: Mechanism, launch: Launch): Buffer {
  return Buffer.from(encoding === "utf16le" ? `\ufeff${content(launch)}` : content(launch), encoding);
}

function bytesIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return null;
    throw error;
  }
}

function refused({ platform }: ServicePlace): SessionDbError {
  return new SessionDbError("io", `nothing on this system (${platform}) starts programs at login`, {
    hint: BY_HAND,
  });
}
