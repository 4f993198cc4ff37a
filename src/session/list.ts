/** Lists sessions: from the index where it is up to date with a file, else by reading the file whole. */
import { existsSync, readdirSync, type Stats, statSync } from "node:fs";
import { basename, join } from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import { codeOf } from "../errors.ts";
import { LineReader } from "../file/lines.ts";
import { toFileStat } from "../file/stat.ts";
import { IndexedList } from "./indexed-list.ts";
import { readInfo } from "./read-info.ts";
import { type SessionInfo, sortSessionInfos } from "./session-info.ts";

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
  const files = names.map((name) => candidate(join(dir, name)));
  const publishes = ({ loaded, total }: Loaded) => loaded === 1 || loaded % 10 === 0 || loaded === total;
  return readInfos(files, IndexedList.load(dir), { publishes, onProgress, signal });
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
  const files = paths.map(candidate);
  files.sort((a, b) => lastChange(b) - lastChange(a) || basename(b.path).localeCompare(basename(a.path)));
  const publishes = ({ loaded, total, index }: Loaded) =>
    index === 0 || loaded % 100 === 0 || loaded === total;
  return readInfos(files, IndexedList.load(), { publishes, onProgress, signal });
}

/** How a list is reported and ended. */
interface Listing {
  publishes: (state: Loaded) => boolean;
  onProgress: SessionListProgress | undefined;
  signal: AbortSignal | undefined;
}

/** Sessions of the index between two moments in which the program can do other things. */
const PAUSE_EVERY = 500;

async function readInfos(
  files: readonly Candidate[],
  indexed: IndexedList | null,
  { publishes, onProgress, signal }: Listing,
): Promise<SessionInfo[]> {
  const infos: SessionInfo[] = [];
  const reader = new LineReader();
  for (const [index, { path, stats }] of files.entries()) {
    signal?.throwIfAborted();
    if (index % PAUSE_EVERY === 0) await pause();
    const known = stats && indexed?.info(path, toFileStat(stats));
    const info = known ?? (await readInfo(path, reader, signal));
    if (info !== null) infos.push(info);
    const state = { loaded: index + 1, total: files.length, index };
    onProgress?.(state.loaded, state.total, publishes(state) ? sortSessionInfos([...infos]) : undefined);
  }
  return infos;
}

/** A file that may be a session; without stats where it cannot be looked at. */
interface Candidate {
  path: string;
  stats: Stats | undefined;
}

function candidate(path: string): Candidate {
  return { path, stats: statOf(path) };
}

/** Unix ms; what cannot be looked at comes last. */
function lastChange({ stats }: Candidate): number {
  return stats?.mtimeMs ?? Number.NEGATIVE_INFINITY;
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

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (codeOf(error) === "") throw error;
    return undefined;
  }
}
