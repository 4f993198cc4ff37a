import { closeSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { codeOf, isSystemError, SessionDbError, unlessUnreadable } from "../../errors.ts";
import { STAMP_WITHIN, stampIn } from "../../export/pages.ts";
import { makeFolder } from "../../files/folder.ts";

/** @throws SessionDbError `io`; `usage` where the folder has a list that is not ours */
export function prepareFolder(folder: string): void {
  try {
    makeFolder(folder, 0o700);
    readdirSync(folder);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new SessionDbError("io", `${folder} cannot be written to (${codeOf(error)})`, {
      hint: "Choose a folder that can be made, or is there and writable.",
      cause: error,
    });
  }
  if (stateOf(join(folder, "index.html")) !== "foreign") return;
  throw new SessionDbError("usage", `${join(folder, "index.html")} was not written by this command`, {
    hint: "Choose another folder.",
  });
}

/** The stamp of a page of ours, or what else is there. A link is never ours: what it leads to may be anybody's. */
export function stateOf(path: string): { stamp: string } | "nothing" | "foreign" {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return "nothing";
  const fd = there.isFile() ? unlessUnreadable(() => openSync(path, "r")) : undefined;
  if (fd === undefined) return "foreign";
  try {
    const beginning = Buffer.alloc(STAMP_WITHIN);
    const stamp = stampIn(beginning.toString("utf8", 0, readSync(fd, beginning)));
    return stamp === null ? "foreign" : { stamp };
  } finally {
    closeSync(fd);
  }
}

/** The names of all pages in a folder that are ours. */
export function pagesIn(folder: string): string[] {
  return readdirSync(folder).filter(
    (name) => name.endsWith(".html") && typeof stateOf(join(folder, name)) === "object",
  );
}
