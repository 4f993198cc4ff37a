import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { indexIn } from "../config/config.ts";
import { codeOf, isSystemError } from "../errors.ts";
import type { Index } from "../store/open.ts";
import type { ApiContext, Note } from "./api-context.ts";

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

/** Notes that the index gets a folder of its own where somebody wanted it: the path may be mistyped. */
export function noteNewFolder({ config, note }: ApiContext): void {
  const { indexPath } = config.location;
  const folder = dirname(indexPath);
  if (indexPath === indexIn(config.agentDir).indexPath || existsSync(folder)) return;
  note({ kind: "new_folder", path: folder });
}

/** Notes an index that opening has emptied. The full text is opened where it is needed, too. */
export function noteEmptied({ note }: ApiContext, index: Index, { search }: { search: boolean }): void {
  if (search) index.openFullText();
  if (index.wasEmptied) note({ kind: "emptied" });
}
