import { stringOrNull } from "../../format/json.ts";
import { originOf } from "../../format/origin.ts";
import { titleOf } from "../../text/preview.ts";
import type { Database, Statement } from "../native.ts";
import type { sessions } from "../schema.ts";

/** A session's row while entries are added to it: everything about a session that is a fold over its entries. */
export type SessionState = typeof sessions.$inferSelect;

/** pi's rule: the last thing a person or model said, else the header's time, else the file's. */
export function modifiedAt(
  state: Pick<SessionState, "lastActivityAt" | "createdAt">,
  mtimeMs: number,
): number {
  return state.lastActivityAt || (state.createdAt ?? Math.round(mtimeMs));
}

/** The column of each property of a session's row. */
const COLUMNS: Record<keyof SessionState, string> = {
  fileId: "file_id",
  sessionId: "session_id",
  cwd: "cwd",
  version: "version",
  createdAt: "created_at",
  modifiedAt: "modified_at",
  lastActivityAt: "last_activity_at",
  name: "name",
  title: "title",
  firstMessageKey: "first_message_key",
  messageCount: "message_count",
  entryCount: "entry_count",
  branchCount: "branch_count",
  leafKey: "leaf_key",
  leafId: "leaf_id",
  walkByText: "walk_by_text",
  irregular: "irregular",
  parentSession: "parent_session",
  origin: "origin",
  lastProvider: "last_provider",
  lastModel: "last_model",
  models: "models",
  input: "input",
  output: "output",
  cacheRead: "cache_read",
  cacheWrite: "cache_write",
  totalTokens: "total_tokens",
  cost: "cost",
  requests: "requests",
  inheritedInput: "inherited_input",
  inheritedOutput: "inherited_output",
  inheritedCacheRead: "inherited_cache_read",
  inheritedCacheWrite: "inherited_cache_write",
  inheritedTotalTokens: "inherited_total_tokens",
  inheritedCost: "inherited_cost",
  inheritedRequests: "inherited_requests",
};

const PAIRS = Object.entries(COLUMNS);
const NAMES = Object.keys(COLUMNS) as (keyof SessionState)[];
const LOAD = `SELECT ${PAIRS.map(([name, column]) => `${column} AS ${name}`)} FROM sessions WHERE file_id = ?`;
const SAVE = `INSERT INTO sessions (${Object.values(COLUMNS)}) VALUES (${NAMES.map(() => "?")})
  ON CONFLICT (file_id) DO UPDATE SET ${PAIRS.slice(1).map(([, column]) => `${column} = excluded.${column}`)}`;

/** An id is a leaf when no other entry names it as its parent; an id that two entries have counts once. */
const COUNT_LEAVES_BY_TEXT = `SELECT count(DISTINCT entry_id) FROM entries
  WHERE file_id = @fileId AND entry_id IS NOT NULL AND entry_id NOT IN (
    SELECT parent_id FROM entries
    WHERE file_id = @fileId AND parent_id IS NOT NULL AND parent_id IS NOT entry_id)`;

/** Loads and saves rows of `sessions`. */
export class SessionStore {
  readonly #load: Statement;
  readonly #save: Statement;
  readonly #firstMessage: Statement;
  readonly #countLeaves: Statement;
  readonly #setPlace: Statement;

  constructor(database: Database) {
    this.#load = database.prepare(LOAD);
    this.#save = database.prepare(SAVE);
    this.#firstMessage = database.prepare("SELECT text FROM message_rows WHERE entry_key = ?").pluck();
    this.#countLeaves = database.prepare(COUNT_LEAVES_BY_TEXT).pluck();
    this.#setPlace = database.prepare("UPDATE sessions SET modified_at = ?, origin = ? WHERE file_id = ?");
  }

  load(fileId: number): SessionState | null {
    return (this.#load.get(fileId) as SessionState | undefined) ?? null;
  }

  /** `mtimeMs` dates a session that states no time at all. */
  save(state: SessionState, mtimeMs: number): void {
    state.title = titleOf(state.name, this.#firstMessageOf(state));
    state.modifiedAt = modifiedAt(state, mtimeMs);
    // By position: looking up so many names would take longer than writing the row.
    this.#save.run(NAMES.map((name) => state[name]));
  }

  /** Ids that no other entry names as its parent. */
  countLeaves(fileId: number): number {
    return Number(this.#countLeaves.get({ fileId }));
  }

  /** The file's path or time changed, its content did not. */
  place(fileId: number, path: string, mtimeMs: number): void {
    const state = this.load(fileId);
    if (state === null) return;
    this.#setPlace.run(modifiedAt(state, mtimeMs), originOf(path, state.parentSession), fileId);
  }

  #firstMessageOf(state: SessionState): string | null {
    if (state.name !== null || state.firstMessageKey === null) return null;
    return stringOrNull(this.#firstMessage.get(state.firstMessageKey));
  }
}

/** One session of the index, and its file. */
export interface SessionRef {
  fileId: number;
  id: string;
  /** As reached through its root. */
  path: string;
  /** Without symbolic links. */
  realPath: string;
  title: string;
}
