import { randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { connect, type Database } from "../store/native.ts";
import { createPrivately } from "../store/private-file.ts";

const TABLES = `
  CREATE TABLE IF NOT EXISTS device (id TEXT NOT NULL, salt TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS targets (place TEXT PRIMARY KEY, instance TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS pushed (
    instance TEXT NOT NULL, file TEXT NOT NULL, path TEXT NOT NULL, content TEXT NOT NULL, pushed INTEGER NOT NULL,
    state TEXT NOT NULL, PRIMARY KEY (instance, file)) STRICT, WITHOUT ROWID;`;

/** What a team's database holds of a session file. */
export interface PushedFile {
  /** What the file is called there: a salted hash of its path. */
  file: string;
  path: string;
  /** Of which content. A longer file of the same content goes on from `pushed`. */
  content: string;
  /** Bytes. */
  pushed: number;
  /** All that was said of it; another state is pushed again. */
  state: string;
}

function placeOf(indexPath: string): string {
  return join(dirname(indexPath), "push-v1.db");
}

/** Whether a team's database holds anything that was pushed from an index, as far as is noted. @throws as `PushCursor` */
export function hasPushed(indexPath: string): boolean {
  if (!existsSync(placeOf(indexPath))) return false;
  const cursor = new PushCursor(indexPath);
  try {
    return cursor.hasPushed();
  } finally {
    cursor.close();
  }
}

/**
 * What was pushed where, in a file beside the index, so that it outlives that. It is a cache: what a database holds more, or
 * less, than it says is found by asking.
 */
export class PushCursor {
  /** A UUID: who pushes. */
  readonly device: string;
  /** Keeps what is hashed from being guessed. */
  readonly salt: string;
  readonly #database: Database;

  /** @throws SessionDbError `io`; SQLite's errors */
  constructor(indexPath: string) {
    const path = placeOf(indexPath);
    createPrivately(path);
    this.#database = connect(path, { timeout: 5000 });
    this.#database.pragma("journal_mode = WAL");
    this.#database.exec(TABLES);
    this.#database
      .prepare("INSERT INTO device (id, salt) SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM device)")
      .run(randomUUID(), randomBytes(16).toString("hex"));
    const { id, salt } = this.#database.prepare("SELECT id, salt FROM device").get() as {
      id: string;
      salt: string;
    };
    this.device = id;
    this.salt = salt;
  }

  /** The instance that was last met at a place; undefined where nobody has been. */
  instanceAt(place: string): string | undefined {
    return this.#database.prepare("SELECT instance FROM targets WHERE place = ?").pluck().get(place) as
      | string
      | undefined;
  }

  noteInstance(place: string, instance: string): void {
    this.#database
      .prepare("INSERT OR REPLACE INTO targets (place, instance) VALUES (?, ?)")
      .run(place, instance);
  }

  /** By `file`. */
  pushedTo(instance: string | undefined): Map<string, PushedFile> {
    const rows = this.#database
      .prepare("SELECT file, path, content, pushed, state FROM pushed WHERE instance = ?")
      .all(instance ?? "") as PushedFile[];
    return new Map(rows.map((row) => [row.file, row]));
  }

  hasPushed(): boolean {
    return this.#database.prepare("SELECT 1 FROM pushed LIMIT 1").get() !== undefined;
  }

  save(instance: string, files: readonly PushedFile[]): void {
    const insert = this.#database.prepare(
      `INSERT OR REPLACE INTO pushed (instance, file, path, content, pushed, state)
       VALUES (?, @file, @path, @content, @pushed, @state)`,
    );
    this.#database.transaction(() => {
      for (const file of files) insert.run(instance, file);
    })();
  }

  forget(instance: string, files: readonly string[]): void {
    const remove = this.#database.prepare("DELETE FROM pushed WHERE instance = ? AND file = ?");
    this.#database.transaction(() => {
      for (const file of files) remove.run(instance, file);
    })();
  }

  close(): void {
    this.#database.close();
  }
}
