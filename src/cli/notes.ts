import { accessSync, constants, statSync } from "node:fs";
import { codeOf, isSystemError } from "../errors.ts";
import type { Index } from "../store/open.ts";
import type { Context } from "./command.ts";
import { formatCount, plural } from "./output/numbers.ts";
import type { Output } from "./output/output.ts";
import { oneLine } from "./output/sanitise.ts";

/** Notes roots that are missing or may not be read: without a note they would look like folders without sessions. */
export function noteMissingRoots({ config, talk }: Context): void {
  for (const root of config.roots) {
    const trouble = troubleWith(root);
    if (trouble !== undefined) talk.note(`${trouble} ${oneLine(root)}`);
  }
}

function troubleWith(root: string): string | undefined {
  try {
    if (!statSync(root).isDirectory()) return "this is a file; name the folder that it is in:";
    accessSync(root, constants.R_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return codeOf(error) === "ENOENT"
      ? "there is no folder"
      : `the folder cannot be read (${codeOf(error)}):`;
  }
}

/** Notes that the index is filled anew after an update, which may take minutes. */
export function noteEmptied({ talk }: Context, index: Index, { search }: { search: boolean }): void {
  if (search) index.search.prepare("SELECT 1").get();
  if (!index.wasEmptied) return;
  talk.note("an earlier version wrote this index in another form; it is being filled again, this one time.");
}

/** Notes that the answer lacks something. */
export function noteBehind(talk: Output, what: string): void {
  talk.note(`${what}; run sessiondb sync to bring everything in.`);
}

/** Notes that the answer lacks what is new in paths that cannot be read. For roots `noteMissingRoots` does that. */
export function noteUnreadable({ config, talk }: Context, unreadable: readonly { path: string }[]): void {
  const count = unreadable.filter(({ path }) => !config.roots.includes(path)).length;
  if (count === 0) return;
  talk.note(
    `${plural(count, "path")} cannot be read, and the answer lacks what is new there; sessiondb sync shows more.`,
  );
}

/** Notes that the answer holds files that are gone: when so many are, a disk may just be missing. */
export function noteVanished(talk: Output, count: number): void {
  if (count === 0) return;
  const what = `${formatCount(count)} session files are gone, most of the folder at once; they are still part of the answer`;
  talk.note(`${what}. If they were deleted, sessiondb sync --rebuild removes them from the index.`);
}
