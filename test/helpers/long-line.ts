import { closeSync, openSync, writeSync } from "node:fs";
import { session } from "./session-builder.ts";

/** A session with a line of NUL bytes, which takes no room on disk, between `before` and `after`. */
export function writeWithLongLine(path: string, bytes: number): void {
  const [header, first, last] = session({ id: "a" }).user("before").user("after").lines();
  const fd = openSync(path, "w");
  const start = writeSync(fd, `${header}\n${first}\n`);
  writeSync(fd, `\n${last}\n`, start + bytes);
  closeSync(fd);
}
