import { isWithinAny } from "../files/session-path.ts";
import { PROJECT } from "../filters/where.ts";
import type { Index } from "../store/open.ts";
import { inOneState } from "../store/statements.ts";
import { maskTitle } from "../text/secrets.ts";
import { toIso } from "../time/calendar.ts";

/** Who has to do something before a session goes on; `nobody` where its last request has failed or was broken off. */
type WaitsFor = "model" | "tool" | "you" | "nobody";

/** A session that is being written, or was until just now. */
export interface ActiveSession {
  id: string;
  path: string;
  /** Without secrets. */
  title: string;
  project: string;
  /** Of a sub-agent; null for a session of a person. */
  agent: string | null;
  /** The path of the session of a person that it belongs to; its own where it is one. */
  rootPath: string;
  waitsFor: WaitsFor;
  /** The tool that runs, else the one that was called last; null without any. */
  tool: string | null;
  model: string | null;
  /** What it has spent itself, copies of others left out, US dollars. */
  cost: number;
  totalTokens: number;
  /** ISO 8601. */
  modifiedAt: string;
}

const SESSIONS = `SELECT s.file_id AS fileId, s.session_id AS id, f.path, s.title, ${PROJECT} AS project, s.agent,
    s.root_file_id AS rootFileId, (SELECT r.path FROM files r WHERE r.id = s.root_file_id) AS rootPath, s.last_model AS model,
    s.cost - s.inherited_cost AS cost, s.total_tokens - s.inherited_total_tokens AS totalTokens, s.modified_at AS modifiedAt
  FROM sessions s JOIN files f ON f.id = s.file_id WHERE s.modified_at >= ? ORDER BY s.modified_at DESC, f.path`;

/** The last entry in which somebody did something: settings, names and labels do not count. */
const LAST = `SELECT e.role, (SELECT k.stop_reason FROM usage_rows u JOIN usage_kinds k ON k.id = u.kind WHERE u.entry_key = e.key) AS stop
  FROM entries e WHERE e.file_id = ? AND e.role IS NOT NULL ORDER BY e.key DESC LIMIT 1`;

const OPEN_CALL =
  "SELECT name FROM tool_calls WHERE file_id = ? AND result_key IS NULL ORDER BY key DESC LIMIT 1";
const LAST_CALL = "SELECT name FROM tool_calls WHERE file_id = ? ORDER BY key DESC LIMIT 1";

interface Row extends Omit<ActiveSession, "waitsFor" | "tool" | "modifiedAt"> {
  fileId: number;
  rootFileId: number;
  /** Unix ms. */
  modifiedAt: number;
}

/** Sessions that were written since a time (Unix ms), each followed by those of its sub-agents; the one that was written last first. */
export function activeSessions(
  index: Index,
  { since, roots }: { since: number; roots?: string[] },
): ActiveSession[] {
  return inOneState(index.database, () => {
    const all = index.database.prepare(SESSIONS).all(since) as Row[];
    const rows = roots === undefined ? all : all.filter(({ path }) => isWithinAny(roots, path));
    return familiesTogether(rows).map((row) => toActive(index, row));
  });
}

function familiesTogether(rows: readonly Row[]): Row[] {
  const roots = [...new Set(rows.map(({ rootFileId }) => rootFileId))];
  return roots.flatMap((root) => {
    const family = rows.filter(({ rootFileId }) => rootFileId === root);
    return [
      ...family.filter(({ fileId }) => fileId === root),
      ...family.filter(({ fileId }) => fileId !== root),
    ];
  });
}

function toActive(
  { database }: Index,
  { fileId, rootFileId: _root, modifiedAt, title, ...row }: Row,
): ActiveSession {
  const last = database.prepare(LAST).get(fileId) as { role: string; stop: string | null } | undefined;
  const open = database.prepare(OPEN_CALL).pluck().get(fileId) as string | undefined;
  const called = open ?? (database.prepare(LAST_CALL).pluck().get(fileId) as string | undefined);
  const waitsFor = waitedFor(last, open !== undefined);
  return { ...row, title: maskTitle(title), waitsFor, tool: called ?? null, modifiedAt: toIso(modifiedAt) };
}

function waitedFor(last: { role: string; stop: string | null } | undefined, hasOpenCall: boolean): WaitsFor {
  if (last === undefined || last.role === "bashExecution") return "you";
  if (last.role !== "assistant") return "model";
  if (last.stop === "error" || last.stop === "aborted") return "nobody";
  // A call that nobody has answered, of a message that is not the last, was given up.
  return hasOpenCall ? "tool" : "you";
}
