import { statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Config } from "../config.ts";
import { SessionDbError } from "../errors.ts";
import { exclusionOf, type IsExcluded } from "../file/exclude.ts";
import { defaultSessionDirPath } from "../session/defaults.ts";

/** What the configuration excludes: folders of sessions, and the folder in which pi keeps a project's sessions. */
export function isExcludedBy({ exclude, roots }: Pick<Config, "exclude" | "roots">): IsExcluded {
  return exclusionOf([
    ...exclude,
    ...exclude.flatMap((path) => roots.map((root) => join(root, basename(defaultSessionDirPath(path))))),
  ]);
}

/** How long a change of the configuration file may stay unseen. */
const LOOK_MS = 1000;

/**
 * The same for a daemon, which outlives what is in the file: it is read again when it has changed. One that cannot
 * be understood leaves things as they were.
 */
export function followExclusions(config: Config, read: () => Config): IsExcluded {
  let isExcluded = isExcludedBy(config);
  let version = versionOf(config.configPath);
  let lookedAt = performance.now();
  return (path) => {
    if (performance.now() - lookedAt >= LOOK_MS) {
      lookedAt = performance.now();
      const now = versionOf(config.configPath);
      if (now !== version) isExcluded = readAgain(read, config) ?? isExcluded;
      version = now;
    }
    return isExcluded(path);
  };
}

function readAgain(read: () => Config, { roots }: Config): IsExcluded | undefined {
  try {
    return isExcludedBy({ exclude: read().exclude, roots });
  } catch (error) {
    if (error instanceof SessionDbError) return undefined;
    throw error;
  }
}

function versionOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "" : `${stats.mtimeMs}:${stats.size}:${stats.ino}`;
}
