/** Lists sessions by reading their files whole. */
import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import { codeOf } from "../errors.ts";
import { LineReader } from "../file/lines.ts";
import { readInSteps } from "./load.ts";
import { type SessionInfo, SessionInfoBuilder, sortSessionInfos } from "./session-info.ts";

/** `partialSessions`, newest activity first, comes with some of the calls only. */
export type SessionListProgress = (
  loaded: number,
  total: number,
  partialSessions?: readonly SessionInfo[],
) => void;

/** How far a list is; `index` is the place in the list of files of the one just read. */
interface Loaded {
  loaded: number;
  total: number;
  index: number;
}

/** The sessions of one folder, by file name from the last to the first; none when it cannot be read. */
export async function listFolder(
  dir: string,
  onProgress: SessionListProgress | undefined,
  signal: AbortSignal | undefined,
): Promise<SessionInfo[]> {
  signal?.throwIfAborted();
  if (!existsSync(dir)) return [];
  const names = sessionNames(dir).sort((a, b) => b.localeCompare(a));
  const paths = names.map((name) => join(dir, name));
  const publishes = ({ loaded, total }: Loaded) => loaded === 1 || loaded % 10 === 0 || loaded === total;
  return readInfos(paths, publishes, onProgress, signal);
}

/** The sessions of every folder below a root, unsorted. Files changed last are read first. */
export async function listRoot(
  root: string,
  onProgress: SessionListProgress | undefined,
  signal: AbortSignal | undefined,
): Promise<SessionInfo[]> {
  signal?.throwIfAborted();
  if (!existsSync(root)) return [];
  const paths = folderNames(root).flatMap((folder) =>
    sessionNames(join(root, folder)).map((name) => join(root, folder, name)),
  );
  const candidates = paths.map((path) => ({ path, changed: lastChange(path) }));
  candidates.sort((a, b) => b.changed - a.changed || basename(b.path).localeCompare(basename(a.path)));
  const publishes = ({ loaded, total, index }: Loaded) =>
    index === 0 || loaded % 100 === 0 || loaded === total;
  const sorted = candidates.map(({ path }) => path);
  return readInfos(sorted, publishes, onProgress, signal);
}

async function readInfos(
  paths: readonly string[],
  publishes: (state: Loaded) => boolean,
  onProgress: SessionListProgress | undefined,
  signal: AbortSignal | undefined,
): Promise<SessionInfo[]> {
  const infos: SessionInfo[] = [];
  const reader = new LineReader();
  for (const [index, path] of paths.entries()) {
    signal?.throwIfAborted();
    const info = await readInfo(path, reader, signal);
    if (info !== null) infos.push(info);
    const state = { loaded: index + 1, total: paths.length, index };
    onProgress?.(state.loaded, state.total, publishes(state) ? sortSessionInfos([...infos]) : undefined);
  }
  return infos;
}

/** Null for what is no session or cannot be read: one bad file must not end the list. */
async function readInfo(
  path: string,
  reader: LineReader,
  signal: AbortSignal | undefined,
): Promise<SessionInfo | null> {
  try {
    return await readOpenable(path, reader, signal);
  } catch (error) {
    signal?.throwIfAborted();
    if (codeOf(error) === "") throw error;
    return null;
  }
}

/** Files are read in steps, with a pause after each in which the program can do other things. */
async function readOpenable(
  path: string,
  reader: LineReader,
  signal: AbortSignal | undefined,
): Promise<SessionInfo | null> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return null;
    const builder = new SessionInfoBuilder();
    for (const { entries } of readInSteps(fd, stats.size, 0, reader)) {
      for (const entry of entries) if (!builder.add(entry)) return null;
      await pause();
      signal?.throwIfAborted();
    }
    return builder.build(path, stats.mtime);
  } finally {
    closeSync(fd);
  }
}

function sessionNames(dir: string): string[] {
  return namesIn(dir).filter((name) => name.endsWith(".jsonl"));
}

function folderNames(root: string): string[] {
  return namesIn(root).filter((name) => statOf(join(root, name))?.isDirectory());
}

/** None when there is no such folder or it cannot be read. */
function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return [];
  }
}

/** Unix ms; what cannot be looked at comes last. */
function lastChange(path: string): number {
  return statOf(path)?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}
