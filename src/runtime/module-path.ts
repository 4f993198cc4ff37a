import { extname } from "node:path";

/**
 * Another module of ours, to be started as a thread or a process, by its path from the project's folder and without an
 * ending: all have the same, `.ts` or, compiled, `.js`. Compiled, this module may be a part of any file two folders
 * below `dist`, which is what it is here, too.
 */
export function moduleAt(path: string): URL {
  return new URL(`../../${path}${extname(import.meta.url)}`, import.meta.url);
}
