import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SessionDbError } from "../errors.ts";

/**
 * `text` as an absolute path: a leading `~` is the home directory, and `file://` URLs are understood, as by pi.
 * Errors name `source` as the setting that was wrong.
 */
export function absolutePath(
  text: string,
  source: string,
  where: { home: string; cwd: string | undefined },
): string {
  if (text === "") throw new SessionDbError("usage", `${source} is empty`, { hint: "Name a path." });
  const path = expandHome(text, source, where.home);
  if (isAbsolute(path)) return resolve(path);
  if (where.cwd === undefined) {
    throw new SessionDbError("usage", `${source} is a relative path, but the current directory is gone`, {
      hint: "Change to a directory that exists, or give an absolute path.",
    });
  }
  return resolve(where.cwd, path);
}

function expandHome(text: string, source: string, home: string): string {
  if (text.startsWith("file://")) return pathOfUrl(text, source);
  if (!/^~(?:[/\\]|$)/.test(text)) return text;
  if (!isAbsolute(home)) {
    throw new SessionDbError("usage", `${source} needs the home directory, but there is none`, {
      hint: "Set HOME, or give an absolute path.",
    });
  }
  return join(home, text.slice(2));
}

function pathOfUrl(url: string, source: string): string {
  try {
    return fileURLToPath(url);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof URIError)) throw error;
    throw new SessionDbError("usage", `${source} is not a file on this machine: ${url}`, {
      hint: "Write file:///folder/name, or the path itself.",
      cause: error,
    });
  }
}
