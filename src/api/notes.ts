import { accessSync, constants, statSync } from "node:fs";
import { codeOf, isSystemError } from "../errors.ts";
import type { Index } from "../store/open.ts";
import type { ApiContext } from "./api-context.ts";

/** What the person who asks has to know; the application has the words for it. */
export type Note =
  /** A root that would look like a folder without sessions. */
  | { kind: "root"; root: string; problem: "missing" | "file" | "unreadable"; code: string }
  /** The index is filled anew after an update, which may take minutes. */
  | { kind: "emptied" }
  /** The answer lacks what is new in session files: so many bytes, 0 where that is not known. */
  | { kind: "behind"; bytes: number }
  /** The answer lacks what is new in so many paths. */
  | { kind: "unreadable"; count: number }
  /** The answer holds so many files that are gone: a disk may just be missing. */
  | { kind: "vanished"; count: number }
  /** The full text is complete, but there was no space to merge its segments. */
  | { kind: "untidy" }
  /** The damaged index was moved out of the way, and one is made anew. */
  | { kind: "quarantined" }
  /** Removed sessions, or words of them (`rows` are gone then), are still in the index. */
  | { kind: "removal_unfinished"; left: "rows" | "words"; wasInterrupted: boolean };

type RootNote = Extract<Note, { kind: "root" }>;

/** Notes roots that are missing or may not be read: without a note they would look like folders without sessions. */
export function noteMissingRoots({ config, note }: ApiContext): void {
  for (const root of config.roots) {
    const problem = problemOf(root);
    if (problem !== null) note({ kind: "root", root, ...problem });
  }
}

function problemOf(root: string): Pick<RootNote, "problem" | "code"> | null {
  try {
    if (!statSync(root).isDirectory()) return { problem: "file", code: "" };
    accessSync(root, constants.R_OK | constants.X_OK);
    return null;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const code = codeOf(error);
    return { problem: code === "ENOENT" ? "missing" : "unreadable", code };
  }
}

/** Notes an index that opening has emptied. The full text is opened where it is needed, too. */
export function noteEmptied({ note }: ApiContext, index: Index, { search }: { search: boolean }): void {
  if (search) index.openFullText();
  if (index.wasEmptied) note({ kind: "emptied" });
}
