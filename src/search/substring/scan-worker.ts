import type { MessagePort } from "node:worker_threads";
import { LineScanner } from "./line-scan.ts";
import { jsonNeedle, needleFinder } from "./needle.ts";
import { FileStates, type ScanOrder } from "./parallel-scan.ts";

/** Goes from the last file to the first, because the thread that asks goes the other way. */
export function serve(_port: MessagePort, { files, needle, shared }: ScanOrder): void {
  const states = new FileStates(shared);
  const scanner = new LineScanner();
  const wanted = jsonNeedle(needle);
  for (let file = files.length - 1; file >= 0 && !states.isOver; file--) {
    if (!states.take(file)) continue;
    const lines = scanner.lines(files[file] ?? "", (bytes) => needleFinder(bytes, wanted));
    states.note(file, !isEmpty(lines));
  }
}

function isEmpty(lines: Iterable<unknown>): boolean {
  for (const _ of lines) return false;
  return true;
}
