import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Index } from "../../src/store/open.ts";

interface EntryPlace {
  offset: number;
  length: number;
  id: unknown;
}

const FILES = `SELECT id, path, "offset", provisional_length AS provisional FROM files WHERE status = 'session'`;
const ENTRIES = `SELECT "offset", length, entry_id AS id FROM entries WHERE file_id = ? ORDER BY "offset"`;

/** Collects all bytes that the files below a root ever had, and checks that an index holds rows of those only. */
export class SeenFiles {
  readonly #root: string;
  /** Newest first. */
  readonly #versions: Buffer[] = [];
  readonly #known = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  /** To be called after each change of the files. */
  look(): void {
    for (const name of readdirSync(this.#root, { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".jsonl")) continue;
      const bytes = readFileSync(join(this.#root, name));
      const key = bytes.toString("latin1");
      if (this.#known.has(key)) continue;
      this.#known.add(key);
      this.#versions.unshift(bytes);
    }
  }

  /**
   * I-3: offsets stand after a newline and within the file. I-4: the rows of a file are those of a prefix it once had.
   */
  expectIn({ database }: Index): void {
    const files = database
      .prepare<[], { id: number; path: string; offset: number; provisional: number }>(FILES)
      .all();
    const entriesOf = database.prepare<[number], EntryPlace>(ENTRIES);
    for (const { id, path, offset, provisional } of files) {
      const entries = entriesOf.all(id);
      const source = this.#versions.find((bytes) => isPrefixRead(bytes, offset, provisional, entries));
      expect(source === undefined ? `${path}: rows of bytes it never had, up to ${offset}` : null).toBeNull();
    }
  }
}

function isPrefixRead(bytes: Buffer, offset: number, provisional: number, entries: EntryPlace[]): boolean {
  if (offset + provisional > bytes.length || (offset > 0 && bytes[offset - 1] !== 0x0a)) return false;
  return entries.every((entry) => {
    const id = idOf(bytes.toString("utf8", entry.offset, entry.offset + entry.length));
    // Entries of version 1 have no id of their own.
    return id !== null && (typeof id !== "string" || id === entry.id);
  });
}

/** The id in a line; null for a line that is no entry. */
function idOf(text: string): unknown {
  try {
    const entry: unknown = JSON.parse(text);
    return typeof entry === "object" && entry !== null && "id" in entry ? entry.id : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
