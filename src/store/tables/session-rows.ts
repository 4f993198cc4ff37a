import type { Sums } from "../../format/usage.ts";
import { MESSAGES_LOOKED_AT, titleOf } from "../../text/title.ts";
import type { Database, Statement } from "../native.ts";
import type { Rows } from "./columns.ts";
import { propertiesOf, RowInsert, selectList, setList } from "./row-sql.ts";

/** A session's row while entries are added to it: everything about a session that is a fold over its entries. */
export type SessionState = Rows["sessions"];

/** The title of a session that has got a name, or another message of its user, since the row was saved last. */
export const TO_BE_MADE = "";

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

/** What the user has said, from the first message on. */
const SAID = `SELECT m.text FROM entry_rows e JOIN entry_kinds k ON k.id = e.kind JOIN message_rows m ON m.entry_key = e.key
  WHERE e.key BETWEEN @firstMessageKey AND @leafKey AND +e.file_id = @fileId AND k.role = 'user'
  ORDER BY e.key LIMIT ${MESSAGES_LOOKED_AT}`;

const SAVE_SUMS = `UPDATE sessions SET input = @input, output = @output, cache_read = @cacheRead,
  cache_write = @cacheWrite, total_tokens = @totalTokens, cost = @cost, requests = @requests WHERE file_id = ?`;

const SAVE_INHERITED = `UPDATE sessions SET inherited_input = @input, inherited_output = @output,
  inherited_cache_read = @cacheRead, inherited_cache_write = @cacheWrite, inherited_total_tokens = @totalTokens,
  inherited_cost = @cost, inherited_requests = @requests WHERE file_id = ?`;

/** Loads and saves rows of `sessions`. */
export class SessionTable {
  readonly #load: Statement;
  readonly #save: RowInsert<"sessions">;
  readonly #firstMessage: Statement;
  readonly #said: Statement;
  readonly #countLeaves: Statement;
  readonly #setModified: Statement;
  readonly #saveSums: Statement;
  readonly #saveInherited: Statement;

  constructor(database: Database) {
    this.#load = database.prepare(LOAD);
    this.#save = new RowInsert(database, "sessions", { onConflict: REPLACE });
    this.#firstMessage = database.prepare("SELECT text FROM message_rows WHERE entry_key = ?").pluck();
    this.#said = database.prepare(SAID).pluck();
    this.#countLeaves = database.prepare(COUNT_LEAVES_BY_TEXT).pluck();
    this.#setModified = database.prepare("UPDATE sessions SET modified_at = ? WHERE file_id = ?");
    this.#saveSums = database.prepare(SAVE_SUMS);
    this.#saveInherited = database.prepare(SAVE_INHERITED);
  }

  load(fileId: number): SessionState | null {
    return (this.#load.get(fileId) as SessionState | undefined) ?? null;
  }

  /** `mtimeMs` dates a session that states no time at all. */
  save(state: SessionState, mtimeMs: number): void {
    if (state.title === TO_BE_MADE) state.title = titleOf(state.name, this.#saidIn(state));
    state.modifiedAt = modifiedAt(state, mtimeMs);
    this.#save.run(state);
  }

  /** What all of a session's usage comes to, and what of that are copies that do not count. */
  saveSums(fileId: number, all: Sums, inherited: Sums): void {
    this.#saveSums.run(fileId, all);
    this.#saveInherited.run(fileId, inherited);
  }

  /** Ids that no other entry names as its parent. */
  countLeaves(fileId: number): number {
    return Number(this.#countLeaves.get({ fileId }));
  }

  /** The file's time changed, its content did not. */
  date(fileId: number, mtimeMs: number): void {
    const state = this.load(fileId);
    if (state === null) return;
    this.#setModified.run(modifiedAt(state, mtimeMs), fileId);
  }

  /** Nearly always the first message is enough, and that is found by its key. */
  *#saidIn({ fileId, firstMessageKey, leafKey }: SessionState): Generator<string> {
    if (firstMessageKey === null) return;
    yield String(this.#firstMessage.get(firstMessageKey) ?? "");
    const [, ...others] = this.#said.all({ fileId, firstMessageKey, leafKey }) as string[];
    yield* others;
  }
}
