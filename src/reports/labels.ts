import type { Filter } from "../filters/filter.ts";
import { inRoots, inTime, isLabel, ofEntry, ofSession, whereClause } from "../filters/where.ts";
import type { Index } from "../store/open.ts";
import { isoOrNull } from "../time/calendar.ts";
import type { LabelSort, Session } from "./answers.ts";

export interface LabelledEntry {
  label: string;
  session: Pick<Session, "id" | "path" | "cwd" | "title">;
  entryId: string;
  /** 1-based line of the entry in the session file; null where the label's target is not in the file. */
  line: number | null;
  /** Of the message; null where the entry is none. */
  role: string | null;
  /** When the label was set, ISO 8601. */
  timestamp: string | null;
  /** What the entry is about, in one line of at most 80 characters; may be empty. */
  preview: string;
}

const LABELS = `SELECT l.label, l.target_id AS entryId, l.timestamp, e.line, e.role, coalesce(e.preview, '') AS preview,
    s.session_id AS id, f.path, s.cwd, s.title
  FROM labels l JOIN sessions s ON s.file_id = l.file_id JOIN files f ON f.id = l.file_id
  LEFT JOIN entries e ON e.key =
    (SELECT max(t.key) FROM entries t WHERE t.file_id = l.file_id AND t.entry_id = l.target_id)`;

export interface LabelOptions {
  filter?: Filter;
  /** Only sessions below these folders. */
  roots?: string[];
  /** Which come first; those set last, unless told. */
  sort?: LabelSort;
  /** How many at most; 0 or absent: all. */
  limit?: number;
}

/** The labels that are in force. */
export function listLabels(index: Index, options: LabelOptions = {}): LabelledEntry[] {
  const { filter = {}, roots, sort = "newest", limit } = options;
  const direction = sort === "newest" ? "DESC" : "ASC";
  const { label, ...ofTarget } = filter;
  const where = whereClause([
    ...inRoots(roots),
    ...ofSession(filter),
    ...ofEntry(ofTarget),
    // Not by the target: a label is one also where what it was given to is not in the file.
    ...(label === undefined ? [] : [isLabel(label)]),
    ...inTime("l.timestamp", filter),
  ]);
  const rows = index.database
    .prepare(`${LABELS} ${where.sql} ORDER BY l.timestamp ${direction}, f.path, l.target_id LIMIT ?`)
    .all(...where.values, limit ? limit : -1) as LabelRow[];
  return rows.map(({ id, path, cwd, title, timestamp, label, ...rest }) => ({
    label,
    session: { id, path, cwd, title },
    ...rest,
    timestamp: isoOrNull(timestamp),
  }));
}

type LabelledSession = LabelledEntry["session"];

interface LabelRow extends Omit<LabelledEntry, "session" | "timestamp">, LabelledSession {
  /** Unix ms. */
  timestamp: number | null;
}
