import { lstatSync } from "node:fs";
import { packedFileOf } from "../files/archive-place.ts";
import { familyFolder, familyOwner, isWithin } from "../files/session-path.ts";
import type { Session } from "../reports/answers.ts";
import { readListedSession, readSubagents } from "../reports/sessions.ts";
import type { Index } from "../store/open.ts";

/** A session that is to be deleted, and what belongs to it. */
export interface Chosen {
  session: Session;
  /** Packed files of it and of its sub-agents' sessions, by their paths, where they are archived. */
  packed: Map<string, string>;
  /** Sessions of its sub-agents, wherever they lie. */
  subagents: Session[];
  /** The folder in which its sub-agents have written, if there is one. */
  folder: string | null;
}

function folderOf({ path }: Session): string | null {
  const folder = familyFolder(path);
  const stat = familyOwner(folder) !== path ? undefined : lstatSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() ? folder : null;
}

/** A session with what belongs to it; null where it is gone. */
export function chosenSession(index: Index, fileId: number, roots: string[] | undefined): Chosen | null {
  const session = readListedSession(index, fileId, roots);
  if (session === undefined) return null;
  const subagents = readSubagents(index, fileId, roots);
  const packed = [session, ...subagents].flatMap(({ archived, path }): [string, string][] => {
    const file = archived ? packedFileOf(path, roots ?? []) : null;
    return file === null ? [] : [[path, file]];
  });
  return { session, packed: new Map(packed), subagents, folder: folderOf(session) };
}

/** Something that is moved to the trash, and the sessions that are gone with it. */
export interface Removal {
  /** The session file, or the packed one of an archived session. */
  path: string;
  sessions: Session[];
}

/** Files first, then folders with all that is left in them. */
export function removalsOf(chosen: readonly Chosen[], family: boolean): Removal[] {
  const packed = new Map(chosen.flatMap((each) => [...each.packed]));
  return pathsOf(chosen, family).map(([path, sessions]) => ({ path: packed.get(path) ?? path, sessions }));
}

function pathsOf(chosen: readonly Chosen[], family: boolean): [path: string, sessions: Session[]][] {
  const files = new Map(chosen.map(({ session }) => [session.path, [session]]));
  if (!family) return [...files];
  const folders = [...new Set(chosen.flatMap(({ folder }) => folder ?? []))];
  const outermost = folders.filter(
    (folder) => !folders.some((other) => other !== folder && isWithin(other, folder)),
  );
  const held = new Map(outermost.map((folder): [string, Session[]] => [folder, []]));
  for (const session of chosen.flatMap(({ subagents }) => subagents)) {
    const folder = session.archived ? undefined : outermost.find((each) => isWithin(each, session.path));
    if (folder === undefined) files.set(session.path, [session]);
    else if (!files.has(session.path)) held.get(folder)?.push(session);
  }
  return [...files, ...held];
}
