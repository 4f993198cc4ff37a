import { statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Config } from "../config/config.ts";
import { defaultSessionDirPath } from "../config/pi.ts";
import { SessionDbError, unlessUnreadable } from "../errors.ts";
import { exclusionOf, type IsExcluded } from "../files/session-path.ts";

/** Excludes the configured paths, and, for each that is a project, the folder in which pi keeps its sessions. */
export function isExcludedBy({ exclude, roots }: Pick<Config, "exclude" | "roots">): IsExcluded {
  return exclusionOf([
    ...exclude,
    ...exclude.flatMap((path) => roots.map((root) => join(root, basename(defaultSessionDirPath(path))))),
  ]);
}

/** How long a change of the configuration file may stay unnoticed. */
const LOOK_MS = 1000;

/** The exclusions of a daemon; the configuration file may change while it runs. */
export interface FollowedExclusions {
  isExcluded: IsExcluded;
  /** The patterns as they stand in the file now. */
  exclude: () => readonly string[];
}

/**
 * Exclusions for a daemon, which may run on after the configuration file has changed: then it is read again. A file that
 * is wrong leaves the exclusions as they were. `clock` gives milliseconds since any moment.
 */
export function followExclusions(
  config: Config,
  read: () => Config,
  { clock = () => performance.now() }: { clock?: () => number } = {},
): FollowedExclusions {
  let { exclude } = config;
  let isExcluded = isExcludedBy(config);
  let version = versionOf(config.configPath);
  let lookedAt = clock();
  const look = (): void => {
    lookedAt = clock();
    const now = versionOf(config.configPath);
    if (now === version) return;
    version = now;
    exclude = readAgain(read) ?? exclude;
    isExcluded = isExcludedBy({ exclude, roots: config.roots });
  };
  return {
    isExcluded: (path) => {
      if (clock() - lookedAt >= LOOK_MS) look();
      return isExcluded(path);
    },
    exclude: () => {
      look();
      return exclude;
    },
  };
}

function readAgain(read: () => Config): Config["exclude"] | undefined {
  try {
    return read().exclude;
  } catch (error) {
    if (error instanceof SessionDbError) return undefined;
    throw error;
  }
}

function versionOf(path: string): string {
  const stats = unlessUnreadable(() => statSync(path, { throwIfNoEntry: false }));
  return stats === undefined ? "" : `${stats.mtimeMs}:${stats.size}:${stats.ino}`;
}
