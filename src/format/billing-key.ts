import { messageIn, timeOf } from "./entry.ts";
import { type JsonObject, stringOrNull } from "./json.ts";
import type { EntryUsage } from "./usage.ts";

/** What one request to a model is known by wherever its message was copied to, beside its numbers. */
export interface BillName {
  name: string;
  /** Unix ms; null where nothing states a time. */
  time: number | null;
}

/** What `billNameOf` looks at beside the entry itself. */
interface BilledEntry {
  /** The id, or what the entry is called where it has none. */
  id: string;
  /** Of the entry. Unix ms. */
  timestamp: number | null;
  /** What the model said. */
  spoken: string;
  /** Ids of the calls that the message makes, or of the one that it answers. */
  callIds: readonly string[];
}

/**
 * The name of the bill of an entry that holds usage. Copies keep the message, but not always the entry around it: pi of
 * November 2025 branched under new entry times, and a file that was brought to a newer version has new ids. So the message
 * says it: its response id, else its own time and what it says. Entries without a message, or whose message has neither,
 * are known by id and time of the entry.
 */
export function billNameOf(entry: JsonObject, { id, timestamp, spoken, callIds }: BilledEntry): BillName {
  const message = messageIn(entry);
  const time = typeof message?.timestamp === "number" ? timeOf(message.timestamp) : null;
  const response = stringOrNull(message?.responseId);
  if (response) return { name: `response ${response}`, time };
  if (time === null) return { name: `entry ${id}`, time: timestamp };
  return { name: `message ${callIds.join(" ")} ${spoken.slice(0, TOLD_BY)}`, time };
}

/** Characters of what a model said that tell its messages of one time apart. */
const TOLD_BY = 500;

/**
 * The number that copies of one request share. A response id alone would be no key, because local servers repeat theirs:
 * model and tokens belong to it. The time comes first, so that the requests of a session stand together in the SQL index;
 * the last 21 bits tell requests of one second apart. Where two are alike within one file, both count: `nth` says which of
 * them it is, from 0 on.
 */
export function billingKeyOf({ name, time }: BillName, usage: EntryUsage, nth: number): number {
  const { provider, model, input, output, cacheRead, cacheWrite, totalTokens } = usage;
  const numbers = [time, provider, model, input, output, cacheRead, cacheWrite, totalTokens, nth].join("\n");
  const hash = hashOf(numbers, hashOf(name, 0x811c9dc5));
  return (Math.abs(Math.floor((time ?? 0) / 1000)) % MOST_SECONDS) * SECOND + (hash & (SECOND - 1));
}

const SECOND = 2 ** 21;
/** Of the 53 bits of a whole number, what is left. */
const MOST_SECONDS = 2 ** 32;

/** FNV-1a over UTF-16 units, with the upper bits mixed into the lower ones. */
function hashOf(text: string, start: number): number {
  let hash = start;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash ^ (hash >>> 15);
}
