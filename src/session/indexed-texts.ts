/** The messages of a session as text, from the index as long as it has them. */

import { isSqliteError } from "../errors.ts";
import type { Database } from "../store/native.ts";
import { inOneState, prepared } from "../store/statements.ts";
import { NO_MESSAGES } from "../text/preview.ts";
import { readTexts } from "./read-info.ts";
import type { SessionTexts } from "./session-info.ts";

const TEXT = "SELECT text FROM messages WHERE entry_key = ?";
const TEXTS = `SELECT m.text FROM entries e JOIN messages m ON m.entry_key = e.key
  WHERE e.file_id = ? AND e.key <= ? ORDER BY e.key`;
/** Keys are never reused: while the last entry is there, so are those before it. */
const IS_THERE = "SELECT 1 FROM entries WHERE key = ? AND file_id = ?";

/** The place of a session, and up to which entry it was listed. */
export interface ListedPlace {
  path: string;
  fileId: number;
  /** The key of the user's first message; null when there is none. */
  firstKey: number | null;
  /** The key of the last entry; null when there is none. */
  lastKey: number | null;
}

/**
 * The texts of a listed session as they were when it was listed. If those rows are gone or cannot be read, the whole
 * file is read as it is now, not up to its former size: after a rewrite that size could fall into the middle of a line.
 */
export class IndexedTexts implements SessionTexts {
  readonly #database: Database;
  readonly #place: ListedPlace;

  constructor(database: Database, place: ListedPlace) {
    this.#database = database;
    this.#place = place;
  }

  get firstMessage(): string {
    const { firstKey, path } = this.#place;
    if (firstKey === null) return NO_MESSAGES;
    const text = fromIndex(() => prepared(this.#database, TEXT).pluck().get(firstKey));
    return typeof text === "string" ? text || NO_MESSAGES : readTexts(path).firstMessage;
  }

  get allMessagesText(): string {
    const { lastKey, path } = this.#place;
    if (lastKey === null) return "";
    return fromIndex(() => this.#allUpTo(lastKey)) ?? readTexts(path).allMessagesText;
  }

  #allUpTo(lastKey: number): string | undefined {
    const { fileId } = this.#place;
    return inOneState(this.#database, () => {
      if (prepared(this.#database, IS_THERE).get(lastKey, fileId) === undefined) return undefined;
      return prepared(this.#database, TEXTS).pluck().all(fileId, lastKey).join(" ");
    });
  }
}

function fromIndex<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isSqliteError(error)) return undefined;
    throw error;
  }
}
