/** Some writers keep a session as one JSON array of the same entries, in a file named so. */
export function isArrayFileName(path: string): boolean {
  return path.endsWith(".json");
}

export function isSessionFileName(name: string): boolean {
  return name.endsWith(".jsonl") || isArrayFileName(name);
}
