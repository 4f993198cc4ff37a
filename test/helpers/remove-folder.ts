import { rmSync } from "node:fs";
import { codeOf } from "../../src/errors.ts";

const TRIES = 200;
const PAUSE_MS = 50;

/**
 * Removes a folder into which another process may still be writing. Node's own `maxRetries` tries to remove the folder
 * again, but not the files that have been added meanwhile.
 */
export function removeFolder(dir: string): void {
  for (let tried = 1; ; tried++) {
    try {
      rmSync(dir, { recursive: true, force: true });
      return;
    } catch (error) {
      if (codeOf(error) !== "ENOTEMPTY" || tried === TRIES) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
