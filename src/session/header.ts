/** Reads the header of a session file without its transcript. */
import { fstatSync } from "node:fs";
import { readFully } from "../file/lines.ts";
import { useFile } from "../file/open-file.ts";
import { pathsEqual, resolvePath } from "../file/paths.ts";
import { parseEntryLine } from "../format/parse.ts";
import type { SessionHeader } from "../format/types.ts";

/** How many bytes of a file are searched for its header; pi gives up there, too. */
const SEARCHED_BYTES = 1024 * 1024;
const FIRST_READ_BYTES = 4096;
const NEWLINE = 0x0a;

/**
 * The header a file begins with; null when it begins with another entry, has no header in its first MiB, or
 * is not a regular file.
 *
 * @throws the file system's error.
 */
export function readSessionHeader(path: string): SessionHeader | null {
  return useFile(path, (fd) => (fstatSync(fd).isFile() ? headerOfOpenFile(fd) : null));
}

/** The same for a file that is open. */
export function headerOfOpenFile(fd: number): SessionHeader | null {
  let bytes = Buffer.alloc(FIRST_READ_BYTES);
  let filled = 0;
  let lineStart = 0;
  for (;;) {
    filled += readFully(fd, bytes, filled, bytes.length - filled, filled);
    const searched = bytes.subarray(0, Math.min(filled, SEARCHED_BYTES));
    for (
      let end = searched.indexOf(NEWLINE, lineStart);
      end >= 0;
      end = searched.indexOf(NEWLINE, lineStart)
    ) {
      const header = headerIn(searched.subarray(lineStart, end));
      if (header !== undefined) return header;
      lineStart = end + 1;
    }
    if (filled < bytes.length) return headerIn(searched.subarray(lineStart)) ?? null;
    if (filled > SEARCHED_BYTES) return null;
    bytes = grown(bytes);
  }
}

/**
 * The header in a line; null for another entry; undefined for a line to be passed over, so the next may be the header.
 */
function headerIn(line: Buffer): SessionHeader | null | undefined {
  const entry = parseEntryLine(line.toString("utf8"));
  if (entry === null) return undefined;
  return entry.type === "session" && typeof entry.id === "string" ? entry : null;
}

/** A larger buffer, at most one byte more than is searched: that byte shows whether a file goes on after them. */
function grown(bytes: Buffer): Buffer<ArrayBuffer> {
  const larger = Buffer.alloc(Math.min(bytes.length * 8, SEARCHED_BYTES + 1));
  bytes.copy(larger);
  return larger;
}

/** The working directory a header states; undefined for anything but a string. */
export function headerCwd(header: SessionHeader): string | undefined {
  const cwd: unknown = header.cwd;
  return typeof cwd === "string" ? cwd : undefined;
}

/** @param resolvedCwd absolute. A session that states no working directory matches none. */
export function isSessionOf(resolvedCwd: string, cwd: string | undefined): boolean {
  return cwd !== undefined && cwd !== "" && pathsEqual(resolvePath(cwd), resolvedCwd);
}
