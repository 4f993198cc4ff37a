import { copyList, sliceBytes } from "./lists.ts";
import { BESIDE_TERM, RUN } from "./memory.ts";
import { sortTerms } from "./order.ts";
import { FIRST_KEY, LAST_KEY, LENGTH, REST, restBytes, SHORT, termCount, termOf } from "./terms.ts";
import { putVarint } from "./varint.ts";

/** What FTS5 puts before the words of an index that is not one of their beginnings. */
const WORD_MARK: u8 = 0x30;

/** Bytes of the length of a list. */
const LIST_LENGTH: usize = 4;

/** Bytes that writing a run of all terms takes at most. */
export function runSize(): u32 {
  return <u32>(sliceBytes() + termCount() * BESIDE_TERM + restBytes());
}

/** Writes all terms with their lists as a run, which `run-reader.ts` describes. Returns how many bytes it has. */
export function writeAll(): u32 {
  const order = sortTerms();
  let end: usize = RUN;
  for (let at: u32 = 0; at < termCount(); at++) {
    const term = termOf(load<u16>(order + 2 * at));
    end = putWord(term, end);
    const firstKey = load<u32>(term, FIRST_KEY);
    end = putVarint(end, firstKey);
    end = putVarint(end, load<u32>(term, LAST_KEY) - firstKey);
    const list = end + LIST_LENGTH;
    const listEnd = copyList(term, list);
    // The highest byte first.
    store<u32>(end, bswap<u32>(<u32>(listEnd - list)));
    end = listEnd;
  }
  return <u32>(end - RUN);
}

/** The word of a term, its length and mark before it. Returns where it ends. */
function putWord(term: usize, at: usize): usize {
  const length = load<u32>(term, LENGTH);
  const from = putVarint(at, length + 1);
  store<u8>(from, WORD_MARK);
  memory.copy(from + 1, term, min(length, SHORT));
  if (length > SHORT) memory.copy(from + 1 + SHORT, load<u32>(term, REST), length - SHORT);
  return from + 1 + length;
}
