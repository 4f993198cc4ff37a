import { createHash } from "node:crypto";
import { SessionDbError } from "../errors.ts";
import { tildePath } from "../files/paths.ts";
import type { Filter } from "../filters/filter.ts";
import { resolveSession } from "../filters/resolve-session.ts";
import { Cleaner } from "../render/exported-session.ts";
import type { Session } from "../reports/answers.ts";
import { listSessions, readListedSession, readSubagents } from "../reports/sessions.ts";
import type { Index } from "../store/open.ts";
import { inOneState } from "../store/statements.ts";
import { loadCursor } from "../store/tables/cursors.ts";
import type { SessionRef } from "../store/tables/session-ref.ts";
import { factsOf } from "./facts.ts";
import { PAGE_STYLE } from "./page-style.ts";
import type { ExportOptions } from "./read-exported.ts";

/** A session that gets a page of its own, and those of its sub-agents. */
export interface PlannedPage {
  /** Of the session. */
  path: string;
  /** The page's name in its folder. */
  file: string;
  subagents: PlannedPage[];
}

/** Sessions read at once: each may come with a long first message. */
const AT_ONCE = 500;

/** The sessions that a filter leaves, as a list has them, each with all of its sub-agents. */
export function planPages(
  index: Index,
  { filter, roots }: { filter: Filter; roots: string[] },
): PlannedPage[] {
  const families = inOneState(index.database, () => {
    const found: Pick<Session, "id" | "path">[][] = [];
    for (let offset = 0, total = 1; offset < total; offset += AT_ONCE) {
      const list = listSessions(index, { filter, roots, limit: AT_ONCE, offset });
      total = list.total;
      for (const session of list.sessions) {
        const isAlone = session.subagents.sessions === 0 || filter.origin === "subagent";
        const subagents = isAlone ? [] : subagentsOf(index, session, roots);
        const family = [session, ...subagents];
        found.push(family.map(({ id, path }) => ({ id, path })));
      }
    }
    return found;
  });
  const name = namesFor(families.flat());
  return families.flatMap((family) => {
    const [own, ...subagents] = family.map((each) => ({ path: each.path, file: name(each), subagents: [] }));
    return own === undefined ? [] : [{ ...own, subagents }];
  });
}

function subagentsOf(index: Index, { path }: Session, roots: string[]): Session[] {
  return readSubagents(index, resolveSession(index, path).fileId, roots);
}

/** An id that is a file's name everywhere, and no other page's. */
const PLAIN_NAME = /^(?!index|session-|(?:con|prn|aux|nul|com\d|lpt\d)$)[a-z0-9][\w-]{0,99}$/i;

/** Names that stay the same whatever else is in the folder: the ids, with something of the path where these say too little. */
function namesFor(sessions: readonly Pick<Session, "id" | "path">[]) {
  const counts = new Map<string, number>();
  for (const { id } of sessions) counts.set(id.toLowerCase(), (counts.get(id.toLowerCase()) ?? 0) + 1);
  return ({ id, path }: Pick<Session, "id" | "path">): string => {
    const ofPath = digestOf(path).slice(0, 12);
    if (!PLAIN_NAME.test(id)) return `session-${ofPath}.html`;
    return counts.get(id.toLowerCase()) === 1 ? `${id}.html` : `${id}-${ofPath}.html`;
  };
}

/** A session as its page is to show it. */
export interface PageSubject {
  ref: SessionRef;
  session: Session;
  /** Changes whenever the page would. */
  stamp: string;
}

/** Undefined where the session is gone by now. */
export function readPageSubject(
  index: Index,
  path: string,
  options: ExportOptions & { roots: string[]; version: string },
): PageSubject | undefined {
  return inOneState(index.database, () => {
    const ref = refOf(index, path);
    if (ref === undefined) return undefined;
    const session = readListedSession(index, ref.fileId, options.roots);
    const cursor = loadCursor(index.database, ref.realPath);
    if (session === undefined || cursor === null) return undefined;
    const { timezone, reveal, home, version } = options;
    const head = [titleOf(session), tildePath(session.cwd, home), factsOf({ session, timezone })];
    const { offset, provisionalLength, fingerprint } = cursor;
    const stamp = digestOf(
      JSON.stringify([version, PAGE_STYLE, head, timezone, reveal, offset, provisionalLength, fingerprint]),
    );
    return { ref, session, stamp };
  });
}

function refOf(index: Index, path: string): SessionRef | undefined {
  try {
    return resolveSession(index, path);
  } catch (error) {
    if (error instanceof SessionDbError && error.code === "not_found") return undefined;
    throw error;
  }
}

function titleOf(session: Session): string {
  return new Cleaner({ reveal: true }).title(session);
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

/** What says of a page, near its beginning, that it is one of a folder's, and what it was made from. */
export function stampLine(stamp: string): string {
  return `<meta name="sessiondb-page" content="${stamp}">\n`;
}

/** As near the beginning of a page as its stamp is, in bytes. */
export const STAMP_WITHIN = 1024;

/** The stamp in the beginning of a file; null where it is no page of a folder. */
export function stampIn(beginning: string): string | null {
  return /<meta name="sessiondb-page" content="(\w+)">/.exec(beginning)?.[1] ?? null;
}
