/** Ids of sessions and entries: how they are drawn, and which a caller may choose. */
import { randomBytes, randomUUID } from "node:crypto";

/** Returns an entry id that `taken` does not hold. */
export type DrawEntryId = (taken: { has(id: string): boolean }) => string;

/** Collisions in 32 random bits are expected after some 65,000 entries; so many in a row are not. */
const SHORT_ID_ATTEMPTS = 100;

/** Eight hex characters, or a whole UUID where no short id is free. */
export const drawEntryId: DrawEntryId = (taken) => {
  for (let attempt = 0; attempt < SHORT_ID_ATTEMPTS; attempt++) {
    const id = randomUUID().slice(0, 8);
    if (!taken.has(id)) return id;
  }
  return randomUUID();
};

/** Session ids become part of a file name, so a caller's id must be free of separators and odd ends. */
const SESSION_ID = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/** Whether an id is safe in a path, and as a word of a command line. A session file can state ids that are not. */
export function isValidSessionId(id: unknown): boolean {
  return typeof id === "string" && SESSION_ID.test(id);
}

/**
 * Passes ids of letters, digits, `.`, `_` and `-` that begin and end with a letter or digit.
 *
 * @throws Error, with pi's words, for any other, which would be unsafe in a path.
 */
export function assertValidSessionId(id: string): void {
  if (isValidSessionId(id)) return;
  throw new Error(
    "Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an alphanumeric character",
  );
}

/** Draws session ids: UUIDs of version 7 (RFC 9562), each greater than the one before. */
export class SessionIds {
  #lastMs = 0;
  #counter = 0;

  /** @param now Unix ms. A clock that stands still or runs backwards does not break the order. */
  next(now: number): string {
    const random = randomBytes(10);
    if (now > this.#lastMs) {
      this.#lastMs = now;
      // The upper half stays free, so that a burst within one millisecond has room to count.
      this.#counter = random.readUInt16BE(0) & 0x07ff;
    } else if (++this.#counter > 0x0fff) {
      this.#lastMs++;
      this.#counter = 0;
    }
    return formatUuid(this.#lastMs, this.#counter, random.subarray(2));
  }
}

/** RFC 9562, section 5.7: 48 bits of time, 12 bits of counter as rand_a, 62 random bits as rand_b. */
function formatUuid(ms: number, counter: number, random: Buffer): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(ms, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  random.copy(bytes, 8);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** The lengths to which pi's ids (UUIDs) are cut: at the end of one of their groups. */
const ID_LENGTHS = [8, 13, 18, 23];

/**
 * An id cut to the shortest of these lengths that begins no other id; the whole id where there is none. `neighbours`: the ids
 * before and after it in the order of their bytes, which share the most with it.
 */
export function shortId(id: string, neighbours: readonly (string | null)[]): string {
  const isTaken = (beginning: string) => neighbours.some((each) => each?.startsWith(beginning));
  const enough = ID_LENGTHS.find((length) => !isTaken(id.slice(0, length)));
  return enough === undefined ? id : id.slice(0, enough);
}

/** Ids cut to the shortest of these lengths at which all of them still differ. */
export function shortIds(ids: readonly string[]): string[] {
  const distinct = new Set(ids).size;
  const enough = ID_LENGTHS.find((length) => new Set(ids.map((id) => id.slice(0, length))).size === distinct);
  return enough === undefined ? [...ids] : ids.map((id) => id.slice(0, enough));
}
