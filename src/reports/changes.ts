import { SessionDbError } from "../errors.ts";
import { type Followed, hasFollowed, lastRemoval, lotOf } from "../search/feed/position.ts";
import type { Hit } from "../search/hits/hit.ts";
import { HitSessions } from "../search/hits/hit-sessions.ts";
import type { Database } from "../store/native.ts";
import type { Index } from "../store/open.ts";
import { indexIdOf, inOneState, prepared } from "../store/statements.ts";
import { lastKeyOf } from "../store/tables/entry-rows.ts";
import { isoOrNull } from "../time/calendar.ts";

/*
 * What has changed in the rows since some state of them. Keys of entries only grow, in the order in which they were committed, and
 * removals have numbers without a gap: a revision is how far somebody has followed both, as the full text does.
 */

/** An entry that is in the index now. */
interface EntryChange
  extends Pick<Hit, "handle" | "line" | "entryId" | "parentId" | "type" | "role" | "tool" | "timestamp"> {
  kind: "entry";
  /** Tells it from all others of this index; grows from entry to entry. */
  key: number;
  /** Id of the session. */
  session: string;
  path: string;
  revision: string;
}

/** Entries that are gone: their keys, both ends included. */
interface RemovalChange {
  kind: "removed";
  firstKey: number;
  lastKey: number;
  revision: string;
}

/** The index is another one, or was put back: whatever was told before is to be forgotten, and everything follows. */
interface RestartChange {
  kind: "restart";
  revision: string;
}

export type Change = EntryChange | RemovalChange | RestartChange;

export interface Changes {
  changes: Change[];
  /** The revision that they lead to; the one that was asked about where there are none. */
  revision: string;
  /** Whether there are no more. */
  isComplete: boolean;
}

const REMOVED = `SELECT seq, first_key AS firstKey, last_key AS lastKey FROM removed_keys
  WHERE seq > ? ORDER BY seq LIMIT ?`;

const ENTRIES = `SELECT key, file_id AS fileId, line, entry_id AS entryId, parent_id AS parentId, type, role,
    tool_name AS tool, timestamp FROM entries WHERE key > ? ORDER BY key LIMIT ?`;

type EntryRow = Pick<EntryChange, "key" | "line" | "entryId" | "parentId" | "type" | "role" | "tool"> & {
  fileId: number;
  timestamp: number | null;
};

/**
 * The changes since a revision, from the beginning without one: `limit` of them or a few more.
 *
 * @throws SessionDbError `usage` for a text that is no revision; SQLite's errors
 */
export function readChanges(index: Index, since: string | null, limit: number): Changes {
  const asked = since === null ? null : parseRevision(since);
  return inOneState(index.database, () => changesSince(index.database, asked, limit));
}

/** The revision that the rows have now. */
export function currentRevision({ database }: Index): string {
  return inOneState(database, () => {
    const watermark = lastKeyOf(database);
    return formatRevision({ ...beginningOf(database), watermark, lot: lotOf(database, watermark) });
  });
}

function changesSince(database: Database, asked: Followed | null, limit: number): Changes {
  const changes: Change[] = [];
  let at = asked ?? beginningOf(database);
  if (asked !== null && !hasFollowed(database, asked)) {
    at = beginningOf(database);
    changes.push({ kind: "restart", revision: formatRevision(at) });
  }
  const removed = prepared(database, REMOVED).all(at.removedSeq, limit) as (RemovalChange & {
    seq: number;
  })[];
  for (const { seq, firstKey, lastKey } of removed) {
    at = { ...at, removedSeq: seq };
    changes.push({ kind: "removed", firstKey, lastKey, revision: formatRevision(at) });
  }
  if (removed.length === limit) return { changes, revision: formatRevision(at), isComplete: false };
  const rows = prepared(database, ENTRIES).all(at.watermark, limit) as EntryRow[];
  const sessions = new HitSessions();
  sessions.load(
    database,
    rows.map(({ fileId }) => fileId),
  );
  for (const row of rows) {
    at = { ...at, watermark: row.key, lot: lotOf(database, row.key) };
    changes.push(toChange(row, sessions, formatRevision(at)));
  }
  return { changes, revision: formatRevision(at), isComplete: rows.length < limit };
}

/** Before the first entry. What was removed before was never told. */
function beginningOf(database: Database): Followed {
  return { indexId: indexIdOf(database), watermark: 0, lot: "", removedSeq: lastRemoval(database) };
}

function toChange(
  { fileId, timestamp, ...row }: EntryRow,
  sessions: HitSessions,
  revision: string,
): EntryChange {
  const { id = "", path = "", shortName = "" } = sessions.get(fileId) ?? {};
  const handle = `${shortName}:${row.line}`;
  return { kind: "entry", ...row, session: id, path, handle, timestamp: isoOrNull(timestamp), revision };
}

function formatRevision({ indexId, watermark, lot, removedSeq }: Followed): string {
  return [indexId, watermark, watermark === 0 ? "" : lot.replace(":", "_"), removedSeq].join(".");
}

function parseRevision(text: string): Followed {
  const found = /^(?<indexId>[\w-]+)\.(?<watermark>\d+)\.(?<lot>(?:\d+_-?\d+)?)\.(?<removedSeq>\d+)$/.exec(
    text,
  )?.groups;
  if (found === undefined)
    throw new SessionDbError("usage", `"${text}" is no revision`, {
      hint: "Take one from a line of sessiondb feed.",
    });
  const { indexId = "", watermark, lot = "", removedSeq } = found;
  return {
    indexId,
    watermark: Number(watermark),
    lot: lot.replace("_", ":"),
    removedSeq: Number(removedSeq),
  };
}
