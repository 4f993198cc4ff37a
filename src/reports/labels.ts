import type { Filter } from "../filters/filter.ts";
import { inRoots, inTime, isLabel, ofEntry, ofSession, whereClause } from "../filters/where.ts";
import { groupedBy } from "../runtime/collections.ts";
import type { Index } from "../store/open.ts";
import { compareRanks, type Rank } from "../store/tables/usage-rows.ts";
import { isoOrNull } from "../time/calendar.ts";
import type { LabelSort, Session } from "./answers.ts";

interface LabelPlace {
  session: Pick<Session, "id" | "path" | "cwd" | "title">;
  /** 1-based line of the entry in the session file; null where the label's target is not in the file. */
  line: number | null;
}

export interface LabelledEntry extends LabelPlace {
  label: string;
  entryId: string;
  /** Of the message; null where the entry is none. */
  role: string | null;
  /** When the label was set, ISO 8601. */
  timestamp: string | null;
  /** What the entry is about, in one line of at most 80 characters; may be empty. */
  preview: string;
  /** Where forks have copied entry and label to: as a hit, the original is the one in the session created first. */
  copies: LabelPlace[];
}

const LABELS = `SELECT l.label, l.target_id AS entryId, l.timestamp, e.line, e.role, coalesce(e.preview, '') AS preview,
    s.session_id AS id, f.path, s.cwd, s.title, s.created_at AS createdAt, l.label_key AS entryKey
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
  const { filter = {}, roots, sort = "newest", limit = 0 } = options;
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
    .prepare(`${LABELS} ${where.sql} ORDER BY l.timestamp ${direction}, f.path, l.target_id`)
    .all(...where.values) as LabelRow[];
  const labelled = [...groupedBy(rows, copyNameOf).values()];
  return (limit > 0 ? labelled.slice(0, limit) : labelled).map(toLabelledEntry);
}

/** A name that copies in forks have in common: they keep the time at which the label was set. */
function copyNameOf({ entryId, label, timestamp, entryKey }: LabelRow): string {
  return JSON.stringify([entryId, label, timestamp ?? { entryKey }]);
}

function toLabelledEntry(group: LabelRow[]): LabelledEntry {
  const [original, ...copies] = group.toSorted(compareRanks) as [LabelRow, ...LabelRow[]];
  const { label, entryId, timestamp, role, preview } = original;
  return {
    label,
    session: placeOf(original).session,
    entryId,
    line: original.line,
    role,
    preview,
    timestamp: isoOrNull(timestamp),
    copies: copies.map(placeOf),
  };
}

function placeOf({ id, path, cwd, title, line }: LabelRow): LabelPlace {
  return { session: { id, path, cwd, title }, line };
}

interface LabelRow
  extends Omit<LabelledEntry, "session" | "timestamp" | "copies">,
    Pick<Session, "id" | "cwd" | "title">,
    Rank {
  /** Unix ms. */
  timestamp: number | null;
}
