import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { unlessUnreadable } from "../errors.ts";
import { readFully } from "./lines.ts";
import { useFile } from "./open-file.ts";
import { isUnfinishedCopy } from "./session-path.ts";

/**
 * The file in which a migrated session is written, beside the one whose place it takes. A crash leaves it there, with all
 * that was said in the session.
 */
export function pathOfCopy(path: string): string {
  return join(dirname(path), `.sessiondb-${randomUUID()}.new`);
}

const HEADER_BYTES = 4096;

/** The copies that crashes have left of a session. */
export function unfinishedCopiesOf({ path, id }: { path: string; id: string }): string[] {
  const named = `"id":${JSON.stringify(id)}`;
  const names = unlessUnreadable(() => readdirSync(dirname(path))) ?? [];
  const copies = names.filter(isUnfinishedCopy).map((name) => join(dirname(path), name));
  return copies.filter((copy) => headOf(copy).includes(named));
}

function headOf(path: string): string {
  const bytes = Buffer.alloc(HEADER_BYTES);
  unlessUnreadable(() => useFile(path, (fd) => readFully(fd, bytes, 0, HEADER_BYTES, 0)));
  return bytes.toString("utf8").split("\n", 1)[0] ?? "";
}
