import { dataVersion } from "./data-version.ts";
import type { Database } from "./native.ts";

/** What was read by each connection, by a name for it, in one state of both databases. */
const memories = new WeakMap<Database, { state: string; values: Map<string, unknown> }>();

/**
 * What `read` gives, read again only after somebody has written to the index or the full text: asking for that takes 3 us,
 * what a search wants to know of the index as a whole 35.
 *
 * @param reader the connection that sees the full text as `search`; what it writes itself goes unnoticed
 */
export function remembered<T>(reader: Database, name: string, read: () => T): T {
  // The full text first: in a transaction it is seen as it was then, and rows that are newer than it are its usual case.
  const state = `${dataVersion(reader, "search")} ${dataVersion(reader, "main")}`;
  let memory = memories.get(reader);
  if (memory?.state !== state) {
    memory = { state, values: new Map() };
    memories.set(reader, memory);
  }
  if (!memory.values.has(name)) memory.values.set(name, read());
  return memory.values.get(name) as T;
}
