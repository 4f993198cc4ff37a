import { Script } from "node:vm";

/**
 * In ms, at least a hundred times what any tested work takes: it ends work that hangs, and sets no limit on slow work.
 */
const DEADLINE = 20_000;
const CALL = new Script("work()");

/**
 * Returns what `work` gives, and throws where it does not end: neither Vitest nor a timer could stop a regular
 * expression that goes on trying.
 */
export function withinReason<T>(work: () => T): T {
  return CALL.runInNewContext({ work }, { timeout: DEADLINE }) as T;
}
