import { extname } from "node:path";

/** Another module by its path from this one, without an ending: all have the same, `.ts` or, compiled, `.js`. */
export function moduleBeside(name: string, moduleUrl: string): URL {
  return new URL(name + extname(moduleUrl), moduleUrl);
}
