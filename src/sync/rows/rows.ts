import { LISTED_MALFORMED_LINES } from "../../db/limits.ts";
import type { Database, Statement } from "../../db/native.ts";
import type { EntryDigest } from "../../format/digest.ts";
import { type EntryFacts, isTurning } from "../../format/entry.ts";
import { isBeginningOf } from "../../text/preview.ts";
import { Kinds } from "./row-kinds.ts";

/** Where an entry stands in its file and in the index. */
export interface EntryPlace {
  key: number;
  fileId: number;
  line: number;
  offset: number;
  length: number;
  parentKey: number | null;
}

const INSERT_ENTRY = `INSERT INTO entry_rows (key, file_id, line, offset, length, entry_id, parent_key, unknown_parent,
  kind, timestamp, target_id, preview) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const KIND = ["type", "role", "provider", "model", "tool_name", "is_error", "has_image", "custom_type"];

/** Tells the full text which keys to forget. They are written as runs, because keys of other files lie in between. */
const REMEMBER_REMOVED = `INSERT INTO removed_keys (first_key, last_key)
  SELECT min(key), max(key) FROM (
    SELECT key, key - row_number() OVER (ORDER BY key) AS run FROM entry_rows WHERE file_id = ?)
  GROUP BY run ORDER BY run`;

/** Texts, usage and tool calls go with their entries. */
const FILE_TABLES = [
  "usage_quarters",
  "labels",
  "malformed_lines",
  "turning_entries",
  "entry_rows",
  "sessions",
];

/** Writes the rows of entries. All of it happens inside the caller's transaction. */
export class Rows {
  readonly #kinds: Kinds;
  readonly #insertEntry: Statement;
  readonly #insertSpoken: Statement;
  readonly #insertTurning: Statement;
  readonly #setLabel: Statement;
  readonly #clearLabel: Statement;
  readonly #insertMalformed: Statement;
  readonly #rememberRemoved: Statement;
  readonly #deletions: Statement[];
  readonly #deleteFile: Statement;

  constructor(database: Database) {
    this.#kinds = new Kinds(database, "entry_kinds", KIND);
    this.#insertEntry = database.prepare(INSERT_ENTRY);
    this.#insertSpoken = database.prepare("INSERT INTO message_rows (entry_key, text) VALUES (?, ?)");
    this.#insertTurning = database.prepare("INSERT INTO turning_entries (file_id, key) VALUES (?, ?)");
    this.#setLabel = database.prepare(
      "INSERT OR REPLACE INTO labels (file_id, target_id, label, label_key, timestamp) VALUES (?, ?, ?, ?, ?)",
    );
    this.#clearLabel = database.prepare("DELETE FROM labels WHERE file_id = ? AND target_id = ?");
    this.#insertMalformed = database.prepare(
      "INSERT INTO malformed_lines (file_id, line, offset, length) VALUES (?, ?, ?, ?)",
    );
    this.#rememberRemoved = database.prepare(REMEMBER_REMOVED);
    this.#deletions = FILE_TABLES.map((table) => database.prepare(`DELETE FROM ${table} WHERE file_id = ?`));
    this.#deleteFile = database.prepare("DELETE FROM files WHERE id = ?");
  }

  insert(place: EntryPlace, digest: EntryDigest): void {
    const { facts, spoken } = digest;
    const isShown = isBeginningOf(facts.preview, spoken);
    this.#insertEntry.run(
      place.key,
      place.fileId,
      place.line,
      place.offset,
      place.length,
      facts.id,
      place.parentKey,
      place.parentKey === null ? facts.parentId : null,
      this.#kindOf(facts),
      facts.timestamp,
      facts.targetId,
      isShown ? null : facts.preview,
    );
    if (spoken !== "") this.#insertSpoken.run(place.key, spoken);
    if (isTurning(facts.type)) this.#insertTurning.run(place.fileId, place.key);
    if (facts.type === "label") this.#resolveLabel(place, digest);
  }

  /** Forgets numbers that may not be there any more. To be called when a transaction begins, or a part of one was undone. */
  forget(): void {
    this.#kinds.forget();
  }

  #kindOf({ type, role, provider, model, toolName, isError, hasImage, customType }: EntryFacts): number {
    const [failed, pictured] = [isError ? 1 : 0, hasImage ? 1 : 0];
    return this.#kinds.idOf([type, role, provider, model, toolName, failed, pictured, customType]);
  }

  #resolveLabel(place: EntryPlace, { facts, given }: EntryDigest): void {
    if (facts.targetId === null) return;
    if (given === null) this.#clearLabel.run(place.fileId, facts.targetId);
    else this.#setLabel.run(place.fileId, facts.targetId, given, place.key, facts.timestamp);
  }

  /** `known` is how many malformed lines the file has so far. */
  insertMalformed(
    fileId: number,
    line: number,
    range: { offset: number; length: number },
    known: number,
  ): void {
    if (known < LISTED_MALFORMED_LINES) this.#insertMalformed.run(fileId, line, range.offset, range.length);
  }

  /** Removes everything the index has of a file but its Cursor. */
  removeContent(fileId: number): void {
    this.#rememberRemoved.run(fileId);
    for (const deletion of this.#deletions) deletion.run(fileId);
  }

  removeFile(fileId: number): void {
    this.removeContent(fileId);
    this.#deleteFile.run(fileId);
  }
}
