import { closeSync, openSync, writeSync } from "node:fs";
import { type SessionBuilder, session } from "./session-builder.ts";

/**
 * Writes a session of at least two entries with another line before the last one. That line begins with `beginning` and
 * goes on with NUL bytes, which take no room on disk.
 */
export function writeWithLongLine(
  path: string,
  bytes: number,
  { beginning = "", built = session({ id: "a" }).user("before").user("after") }: LongLine = {},
): void {
  const lines = built.lines();
  const fd = openSync(path, "w");
  const start = writeSync(fd, `${lines.slice(0, -1).join("\n")}\n`);
  writeSync(fd, beginning, start);
  writeSync(fd, `\n${lines.at(-1)}\n`, start + bytes);
  closeSync(fd);
}

interface LongLine {
  beginning?: string;
  built?: SessionBuilder;
}
