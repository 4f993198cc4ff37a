import { lstatSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { unlessUnreadable } from "../errors.ts";
import type { IndexLocation } from "../store/location.ts";

/** What somebody wants to rely on: that an index has everything below some folders, but for what is excluded. */
export interface FreshnessQuestion {
  /** Absolute, as the other paths. */
  indexPath: string;
  roots: readonly string[];
  exclude: readonly string[];
}

/** How somebody asks: everything but the index, which the location names. */
export interface Asking extends Omit<FreshnessQuestion, "indexPath"> {
  /** The user's own folder for sockets. */
  runtimeDir: string | undefined;
  /** Milliseconds without a word after which no answer is expected any more. */
  patienceMs?: number | undefined;
}

/** What a daemon answers when it is so. Anything else, and no answer, mean that everybody has to look at the files. */
export const UP_TO_DATE = "up to date\n";

/** The system's limit on the path of a socket, less a little. */
const LONGEST_PATH = 100;

/** A daemon that works answers within a few ms. One that hangs must cost nobody more than this. */
const PATIENCE_MS = 100;

/**
 * The socket at which a daemon is asked. Null where no daemon can guarantee anything: only Linux tells of a write before
 * the writer goes on, and the socket needs a folder of the user's own, so that nobody else can answer in its place.
 *
 * @param runtimeDir the user's own folder for sockets, `XDG_RUNTIME_DIR`
 */
export function socketPathOf({ indexPath }: IndexLocation, runtimeDir: string | undefined): string | null {
  if (process.platform !== "linux" || runtimeDir === undefined || !isAbsolute(runtimeDir)) return null;
  const folder = unlessUnreadable(() => statSync(dirname(indexPath), { throwIfNoEntry: false }));
  if (folder === undefined) return null;
  // A folder has one daemon at most. Its number is shorter than its path, and a hash would load all of `node:crypto`.
  const path = join(runtimeDir, "sessiondb", `${folder.dev}-${folder.ino}.sock`);
  return Buffer.byteLength(path) <= LONGEST_PATH ? path : null;
}

/**
 * Who else could answer at a socket: the owner of the first of it and its folder that is not the asker's own, or that others
 * may write to. Null: nobody else, or there is none. After `sudo -E` the folder is that of the user who became root.
 */
export function strangerAt(path: string): { path: string; owner: number } | null {
  for (const place of [dirname(path), path]) {
    const there = unlessUnreadable(() => lstatSync(place, { throwIfNoEntry: false }));
    if (there === undefined) continue;
    const isOwn = there.uid === process.getuid?.() && !there.isSymbolicLink();
    if (!isOwn || (place !== path && (there.mode & OTHERS_WRITE) !== 0))
      return { path: place, owner: there.uid };
  }
  return null;
}

const OTHERS_WRITE = 0o022;

/**
 * Whether a daemon guarantees that the index has everything that was written before this was asked. Then nobody needs to
 * look at every file. False also when there is no daemon, or none that answers at once.
 */
export async function isKeptUpToDate(
  location: IndexLocation,
  { roots, exclude, runtimeDir, patienceMs = PATIENCE_MS }: Asking,
): Promise<boolean> {
  const path = socketPathOf(location, runtimeDir);
  if (path === null || strangerAt(path) !== null) return false;
  // The folder may be one that cannot be read, or no folder at all.
  const there = unlessUnreadable(() => statSync(path, { throwIfNoEntry: false }));
  if (!there?.isSocket()) return false;
  const question: FreshnessQuestion = { indexPath: location.indexPath, roots, exclude };
  return (await ask(path, JSON.stringify(question), patienceMs)) === UP_TO_DATE;
}

/** Null when there is no answer. */
async function ask(path: string, question: string, patienceMs: number): Promise<string | null> {
  // Loaded where there is somebody to ask: it takes some milliseconds.
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect(path);
    const conclude = (answer: string | null): void => {
      socket.destroy();
      resolve(answer);
    };
    let heard = "";
    socket.setEncoding("utf8");
    socket.setTimeout(patienceMs, () => conclude(null));
    socket.on("data", (text: string) => {
      heard += text;
    });
    socket.on("end", () => conclude(heard));
    // Whatever is wrong with it: to look at the files is always right.
    socket.on("error", () => conclude(null));
    socket.end(question);
  });
}
