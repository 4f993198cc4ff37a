import { rmSync } from "node:fs";
import { codeOf } from "../../src/errors.ts";

const TRIES = 200;
const PAUSE_MS = 50;

/**
 * Removes a folder into which somebody may still be writing. Node's own `maxRetries` removes the folder again, but not
 * what has come into it meanwhile.
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
