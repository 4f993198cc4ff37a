import { LATEST } from "../../filters/resolve-session.ts";
import { isValidSessionId, shortId } from "../../format/ids.ts";
import type { Database } from "../../store/native.ts";
import { prepared } from "../../store/statements.ts";
import { maskTitle } from "../../text/secrets.ts";

/** What is shown of the session of a hit, and what is needed to read its entries. */
export interface HitSession {
  id: string;
  /** What names the session in a handle: the beginning of its id, or its path. */
  shortName: string;
  path: string;
  realPath: string;
  cwd: string;
  title: string;
  /** The title without its secrets. */
  maskedTitle: string;
  /** Format version. */
  version: number;
  /** Unix ms. */
  createdAt: number | null;
  branchCount: number;
  leafKey: number | null;
  /** 1: branches are walked by ids. */
  walkByText: number;
}

/** Sessions kept at most: half a kilobyte each. */
const KEPT = 4096;

/** How many sessions one query reads. A list of parameters takes three quarters of the time of a JSON array. */
const AT_ONCE = 20;

/** In the order of `toSession`. */
const SESSIONS = `SELECT s.file_id, s.session_id, s.cwd, s.title, s.version, s.created_at, s.branch_count,
    s.leaf_key, s.walk_by_text, f.path, nullif(f.real_path, f.path),
    (SELECT max(o.session_id) FROM sessions o WHERE o.session_id < s.session_id),
    (SELECT min(o.session_id) FROM sessions o WHERE o.session_id > s.session_id),
    (SELECT count(*) FROM sessions o WHERE o.session_id = s.session_id)
  FROM sessions s CROSS JOIN files f ON f.id = s.file_id
  WHERE s.file_id IN (${Array(AT_ONCE).fill("?").join(", ")})`;

/**
 * The sessions of hits by their files, each read once; valid for one state of the index. A search at every letter that is
 * typed meets the same sessions again and again, and reading them takes a sixth of a search.
 */
export class HitSessions {
  readonly #known = new Map<number, HitSession>();

  /** Reads the sessions that are not known yet. After that `get` knows all of these files. */
  load(connection: Database, fileIds: Iterable<number>): void {
    if (this.#known.size > KEPT) this.#known.clear();
    const unknown = [...new Set(fileIds)].filter((fileId) => !this.#known.has(fileId));
    if (unknown.length === 0) return;
    const statement = prepared(connection, SESSIONS).raw();
    for (let at = 0; at < unknown.length; at += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, (_, n) => unknown[at + n] ?? null);
      for (const row of statement.all(some) as unknown[][]) this.#known.set(row[0] as number, toSession(row));
    }
  }

  get(fileId: number): HitSession | undefined {
    return this.#known.get(fileId);
  }
}

function toSession(row: readonly unknown[]): HitSession {
  const id = row[1] as string;
  const title = row[3] as string;
  const path = row[9] as string;
  const neighbours = [row[11], row[12]] as (string | null)[];
  // An id may be that of several files, or anything at all.
  const isName = row[13] === 1 && isValidSessionId(id) && id !== LATEST;
  return {
    id,
    shortName: isName ? shortId(id, neighbours) : path,
    cwd: row[2] as string,
    title,
    maskedTitle: maskTitle(title),
    version: row[4] as number,
    createdAt: row[5] as number | null,
    branchCount: row[6] as number,
    leafKey: row[7] as number | null,
    walkByText: row[8] as number,
    path,
    realPath: (row[10] ?? path) as string,
  };
}
