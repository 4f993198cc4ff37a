/**
 * `error`: something does not work. `warning`: it works, but something should be mended. `note`: nothing is
 * wrong, and it is worth knowing.
 */
export type Level = "error" | "warning" | "note";

/** The worst first. */
export const LEVELS: readonly Level[] = ["error", "warning", "note"];

/** One thing that is not as it should be: what doctor, verify and the daemon's status tell. */
export interface Finding {
  level: Level;
  /** A sentence without its full stop. */
  what: string;
  /** A path, or what else it is about; empty where that is clear. */
  where: string;
  /** What to do about it; empty where nothing needs to be done. */
  remedy: string;
}

/** The remedy for an index that is not what the session files say. */
export const REBUILD =
  "Run sessiondb sync --rebuild: it rebuilds the index from the session files, which hold everything";
