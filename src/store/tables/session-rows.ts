import { originOf } from "../../files/session-path.ts";
import { stringOrNull } from "../../format/json.ts";
import { titleOf } from "../../text/preview.ts";
import type { Database, Statement } from "../native.ts";
import type { Rows } from "./columns.ts";
import { propertiesOf, RowInsert, selectList, setList } from "./row-sql.ts";

/** A session's row while entries are added to it: everything about a session that is a fold over its entries. */
export type SessionState = Rows["sessions"];

/** pi's rule: the last thing a person or model said, else the header's time, else the file's. */
function modifiedAt(state: Pick<SessionState, "lastActivityAt" | "createdAt">, mtimeMs: number): number {
  return state.lastActivityAt || (state.createdAt ?? Math.round(mtimeMs));
}

const WHOLE = selectList("sessions", propertiesOf("sessions"));
const LOAD = `SELECT ${WHOLE} FROM sessions WHERE file_id = ?`;
const OTHERS = propertiesOf("sessions", ["fileId"]);
const REPLACE = `ON CONFLICT (file_id) DO UPDATE SET ${setList("sessions", OTHERS, (column) => `excluded.${column}`)}`;

/** An id is a leaf when no other entry names it as its parent; an id that two entries have counts once. */
const COUNT_LEAVES_BY_TEXT = `SELECT count(DISTINCT entry_id) FROM entries
  WHERE file_id = @fileId AND entry_id IS NOT NULL AND entry_id NOT IN (
    SELECT parent_id FROM entries
    WHERE file_id = @fileId AND parent_id IS NOT NULL AND parent_id IS NOT entry_id)`;

/** Loads and saves rows of `sessions`. */
export class SessionTable {
  readonly #load: Statement;
  readonly #save: RowInsert<"sessions">;
  readonly #firstMessage: Statement;
  readonly #countLeaves: Statement;
  readonly #setPlace: Statement;

  constructor(database: Database) {
    this.#load = database.prepare(LOAD);
    this.#save = new RowInsert(database, "sessions", { onConflict: REPLACE });
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
    this.#save.run(state);
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
