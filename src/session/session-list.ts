/** Lists sessions: from the index where it is up to date with a file, else by reading the file whole. */
import { type Dirent, existsSync, readdirSync, type Stats, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import { unlessUnreadable } from "../errors.ts";
import { LineReader } from "../files/lines.ts";
import { type FileStat, toFileStat } from "../files/stat.ts";
import { sessionNames } from "./header.ts";
import { GuaranteedList, IndexedList, type ListedRow } from "./indexed-list.ts";
import { readInfo, type SessionInfo, sortSessionInfos } from "./session-info.ts";

/** Only some of the calls have `partialSessions`, newest activity first. */
export type SessionListProgress = (
  loaded: number,
  total: number,
  partialSessions?: readonly SessionInfo[],
) => void;

/** The progress of a list; `index` is the place of the file just read in the list of files. */
interface Loaded {
  loaded: number;
  total: number;
  index: number;
}

/** A file that may be a session; without a stat where it cannot be looked at. */
interface Candidate {
  path: string;
  stat: FileStat | undefined;
}

/** What `listSessionsIn` may be told. */
export interface FolderOptions {
  /** Which sessions are wanted; all of them unless told. */
  belongs?: (info: SessionInfo) => boolean;
  onProgress?: SessionListProgress | undefined;
  signal?: AbortSignal | undefined;
}

/** The sessions of one folder, in descending order of file names; none when it cannot be read. */
export async function listSessionsIn(
  dir: string,
  { belongs = () => true, onProgress, signal }: FolderOptions,
): Promise<SessionInfo[]> {
  signal?.throwIfAborted();
  if (!existsSync(dir)) return [];
  const names = sessionNames(dir).sort((a, b) => b.localeCompare(a));
  const files = candidates(beginningIn(dir), names);
  const publishes = ({ loaded, total }: Loaded) => loaded === 1 || loaded % 10 === 0 || loaded === total;
  return readInfos(ofCandidates(files, IndexedList.load(dir)), { belongs, publishes, onProgress, signal });
}

/** The sessions of every folder below a root, unsorted. The files changed last are read first. */
export async function listRoot(
  root: string,
  onProgress: SessionListProgress | undefined,
  signal: AbortSignal | undefined,
): Promise<SessionInfo[]> {
  signal?.throwIfAborted();
  if (!existsSync(root)) return [];
  const publishes = ({ loaded, total, index }: Loaded) =>
    index === 0 || loaded % 100 === 0 || loaded === total;
  const listing = { belongs: () => true, publishes, onProgress, signal };
  const guaranteed = await GuaranteedList.load(root);
  if (guaranteed !== null) return readInfos(ofRows(guaranteed), listing);
  const files = filesInFoldersOf(root).sort(lastChangedFirst(lastChange, ({ path }) => path));
  return readInfos(ofCandidates(files, IndexedList.load()), listing);
}

/** Files in the order in which they are read. */
interface Files<File> {
  all: readonly File[];
  pathOf: (file: File) => string;
  /** Null when the file has to be read. */
  info: (file: File) => SessionInfo | null;
}

function ofCandidates(all: readonly Candidate[], indexed: IndexedList | null): Files<Candidate> {
  return {
    all,
    pathOf: ({ path }) => path,
    info: ({ path, stat }) => (stat && indexed?.info(path, stat)) ?? null,
  };
}

function ofRows(list: GuaranteedList): Files<ListedRow> {
  const pathOf = ([path]: ListedRow) => path;
  return {
    all: list.rows.toSorted(lastChangedFirst(([, mtimeMs]) => mtimeMs, pathOf)),
    pathOf,
    info: (row) => list.info(row),
  };
}

function lastChangedFirst<File>(
  timeOf: (file: File) => number,
  pathOf: (file: File) => string,
): (a: File, b: File) => number {
  return (a, b) => timeOf(b) - timeOf(a) || basename(pathOf(b)).localeCompare(basename(pathOf(a)));
}

function filesInFoldersOf(root: string): Candidate[] {
  const beginning = beginningIn(root);
  return folderNames(root).flatMap((name) =>
    candidates(beginning + name + sep, sessionNames(beginning + name)),
  );
}

/** What `join` puts before the names in a folder: calling it for thousands of names takes long. */
function beginningIn(dir: string): string {
  return join(dir, "-").slice(0, -1);
}

/** How the progress of a list is reported, and how it is aborted. */
interface Listing {
  belongs: (info: SessionInfo) => boolean;
  publishes: (state: Loaded) => boolean;
  onProgress: SessionListProgress | undefined;
  signal: AbortSignal | undefined;
}

/** After so many sessions from the index the program can do other things for a moment. */
const PAUSE_EVERY = 500;

async function readInfos<File>(
  { all, pathOf, info: infoOf }: Files<File>,
  { belongs, publishes, onProgress, signal }: Listing,
): Promise<SessionInfo[]> {
  const infos: SessionInfo[] = [];
  let reader: LineReader | undefined;
  for (const [index, file] of all.entries()) {
    signal?.throwIfAborted();
    if (index % PAUSE_EVERY === 0) await pause();
    let info = infoOf(file);
    if (info === null) {
      reader ??= new LineReader();
      info = await readInfo(pathOf(file), reader, signal);
    }
    if (info !== null && belongs(info)) infos.push(info);
    const state = { loaded: index + 1, total: all.length, index };
    onProgress?.(state.loaded, state.total, publishes(state) ? sortSessionInfos([...infos]) : undefined);
  }
  return infos;
}

function candidates(beginning: string, names: readonly string[]): Candidate[] {
  return names.map((name) => candidate(beginning + name));
}

/** Keeps only what is needed: there may be thousands, and Node's `Stats` are large. */
function candidate(path: string): Candidate {
  const stats = statOf(path);
  return { path, stat: stats && toFileStat(stats) };
}

/** Unix ms; a file that cannot be looked at comes last. */
function lastChange({ stat }: Candidate): number {
  return stat?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}

function folderNames(root: string): string[] {
  const items = unlessUnreadable(() => readdirSync(root, { withFileTypes: true })) ?? [];
  const isFolder = (item: Dirent) => statOf(join(root, item.name))?.isDirectory();
  return items
    .filter((item) => item.isDirectory() || (item.isSymbolicLink() && isFolder(item)))
    .map((item) => item.name);
}

function statOf(path: string): Stats | undefined {
  return unlessUnreadable(() => statSync(path, { throwIfNoEntry: false }));
}
