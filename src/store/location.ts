import { statSync } from "node:fs";
import { unlessUnreadable } from "../errors.ts";
import { type FileIdentity, identityOf, sameFile } from "../files/stat.ts";

export const DATABASES = ["indexPath", "searchPath"] as const;

/** Which files an index consists of at some moment; null for one that is not there. */
export type IndexFiles = Record<keyof IndexLocation, FileIdentity | null>;

/** Which file is at a path; null for none. It is not opened: closing it would drop all locks this process holds on it. */
export function fileAt(path: string): FileIdentity | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : identityOf(stats);
}

export function filesAt({ indexPath, searchPath }: IndexLocation): IndexFiles {
  return { indexPath: fileAt(indexPath), searchPath: fileAt(searchPath) };
}

/** False for what is not there. */
export function isSameFile(a: FileIdentity | null, b: FileIdentity | null): boolean {
  return a !== null && b !== null && sameFile(a, b);
}

/** Where the two database files are. Never inside a sessions root. */
export interface IndexLocation {
  indexPath: string;
  searchPath: string;
}

/** Bytes of a file; undefined where there is none that can be looked at. */
export function sizeAt(path: string): number | undefined {
  return unlessUnreadable(() => statSync(path, { throwIfNoEntry: false }))?.size;
}

/** Whether the rows of an index are gone, whose full text is there: SQLite takes an empty file for a new database. */
export function isEmptied({ indexPath, searchPath }: IndexLocation): boolean {
  return sizeAt(indexPath) === 0 && (sizeAt(searchPath) ?? 0) > 0;
}
