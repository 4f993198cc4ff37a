import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileMark } from "../../src/files/append.ts";
import { identityOf } from "../../src/files/stat.ts";
import { tempDir } from "../helpers/temp-dir.ts";

export const pathOf = (name = "file.jsonl") => join(tempDir(), name);
export const textOf = (path: string) => readFileSync(path, "utf8");

/** A new file with this text. */
export function fileWith(text: string): string {
  const path = pathOf();
  writeFileSync(path, text);
  return path;
}

/** The mark of a file whose last line is complete. */
export function markOf(path: string): FileMark {
  const stats = statSync(path);
  return { ...identityOf(stats), end: stats.size };
}
