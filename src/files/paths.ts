import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, normalize, posix, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { SessionDbError, unlessUnreadable } from "../errors.ts";

/** Paths: as people and pi write them, as they are compared and stored, and as they are shown to people again. */

const IS_WINDOWS = process.platform === "win32";

/** A leading `~` is the home directory, a `file://` URL a path; the rest stays as it is, relative or not. As pi has it. */
export function normalizePath(input: string, home: () => string = homedir): string {
  const path = IS_WINDOWS ? windowsPath(input) : input;
  if (path === "~") return home();
  if (path.startsWith("~/") || (IS_WINDOWS && path.startsWith("~\\"))) return join(home(), path.slice(2));
  return path.startsWith("file://") ? fileURLToPath(path) : path;
}

/** A path on a drive as Git Bash (`/c/x`), WSL (`/mnt/c/x`) and Cygwin (`/cygdrive/c/x`) write it, as Windows does. */
function windowsPath(path: string): string {
  const drive = /^\/(?:mnt\/|cygdrive\/)?([a-z])(?:\/([^\\]*))?$/i.exec(path);
  if (drive === null) return path;
  return `${drive[1]?.toUpperCase()}:\\${(drive[2] ?? "").replaceAll("/", "\\")}`;
}

/** A path that a session tells, as the index knows it: a relative one is from `cwd`. As it stands where no such path can be here. */
export function pathAsTold(told: string, cwd: string): string {
  try {
    const path = normalizePath(told);
    return isAbsolute(path) ? normalize(path) : join(cwd, path);
  } catch {
    // A URL of another machine, or one that holds what is not UTF-8.
    return told;
  }
}

/** `normalizePath`, made absolute from the current directory. */
export function resolvePath(input: string): string {
  return resolve(normalizePath(input));
}

/** `normalizePath`, made absolute from `cwd`. @throws SessionDbError `usage`, which names `source` as what was wrong */
export function absolutePath(
  text: string,
  source: string,
  { home, cwd }: { home: string; cwd: string | undefined },
): string {
  if (text === "") throw new SessionDbError("usage", `${source} is empty`, { hint: "Name a path." });
  const path = normalizedAs(source, text, home);
  if (isAbsolute(path)) return resolve(path);
  if (cwd !== undefined) return resolve(cwd, path);
  throw new SessionDbError("usage", `${source} is a relative path, but the current directory is gone`, {
    hint: "Change to a directory that exists, or give an absolute path.",
  });
}

function normalizedAs(source: string, text: string, home: string): string {
  try {
    return normalizePath(text, () => {
      if (isAbsolute(home)) return home;
      throw new SessionDbError("usage", `${source} needs the home directory, but there is none`, {
        hint: "Set HOME, or give an absolute path.",
      });
    });
  } catch (error) {
    // Of a URL that names no file of this machine, or holds what is not UTF-8.
    if (!(error instanceof TypeError || error instanceof URIError)) throw error;
    throw new SessionDbError("usage", `${source} is not a file on this machine: ${text}`, {
      hint: "Write file:///folder/name, or the path itself.",
      cause: error,
    });
  }
}

/** Whether two paths name the same place; links are not followed. On Windows case is ignored. */
export function pathsEqual(left: string, right: string): boolean {
  return comparable(left) === comparable(right);
}

function comparable(path: string): string {
  const absolute = resolve(path);
  return IS_WINDOWS ? absolute.toLowerCase() : absolute;
}

/**
 * The names of a path: as it stands, and without symbolic links where it leads through some. pi notes directories
 * without links; people may know them by a link. On disks that ignore case (macOS, Windows), the second is written as
 * the disk has it. If nothing is there (any more), the nearest folder that exists is taken without links.
 */
export function namesOfPath(path: string): string[] {
  return [...new Set([path, withoutLinks(path)].flatMap(ofEitherDrive))];
}

/** On Windows a drive is both `C:` and `c:`: which one a program sees depends on how it was started. */
function ofEitherDrive(path: string): string[] {
  const [drive] = /^[A-Za-z](?=:[/\\])/.exec(path) ?? [];
  if (drive === undefined) return [path];
  return [path, drive.toUpperCase() + path.slice(1), drive.toLowerCase() + path.slice(1)];
}

/** A directory that is absolute on Windows, or on one of the systems that show its drives, whichever this system is. */
const OF_WINDOWS = /^(?:([A-Za-z]):(?=[\\/]|$)|\/(?:mnt\/|cygdrive\/)?([A-Za-z])(?=\/|$)|\\\\(?=[^\\]))/;

/** Whether a path that is not absolute here is so on Windows: on a drive (`C:\x`), or on a server (`\\nas\x`). */
export function isAbsoluteOnWindows(path: string): boolean {
  return OF_WINDOWS.test(path) && !path.startsWith("/");
}

/**
 * What a directory of Windows is called by Windows, WSL, Git Bash and Cygwin, with `/` between its parts and none at the
 * end; case does not count there. None for a directory of another system.
 */
export function namesOnWindows(path: string): string[] {
  const [beginning, own, shown] = OF_WINDOWS.exec(path) ?? [];
  if (beginning === undefined) return [];
  const below = posix.normalize(`/${path.slice(beginning.length).replaceAll("\\", "/")}`).replace(/\/$/, "");
  const drive = own ?? shown;
  if (drive === undefined) return [`/${below}`];
  return [`${drive}:`, `/mnt/${drive}`, `/${drive}`, `/cygdrive/${drive}`].map((each) => each + below);
}

/** The path without symbolic links; null when nothing is there, or when it cannot be looked at. */
export function realPathOrNull(path: string): string | null {
  return unlessUnreadable(() => realpathSync(path)) ?? null;
}

/** `realPathOrNull`, written as the disk has it where the disk ignores case. */
export function nativeRealPathOrNull(path: string): string | null {
  return unlessUnreadable(() => realpathSync.native(path)) ?? null;
}

function withoutLinks(path: string): string {
  const real = nativeRealPathOrNull(path);
  if (real !== null) return real;
  const parent = dirname(path);
  return parent === path ? path : join(withoutLinks(parent), basename(path));
}

/** How many links in a row Linux follows; links in a circle have no end. */
const MOST_LINKS = 40;

/**
 * The path to which a link leads, whether or not anything is there; any other path as it stands. For links in a circle
 * it is one of them, which the file system refuses to open.
 *
 * @throws the file system's error
 */
export function endOfLinks(path: string, most = MOST_LINKS): string {
  if (most === 0 || !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
  return endOfLinks(resolve(realpathSync(dirname(path)), readlinkSync(path)), most - 1);
}

/** A path for people: the home directory as `~`, also where the path has its real name and the home is a link to it. */
export function tildePath(path: string, home: string): string {
  if (home === "" || home === sep) return path;
  return belowTilde(path, home) ?? belowTilde(path, realHomeOf(home)) ?? path;
}

function belowTilde(path: string, home: string): string | null {
  if (path === home) return "~";
  return path.startsWith(home + sep) ? `~${path.slice(home.length)}` : null;
}

/** Remembered, because it is needed for every path that is shown. */
const REAL_HOMES = new Map<string, string>();

function realHomeOf(home: string): string {
  let real = REAL_HOMES.get(home);
  if (real === undefined) {
    real = nativeRealPathOrNull(home) ?? home;
    REAL_HOMES.set(home, real);
  }
  return real;
}

/** Where the index of an agent folder lies unless somebody names another place. */
export function usualIndexPath(agentDir: string): string {
  return join(agentDir, INDEX_FOLDER, INDEX_NAME);
}

const INDEX_FOLDER = "sessiondb";
const INDEX_NAME = "index-v1.db";

/** Whether an index lies where those of agent folders do: nobody else has a file there. */
export function isUsualIndexPath(path: string): boolean {
  return basename(path) === INDEX_NAME && basename(dirname(path)) === INDEX_FOLDER;
}
