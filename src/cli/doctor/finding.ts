/**
 * `error`: something does not work. `warning`: it works, but something should be mended. `note`: nothing is
 * wrong, and it is worth knowing.
 */
export type Level = "error" | "warning" | "note";

/** One thing the doctor has found. */
export interface Finding {
  level: Level;
  /** A sentence without its full stop. */
  what: string;
  /** A path, or what else it is about; empty where that is clear. */
  where: string;
  /** What to do about it; empty where nothing needs to be done. */
  remedy: string;
}

/** The worst first. */
export const LEVELS: readonly Level[] = ["error", "warning", "note"];
