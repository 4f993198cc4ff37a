import type { Stats } from "node:fs";
import type { Database } from "../db/native.ts";
import { type Cursor, loadCursor } from "./cursor.ts";

/** The device of the files, as long as they are all on one. */
const DEVICE = "SELECT device FROM files ORDER BY id LIMIT 1";

const UNPROVED = `SELECT real_path FROM files WHERE settled = 0 OR device <> (${DEVICE})`;

const OTHERWISE_CALLED = "SELECT real_path, path FROM files WHERE path <> real_path";

/**
 * All files the index knows. Most are found as they were, in the order of their paths, and that has to be quick: what
 * tells so is read column by column, because 20,000 values make rows of their own in twice the time, and kept as bare
 * numbers, which no garbage collection has to look at.
 */
export class KnownFiles {
  readonly #database: Database;
  readonly #device: number;
  /** In order. */
  readonly #realPaths: string[];
  /** Where in the columns each of them is. */
  readonly #rows: Uint32Array;
  readonly #inodes: Float64Array;
  readonly #sizes: Float64Array;
  readonly #mtimes: Float64Array;
  readonly #ctimes: Float64Array;
  /** Real paths of files of which an equal stat proves nothing: written as they were read, or on another device. */
  readonly #unproved: Set<string>;
  /** Paths by real path, where they differ. */
  readonly #otherPaths: Map<string, string>;
  /** Put together when a file is not the next one: to find it by name takes ten times as long. */
  #places: Map<string, number> | null = null;
  #next = 0;
  readonly #found: Uint8Array;

  private constructor(database: Database) {
    const column = <T>(expression: string, order = "id"): T[] =>
      database.prepare(`SELECT ${expression} FROM files ORDER BY ${order}`).pluck().all() as T[];
    this.#database = database;
    this.#device = Number(database.prepare(DEVICE).pluck().get());
    this.#realPaths = column("real_path", "real_path");
    this.#rows = rowsOf(column("id", "real_path"), column("id"));
    this.#inodes = Float64Array.from(column<number>("inode"));
    this.#sizes = Float64Array.from(column<number>("size"));
    this.#mtimes = Float64Array.from(column<number>("mtime_ms"));
    this.#ctimes = Float64Array.from(column<number>("ctime_ms"));
    this.#unproved = new Set(database.prepare(UNPROVED).pluck().all() as string[]);
    this.#otherPaths = new Map(database.prepare(OTHERWISE_CALLED).raw().all() as [string, string][]);
    this.#found = new Uint8Array(this.#realPaths.length);
  }

  static load(database: Database): KnownFiles {
    // One state of the index for all columns, whoever writes to it meanwhile.
    return database.transaction(() => new KnownFiles(database))();
  }

  /** Notes that a file is there. True when the index has it as it is, so that nothing needs to be asked. */
  isAsItWas(path: string, realPath: string, stats: Stats): boolean {
    const place = this.#placeOf(realPath);
    if (place === undefined) return false;
    this.#next = place + 1;
    this.#found[place] = 1;
    const row = this.#rows[place] ?? Number.NaN;
    return (
      this.#sizes[row] === stats.size &&
      this.#mtimes[row] === stats.mtimeMs &&
      this.#ctimes[row] === stats.ctimeMs &&
      this.#inodes[row] === stats.ino &&
      this.#device === stats.dev &&
      !(this.#unproved.size > 0 && this.#unproved.has(realPath)) &&
      this.#pathOf(realPath) === path
    );
  }

  #placeOf(realPath: string): number | undefined {
    if (this.#realPaths[this.#next] === realPath) return this.#next;
    this.#places ??= new Map(this.#realPaths.map((path, place) => [path, place]));
    return this.#places.get(realPath);
  }

  /** Those that nobody has found, of certain paths. */
  missing(isWanted: (path: string) => boolean): Cursor[] {
    return this.#where((realPath, place) => this.#found[place] === 0 && isWanted(this.#pathOf(realPath)));
  }

  /** Those whose path, or real path, is one of certain paths. */
  among(isWanted: (path: string) => boolean): Cursor[] {
    return this.#where((realPath) => isWanted(realPath) || isWanted(this.#pathOf(realPath)));
  }

  count(isWanted: (path: string) => boolean): number {
    return this.#realPaths.filter((realPath) => isWanted(this.#pathOf(realPath))).length;
  }

  #pathOf(realPath: string): string {
    return this.#otherPaths.size === 0 ? realPath : (this.#otherPaths.get(realPath) ?? realPath);
  }

  #where(isWanted: (realPath: string, place: number) => boolean): Cursor[] {
    return this.#realPaths.filter(isWanted).flatMap((realPath) => loadCursor(this.#database, realPath) ?? []);
  }
}

/** Where in a column each of some ids is. Ids only grow, so columns in their order stay as they are. */
function rowsOf(ids: readonly number[], inOrder: readonly number[]): Uint32Array {
  const rows = new Map<number, number>();
  for (const [row, id] of inOrder.entries()) rows.set(id, row);
  return Uint32Array.from(ids, (id) => rows.get(id) ?? 0);
}
