import type { Doclists } from "./doclists.ts";
import * as run from "./run-reader.ts";
import type { TermMemory } from "./term-memory.ts";
import * as terms from "./term-memory.ts";
import { termsInOrder } from "./term-order.ts";
import type { TermTable } from "./term-table.ts";
import * as tokens from "./tokens.ts";
import { putVarint } from "./varint.ts";

// Bound here, because V8 looks up what is imported each time it is used, which takes a third more time.
const { LENGTH, REST, SHORT } = tokens;
const { FIRST_KEY, LAST_KEY, LIST, TERM } = terms;
const { BESIDE_WORD, LIST_LENGTH, WORD_MARK } = run;

/** Bytes of a list that stand beside its term. */
const INLINE = 4 * (TERM - LIST);

/** Terms with their lists, to be written as a run, which `run-reader.ts` describes. */
export interface RunSource {
  memory: TermMemory;
  table: TermTable;
  lists: Doclists;
}

/** Bytes that writing it takes at most. */
export function runBytes({ memory, table }: RunSource): number {
  return memory.taken + table.count * (BESIDE_WORD + SHORT + INLINE) + table.restBytes;
}

/** Returns where it ends. */
export function writeRun({ memory, table, lists }: RunSource, to: Uint8Array): number {
  const { numbers } = memory;
  let end = 0;
  for (const term of termsInOrder(table, memory)) {
    // Its only entry had no room.
    if (lists.isEmpty(term)) continue;
    end = putVarint(to, end, (numbers[term + LENGTH] ?? 0) + 1);
    to[end] = WORD_MARK;
    end = putWord(table, numbers, term, { to, at: end + 1 });
    const firstKey = numbers[term + FIRST_KEY] ?? 0;
    end = putVarint(to, end, firstKey);
    end = putVarint(to, end, (numbers[term + LAST_KEY] ?? 0) - firstKey);
    const list = end + LIST_LENGTH;
    const listEnd = lists.copy(term, to, list);
    putUint32(to, end, listEnd - list);
    end = listEnd;
  }
  return end;
}

/** The bytes of a term's word. Returns where they end. */
function putWord(
  { rest }: TermTable,
  numbers: Int32Array,
  term: number,
  { to, at }: { to: Uint8Array; at: number },
): number {
  const length = numbers[term + LENGTH] ?? 0;
  const beyond = (numbers[term + REST] ?? 0) - SHORT / 4;
  for (let done = 0; done < length; done++) {
    const number = done >>> 2;
    const four = done < SHORT ? numbers[term + number] : rest[beyond + number];
    to[at + done] = (four ?? 0) >>> (24 - 8 * (done & 3));
  }
  return at + length;
}

function putUint32(bytes: Uint8Array, at: number, value: number): void {
  for (let each = 0; each < LIST_LENGTH; each++) bytes[at + each] = value >>> (24 - 8 * each);
}
