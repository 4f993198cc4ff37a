import { sep } from "node:path";

/** Some writers keep a session as one JSON array of the same entries, in a file named so. */
export function isArrayFileName(path: string): boolean {
  return path.endsWith(".json");
}

export function isSessionFileName(name: string): boolean {
  return name.endsWith(".jsonl") || isArrayFileName(name);
}

/** What the paths of all that lies in a folder begin with: to `join` each of them takes a tenth of a list. */
export function insideOf(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}
