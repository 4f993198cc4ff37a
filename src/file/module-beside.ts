import { extname } from "node:path";

/** Another module of ours by its path from this one, without its ending: that is the same for all, compiled or not. */
export function moduleBeside(name: string, moduleUrl: string): URL {
  return new URL(name + extname(moduleUrl), moduleUrl);
}
