import { dirname, sep } from "node:path";
import { namesOfPath, namesOnWindows } from "../files/paths.ts";
import { placeOf } from "../files/repository.ts";
import { beyond, insideOf, isWithin } from "../files/session-path.ts";
import type { Database } from "../store/native.ts";
import { prepared } from "../store/statements.ts";
import type { Filter } from "./filter.ts";
import { namesOfProvider } from "./providers.ts";

/** A piece of a WHERE clause and the values of its `?`. */
export interface Condition {
  sql: string;
  values: (string | number)[];
}

/** Conditions as a WHERE clause (empty when there are none) with all its values in order. */
export function whereClause(conditions: Condition[]): Condition {
  const sql =
    conditions.length === 0 ? "" : `WHERE ${conditions.map((part) => `(${part.sql})`).join(" AND ")}`;
  return { sql, values: conditions.flatMap((part) => part.values) };
}

/** Tables as all queries call them: `entries e`, `sessions s`, `files f`. */
const TABLES = { e: /\be\./, s: /\bs\./, f: /\bf\./ };

/**
 * Whether a piece of SQL is about a table, so that a query it becomes part of has to join that. Told by the table's letter
 * before a dot; within a subquery it counts, too, which may join more than is needed, but never less.
 */
export function isUpon(table: keyof typeof TABLES, { sql }: Pick<Condition, "sql">): boolean {
  return TABLES[table].test(sql);
}

/** Meets not all of the conditions. NULL counts as not met: what has no time is not of that time. Empty for none. */
export function notAllOf(conditions: Condition[]): Condition[] {
  if (conditions.length === 0) return [];
  const all = conditions.map(({ sql }) => `(${sql})`).join(" AND ");
  return [{ sql: `(${all}) IS NOT TRUE`, values: conditions.flatMap(({ values }) => values) }];
}

/** Paths that are the folder, with or without a separator at its end, or lie below it. `column` is ours, never the user's. */
function isUnder(column: string, folder: string): Condition {
  const inside = insideOf(folder);
  const itself = inside === sep ? sep : inside.slice(0, -sep.length);
  return {
    sql: `${column} = ? OR (${column} >= ? AND ${column} < ?)`,
    values: [itself, inside, beyond(folder)],
  };
}

/** What a session says that was held there on Windows, or beside it; case is ignored as far as SQLite knows it. */
function isUnderOnWindows(column: string, name: string): Condition {
  return { sql: `instr(lower(replace(${column}, '\\', '/')) || '/', lower(?) || '/') = 1`, values: [name] };
}

/** The project of `sessions s`, as SQL: the working directory where nobody has looked at that yet. */
export const PROJECT = "coalesce((SELECT p.project FROM projects p WHERE p.cwd = s.cwd), s.cwd)";

/**
 * Sessions `s` that were held in a directory or below it, by whichever of its names it is called; and those of the projects it
 * belongs to, or that lie in it, wherever they were held.
 */
export function isOfProject(directory: string): Condition {
  const held = (column: string): Condition => isHeldIn(column, directory);
  const place = isUnder("p.project", placeOf(directory).path);
  return anyOf([
    held("s.cwd"),
    within(
      "s.cwd IN (SELECT p.cwd FROM projects p WHERE ",
      anyOf([
        held("p.project"),
        place,
        within("p.project IN (SELECT q.project FROM projects q WHERE ", held("q.cwd"), ")"),
      ]),
      ")",
    ),
  ]);
}

function within(before: string, { sql, values }: Condition, after: string): Condition {
  return { sql: `${before}${sql}${after}`, values };
}

function anyOf(parts: readonly Condition[]): Condition {
  return { sql: parts.map(({ sql }) => sql).join(" OR "), values: parts.flatMap(({ values }) => values) };
}

/** Directories that are the one or lie below it, by whichever of its names it is called. */
function isHeldIn(column: string, directory: string): Condition {
  return anyOf([
    ...namesOfPath(directory).map((name) => isUnder(column, name)),
    ...namesOnWindows(directory).map((name) => isUnderOnWindows(column, name)),
  ]);
}

/** Files below one of the roots; all files when no roots are given. */
export function inRoots(roots: string[] | undefined): Condition[] {
  if (roots === undefined) return [];
  const parts = roots.map((root) => isUnder("f.path", root));
  if (parts.length === 0) return [{ sql: "0", values: [] }];
  return [
    { sql: parts.map(({ sql }) => `(${sql})`).join(" OR "), values: parts.flatMap((part) => part.values) },
  ];
}

/** Sessions `s` by id, the beginning of an id, or the path of the file. */
export function isSession(name: string): Condition {
  return {
    sql: `s.session_id = ? OR substr(s.session_id, 1, length(?)) = ?
      OR s.file_id IN (SELECT q.id FROM files q WHERE q.path = ? OR q.real_path = ?)`,
    values: [name, name, name, name, name],
  };
}

/** Sessions in the archive, as `isPackedName` tells. */
const IS_ARCHIVED = `s.file_id IN (SELECT q.id FROM files q
  WHERE q.real_path GLOB '*.json*.gz' OR q.real_path GLOB '*.json*.zst')`;

/** What a filter says of a session as such; for queries over `sessions s`. */
export function ofSession(filter: Filter): Condition[] {
  const conditions: Condition[] = [];
  if (filter.project !== undefined) conditions.push(isOfProject(filter.project));
  if (filter.session !== undefined) conditions.push(isSession(filter.session));
  if (filter.origin !== undefined) conditions.push({ sql: "s.origin = ?", values: [filter.origin] });
  if (filter.named === true) conditions.push({ sql: "s.name IS NOT NULL", values: [] });
  if (filter.named === false) conditions.push({ sql: "s.name IS NULL", values: [] });
  if (filter.has === "branch") conditions.push({ sql: "s.branch_count > 1", values: [] });
  if (filter.has === "archived") conditions.push({ sql: IS_ARCHIVED, values: [] });
  return conditions;
}

/** By whichever of its names. */
export function isOfProvider(column: string, asked: string): Condition {
  const names = namesOfProvider(asked);
  return { sql: `${column} IN (${names.map(() => "?").join(", ")})`, values: names };
}

/** What a filter says of an entry, time aside; for queries over `entries e`. */
export function ofEntry(filter: Filter): Condition[] {
  const conditions = ofKind(filter);
  if (filter.tool !== undefined) conditions.push(usesTool(filter.tool));
  if (filter.label !== undefined) conditions.push(carriesLabel(filter.label));
  return conditions;
}

/** What an entry has in common with many others is asked of its kind, because there are only some dozens of kinds. */
function ofKind(filter: Filter): Condition[] {
  const conditions: Condition[] = [];
  if (filter.model !== undefined) conditions.push(contains("k.model", filter.model));
  if (filter.provider !== undefined) conditions.push(isOfProvider("k.provider", filter.provider));
  if (filter.role !== undefined) conditions.push({ sql: "k.role = ?", values: [filter.role] });
  if (filter.type !== undefined) conditions.push({ sql: "k.type = ?", values: [filter.type] });
  if (filter.has === "error") conditions.push({ sql: "k.is_error = 1", values: [] });
  if (filter.has === "image") conditions.push({ sql: "k.has_image = 1", values: [] });
  if (filter.has === "compaction") conditions.push({ sql: "k.type = 'compaction'", values: [] });
  return conditions.length === 0 ? [] : [isOfKind(whereClause(conditions))];
}

function isOfKind({ sql, values }: Condition): Condition {
  return { sql: `e.kind IN (SELECT k.id FROM entry_kinds k ${sql})`, values };
}

/** `since` (inclusive) and `until` (exclusive) for a column of Unix ms. */
export function inTime(column: string, filter: Filter): Condition[] {
  const conditions: Condition[] = [];
  if (filter.since !== undefined) conditions.push({ sql: `${column} >= ?`, values: [filter.since] });
  if (filter.until !== undefined) conditions.push({ sql: `${column} < ?`, values: [filter.until] });
  return conditions;
}

/** Case ignored; no pattern characters. */
export function contains(column: string, part: string): Condition {
  // SQLite's own function is many times quicker, and knows the case of A to Z only.
  const fold = ASCII.test(part) ? "lower" : "casefold";
  return { sql: `instr(${fold}(${column}), ?) > 0`, values: [part.toLowerCase()] };
}

const ASCII = /^[ -~]*$/;

function usesTool(tool: string): Condition {
  const isResult = isOfKind({ sql: "WHERE k.tool_name = ?", values: [tool] });
  // Calls are in messages of assistants; those that a tool made itself are noted in its result.
  const mayCall = isOfKind({ sql: "WHERE k.role IN ('assistant', 'toolResult')", values: [] });
  return {
    sql: `${isResult.sql} OR ${mayCall.sql} AND EXISTS (SELECT 1 FROM tool_calls t
      WHERE t.call_key = e.key AND t.name = ?)`,
    values: [...isResult.values, tool],
  };
}

function carriesLabel(label: string): Condition {
  const { sql, values } = isLabel(label);
  return {
    sql: `EXISTS (SELECT 1 FROM labels l WHERE l.file_id = e.file_id AND l.target_id = e.entry_id AND ${sql})`,
    values,
  };
}

/** Case ignored; for queries over `labels l`. */
export function isLabel(label: string): Condition {
  return { sql: "casefold(l.label) = ?", values: [label.toLowerCase()] };
}

const NEXT = "SELECT path FROM files WHERE path >= ? ORDER BY path LIMIT 1";
const AFTER = "SELECT path FROM files WHERE path > ? ORDER BY path LIMIT 1";

/**
 * Whether every file in the index is one of the roots or lies below one. Usually that is so, and then hits need not be
 * checked one by one. In the order of paths, files below one root stand together and are passed over in one step.
 */
export function areAllWithin(reader: Database, roots: string[]): boolean {
  const next = prepared(reader, NEXT).pluck();
  const after = prepared(reader, AFTER).pluck();
  let path = next.get("");
  while (typeof path === "string") {
    const root = roots.find((each) => isWithin(each, String(path)));
    if (root === undefined) return false;
    path = path === root ? after.get(root) : next.get(beyond(root));
  }
  return true;
}

/** Sessions in the index that are not below the roots, and the folder that holds all of them; null for none. */
export function outsideOf(reader: Database, roots: string[]): { sessions: number; folder: string } | null {
  const where = whereClause(inRoots(roots).map(({ sql, values }) => ({ sql: `NOT (${sql})`, values })));
  const found = reader.prepare(`${OUTSIDE} ${where.sql}`).get(...where.values) as OutsideRow;
  if (found.first === null || found.last === null) return null;
  return { sessions: found.sessions, folder: commonFolder(found.first, found.last) };
}

const OUTSIDE = `SELECT count(*) AS sessions, min(f.path) AS first, max(f.path) AS last
  FROM sessions s JOIN files f ON f.id = s.file_id`;

interface OutsideRow {
  sessions: number;
  first: string | null;
  last: string | null;
}

/** The folder that holds all paths from the first to the last, in the order of paths: all of them begin as those two do. */
function commonFolder(first: string, last: string): string {
  let folder = dirname(first);
  while (!last.startsWith(insideOf(folder)) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** Files below the roots; no condition when there are no others: asking that once is cheaper than checking each row. */
export function inRootsIfNeeded(reader: Database, roots: string[] | undefined): Condition[] {
  return roots === undefined || areAllWithin(reader, roots) ? [] : inRoots(roots);
}
