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

const SHOWN = 10;

/** One finding for each of the first files, and one that says how many more there are. */
export function forEachFile<T>(files: readonly T[], describe: (file: T) => Finding): Finding[] {
  const findings = files.slice(0, SHOWN).map(describe);
  const last = findings.at(-1);
  const more = files.length - SHOWN;
  if (more > 0 && last !== undefined) {
    findings.push({ ...last, what: `${more} more: ${last.what}`, where: "sessiondb sync lists them" });
  }
  return findings;
}
