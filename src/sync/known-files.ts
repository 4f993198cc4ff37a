import type { Database } from "../db/native.ts";
import type { LocatedFile } from "../file/locate.ts";
import { type Cursor, loadCursor } from "./cursor.ts";

/** The device of the files, as long as they are all on one. */
const DEVICE = "SELECT device FROM files ORDER BY id LIMIT 1";

const OTHERWISE_CALLED = "SELECT real_path, path FROM files WHERE path <> real_path";

/**
 * All files the index knows. Most are found as they were, and that has to be quick: what tells so is read column by
 * column, because 20,000 values make rows of their own in twice the time.
 */
export class KnownFiles {
  readonly #database: Database;
  readonly #device: number;
  readonly #realPaths: string[];
  /** Where almost every file is 1: at rest when it was read, and on the one device. */
  readonly #plain: number[];
  readonly #inodes: number[];
  readonly #sizes: number[];
  readonly #mtimes: number[];
  readonly #ctimes: number[];
  /** Paths by real path, where they differ. */
  readonly #otherPaths: Map<string, string>;
  readonly #places: Map<string, number>;
  readonly #found: Uint8Array;

  private constructor(database: Database) {
    const column = <T>(expression: string): T[] =>
      database.prepare(`SELECT ${expression} FROM files ORDER BY id`).pluck().all() as T[];
    this.#database = database;
    this.#device = Number(database.prepare(DEVICE).pluck().get());
    this.#realPaths = column("real_path");
    this.#plain = column(`settled = 1 AND device = (${DEVICE})`);
    this.#inodes = column("inode");
    this.#sizes = column("size");
    this.#mtimes = column("mtime_ms");
    this.#ctimes = column("ctime_ms");
    this.#otherPaths = new Map(database.prepare(OTHERWISE_CALLED).raw().all() as [string, string][]);
    this.#places = new Map();
    for (let place = 0; place < this.#realPaths.length; place++) {
      this.#places.set(this.#realPaths[place] ?? "", place);
    }
    this.#found = new Uint8Array(this.#realPaths.length);
  }

  static load(database: Database): KnownFiles {
    // One state of the index for all columns, whoever writes to it meanwhile.
    return database.transaction(() => new KnownFiles(database))();
  }

  /** Notes that a file is there. True when the index has it as it is, so that nothing needs to be asked. */
  isAsItWas({ path, realPath, stat }: LocatedFile): boolean {
    const place = this.#places.get(realPath);
    if (place === undefined) return false;
    this.#found[place] = 1;
    return (
      this.#plain[place] === 1 &&
      this.#sizes[place] === stat.size &&
      this.#mtimes[place] === stat.mtimeMs &&
      this.#ctimes[place] === stat.ctimeMs &&
      this.#inodes[place] === stat.inode &&
      this.#device === stat.device &&
      this.#pathOf(realPath) === path
    );
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
    return this.#otherPaths.get(realPath) ?? realPath;
  }

  #where(isWanted: (realPath: string, place: number) => boolean): Cursor[] {
    return this.#realPaths.filter(isWanted).flatMap((realPath) => loadCursor(this.#database, realPath) ?? []);
  }
}
