/** Paths as pi reads and compares them. */
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** A leading `~` is the home directory, a `file://` URL a path; the rest stays as it is, relative or not. */
export function normalizePath(input: string): string {
  const path = process.platform === "win32" ? windowsPath(input) : input;
  if (path === "~") return homedir();
  if (path.startsWith("~/") || (process.platform === "win32" && path.startsWith("~\\"))) {
    return join(homedir(), path.slice(2));
  }
  return path.startsWith("file://") ? fileURLToPath(path) : path;
}

/** `normalizePath`, made absolute from the current directory. */
export function resolvePath(input: string): string {
  const path = normalizePath(input);
  return isAbsolute(path) ? resolve(path) : resolve(process.cwd(), path);
}

/** Whether two paths name the same place; links are not followed. On Windows case is ignored. */
export function pathsEqual(left: string, right: string): boolean {
  return comparable(left) === comparable(right);
}

function comparable(path: string): string {
  const absolute = resolve(path);
  return process.platform === "win32" ? absolute.toLowerCase() : absolute;
}

/** A path on a drive as Git Bash (`/c/x`), WSL (`/mnt/c/x`) and Cygwin (`/cygdrive/c/x`) write it, as Windows does. */
function windowsPath(path: string): string {
  const drive = /^\/(?:mnt\/|cygdrive\/)?([a-z])(?:\/([^\\]*))?$/i.exec(path);
  if (drive === null) return path;
  return `${drive[1]?.toUpperCase()}:\\${(drive[2] ?? "").replaceAll("/", "\\")}`;
}
