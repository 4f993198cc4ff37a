import { existsSync } from "node:fs";
import { archiveOf, CODECS, insideOf, isPackedName, isWithin, unpackedName } from "./session-path.ts";

/*
 * An archived session keeps its path: `sessions/A/B.jsonl` is packed in `sessions-archive/A/B.jsonl.gz`. Where a file lies at
 * the path itself, that is the session, and what the archive has of it is a left-over.
 */

/** Where a session file's packed file lies, or would lie, below its archives: without the codec's ending. */
export function placesInArchive(path: string, roots: readonly string[]): string[] {
  return roots
    .filter((root) => isWithin(root, path) && path !== root)
    .map((root) => insideOf(archiveOf(root)) + path.slice(insideOf(root).length));
}

/** The packed file of a session file; null where it is not archived. */
export function packedFileOf(path: string, roots: readonly string[]): string | null {
  const names = placesInArchive(path, roots).flatMap((place) => CODECS.map((codec) => `${place}.${codec}`));
  return names.find((name) => existsSync(name)) ?? null;
}

/** The path of the session that is packed in a file of an archive; null for what lies elsewhere, or is none. */
export function originalOf(packed: string, roots: readonly string[]): string | null {
  const root = roots.find((each) => isWithin(archiveOf(each), packed));
  if (root === undefined || !isPackedName(packed)) return null;
  return insideOf(root) + unpackedName(packed.slice(insideOf(archiveOf(root)).length));
}
