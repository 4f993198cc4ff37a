/** Notes when each line was appended to a session file, by wrapping the function that pi uses. Import it before pi. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { sharedMs } from "./clock.mjs";

/** @type {{ path: string, line: string, at: number }[]} */
const appended = [];

const append = fs.appendFileSync;
fs.appendFileSync = (path, line, ...rest) => {
  append(path, line, ...rest);
  // The line is in the file: from now on everybody can see it.
  appended.push({ path: String(path), line: String(line), at: sharedMs() });
};
// Named imports of node:fs, such as pi's, get the wrapper only by this call.
syncBuiltinESMExports();

export function countOfAppends() {
  return appended.length;
}

/** Every entry that was appended so far, headers left out, and the moment after its append returned (see clock.mjs). */
export function takeAppends() {
  return appended.splice(0).flatMap(({ path, line, at }) => {
    const entry = JSON.parse(line);
    return entry.type === "session" ? [] : [{ path, id: entry.id, at }];
  });
}
