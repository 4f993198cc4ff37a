import { readFileSync } from "node:fs";
import { codeOf } from "../errors.ts";

/** What a small file says; null where there is none, or it makes no sense. @throws errors of the file system */
export function readJson(path: string): unknown {
  return parseSmallJson(textIfThere(path));
}

/**
 * Null for what is not JSON, as a file that was being written when the machine stopped. The daemon's own files are small and
 * flat: what reads sessions, and what that may meet, is not loaded for them.
 */
export function parseSmallJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Empty where there is no such file. @throws errors of the file system */
export function textIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return "";
    throw error;
  }
}
