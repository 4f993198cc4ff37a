import type { Stats } from "node:fs";
import { isPackedName } from "../files/session-path.ts";
import type { Database } from "../store/native.ts";
import { type Cursor, loadCursor } from "../store/tables/cursors.ts";
import { type FileColumns, fileColumnsOf } from "../store/tables/file-columns.ts";

/**
 * All files the index knows, and which of them are found. Made to be quick for the usual case: a file that is unchanged
 * and comes in the order of the paths.
 */
export class KnownFiles {
  readonly #database: Database;
  readonly #columns: FileColumns;
  /** Places by real path. Made when a file is not the next one: finding it by name takes ten times as long. */
  #places: Map<string, number> | null = null;
  #next = 0;
  readonly #found: Uint8Array;

  private constructor(database: Database, columns: FileColumns) {
    this.#database = database;
    this.#columns = columns;
    this.#found = new Uint8Array(columns.realPaths.length);
  }

  static load(database: Database): KnownFiles {
    return new KnownFiles(database, fileColumnsOf(database));
  }

  /** Notes that a file is there. True when the index has it as it is, so that nothing more need be looked at. */
  isAsItWas(path: string, realPath: string, stats: Stats): boolean {
    const place = this.#placeOf(realPath);
    if (place === undefined) return false;
    this.#next = place + 1;
    this.#found[place] = 1;
    const { rows, sizes, mtimes, ctimes, inodes, device, unproved } = this.#columns;
    const row = rows[place] ?? Number.NaN;
    return (
      (sizes[row] === stats.size || isPackedName(realPath)) &&
      mtimes[row] === stats.mtimeMs &&
      ctimes[row] === stats.ctimeMs &&
      inodes[row] === stats.ino &&
      device === stats.dev &&
      !(unproved.size > 0 && unproved.has(realPath)) &&
      this.#pathOf(realPath) === path
    );
  }

  /**
   * The files that were not found, of those whose path is wanted; without those that another process has met again since.
   */
  missing(isWanted: (path: string) => boolean): Cursor[] {
    const { realPaths } = this.#columns;
    return realPaths.flatMap((realPath, place) => {
      if (this.#found[place] === 1 || !isWanted(this.#pathOf(realPath))) return [];
      const cursor = loadCursor(this.#database, realPath);
      return cursor !== null && this.#isAsLoaded(cursor, place) ? [cursor] : [];
    });
  }

  /** The files whose path or real path is wanted. */
  among(isWanted: (path: string) => boolean): Cursor[] {
    return this.#columns.realPaths
      .filter((realPath) => isWanted(realPath) || isWanted(this.#pathOf(realPath)))
      .flatMap((realPath) => loadCursor(this.#database, realPath) ?? []);
  }

  count(isWanted: (path: string) => boolean): number {
    return this.#columns.realPaths.filter((realPath) => isWanted(this.#pathOf(realPath))).length;
  }

  #placeOf(realPath: string): number | undefined {
    const { realPaths } = this.#columns;
    if (realPaths[this.#next] === realPath) return this.#next;
    this.#places ??= new Map(realPaths.map((path, place) => [path, place]));
    return this.#places.get(realPath);
  }

  #pathOf(realPath: string): string {
    const { otherPaths } = this.#columns;
    return otherPaths.size === 0 ? realPath : (otherPaths.get(realPath) ?? realPath);
  }

  #isAsLoaded({ stat }: Cursor, place: number): boolean {
    const { rows, sizes, mtimes, ctimes, inodes } = this.#columns;
    const row = rows[place] ?? Number.NaN;
    const isSameFile = inodes[row] === stat.inode && ctimes[row] === stat.ctimeMs;
    return isSameFile && sizes[row] === stat.size && mtimes[row] === stat.mtimeMs;
  }
}
