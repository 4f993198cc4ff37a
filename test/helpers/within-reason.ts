import { Script } from "node:vm";

/** A hundred times and more what anything takes that it is asked about: the end of what hangs, no limit of what is slow. */
const DEADLINE = 20_000;
const CALL = new Script("work()");

/**
 * What `work` gives. Throws where it does not end: neither Vitest nor a timer could stop a regular expression that tries
 * and tries.
 */
export function withinReason<T>(work: () => T): T {
  return CALL.runInNewContext({ work }, { timeout: DEADLINE }) as T;
}
