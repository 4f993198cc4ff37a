import type { IsExcluded } from "../file/exclude.ts";
import { type LocatedFile, type Unseen, visitSessionFiles } from "../file/locate.ts";
import { proofNeeded } from "./change.ts";
import type { Cursor, Cursors } from "./cursor.ts";
import type { KnownFiles } from "./known-files.ts";

/** A file that has to be read, and how many bytes that is at least. */
export interface Due extends LocatedFile {
  bytes: number;
}

/** What one look at everything below the roots came to, beside what the index knows. */
export interface Survey extends Unseen {
  /** How many files there are. */
  seen: number;
  due: Due[];
  /** Those of them that the index does not know. */
  added: LocatedFile[];
  /** Files that lie where they did but are reached by another path: through another link, or another root. */
  renamed: Map<Cursor, LocatedFile>;
}

export interface SurveyOptions {
  isExcluded: IsExcluded;
  onLocated: ((files: readonly LocatedFile[]) => void) | undefined;
}

/** Finds the files below the roots and compares each with its Cursor. `known` notes which of them are there. */
export function surveyFiles(
  roots: string[],
  known: KnownFiles,
  cursors: Cursors,
  { isExcluded, onLocated }: SurveyOptions,
): Survey {
  const survey = { seen: 0, due: [] as Due[], added: [] as LocatedFile[], renamed: new Map() };
  const located: LocatedFile[] = [];
  const unseen = visitSessionFiles(roots, isExcluded, (file) => {
    survey.seen++;
    if (onLocated !== undefined) located.push(file);
    if (known.isAsItWas(file)) return;
    const cursor = cursors.load(file.realPath);
    if (cursor === null) survey.added.push(file);
    else if (cursor.path !== file.path) survey.renamed.set(cursor, file);
    if (needsReading(file, cursor)) survey.due.push({ ...file, bytes: missingBytes(file, cursor) });
  });
  onLocated?.(located);
  return { ...unseen, ...survey };
}

function needsReading(file: LocatedFile, cursor: Cursor | null): boolean {
  return cursor === null || proofNeeded(cursor, file.stat) !== "nothing";
}

/** A guess for the progress bar: the bytes after what the index has. */
function missingBytes(file: LocatedFile, cursor: Cursor | null): number {
  return Math.max(0, file.stat.size - (cursor?.fingerprint.length ?? 0));
}
