import * as terms from "./term-memory.ts";
import { listOf, type TermMemory } from "./term-memory.ts";
import * as tokens from "./tokens.ts";
import { restLength, type Tokens } from "./tokens.ts";

// Bound here, because V8 looks up what is imported each time it is used, which takes a third more time.
const { FIELDS, FIRST, LENGTH, REST, SECOND, SHORT, THIRD } = tokens;
const { AT, FIRST_SLICE, LAST_SLICE, LIMIT, NEWEST, NOWHERE, NUMBER_BYTES, TERM } = terms;

/** Terms there can be: their numbers, from 1 on, take two bytes. In 16 MB of texts there are some 40,000. */
export const MOST_TERMS = 0xffff;

/** Places in the hash table: a power of two, and twice as many as terms, so that few terms want the same place. */
const PLACES = 1 << 17;
const LAST_PLACE = PLACES - 1;

/** How many numbers there are for what is beyond the first twelve bytes of words: 4 MB. */
const MOST_REST = 1 << 20;

/** Finds the term for a word. */
export class TermTable {
  readonly #memory: TermMemory;
  /** By the sum of a word, the number of its term; 0 for none. A term whose place is taken goes to the next one. */
  readonly #places = new Uint16Array(PLACES);
  readonly #rest = new Int32Array(MOST_REST);
  #restEnd = 0;
  #count = 0;

  constructor(memory: TermMemory) {
    this.#memory = memory;
  }

  get count(): number {
    return this.#count;
  }

  /** What is beyond the first twelve bytes of words; `REST` tells where. */
  get rest(): Int32Array {
    return this.#rest;
  }

  get restBytes(): number {
    return NUMBER_BYTES * this.#restEnd;
  }

  /** Whether all these words could be new. */
  hasRoomFor({ count, restEnd }: Tokens): boolean {
    return this.#count + count <= MOST_TERMS && this.#restEnd + restEnd <= MOST_REST;
  }

  /** Finds the term for each of these words, a new one where it was not met before. */
  find(words: Tokens, found: Int32Array): void {
    const { fields, count } = words;
    const { numbers } = this.#memory;
    const places = this.#places;
    for (let word = 0, at = 0; word < count; word++, at += FIELDS) {
      const first = fields[at + FIRST] ?? 0;
      const second = fields[at + SECOND] ?? 0;
      const third = fields[at + THIRD] ?? 0;
      const length = fields[at + LENGTH] ?? 0;
      const more = length > SHORT ? sumUp(words, at) : 0;
      let place = placeOf(first, second, third, length ^ more);
      let term = TERM * (places[place] ?? 0) - TERM;
      while (
        term >= 0 &&
        (numbers[term + FIRST] !== first ||
          numbers[term + SECOND] !== second ||
          numbers[term + THIRD] !== third ||
          numbers[term + LENGTH] !== length ||
          (length > SHORT && !this.#hasRest(term, words, at)))
      ) {
        place = (place + 1) & LAST_PLACE;
        term = TERM * (places[place] ?? 0) - TERM;
      }
      found[word] = term >= 0 ? term : this.#add(words, at, place);
    }
  }

  clear(): void {
    this.#places.fill(0);
    this.#count = 0;
    this.#restEnd = 0;
  }

  /** Whether a term is the same as a word of its length beyond the first twelve bytes. */
  #hasRest(term: number, { fields, rest }: Tokens, at: number): boolean {
    const other = fields[at + REST] ?? 0;
    const own = this.#memory.numbers[term + REST] ?? 0;
    const count = restLength(fields[at + LENGTH] ?? 0);
    for (let each = 0; each < count; each++) if (rest[other + each] !== this.#rest[own + each]) return false;
    return true;
  }

  #add({ fields, rest }: Tokens, at: number, place: number): number {
    const { numbers } = this.#memory;
    const term = TERM * this.#count++;
    this.#places[place] = this.#count;
    for (let field = FIRST; field <= LENGTH; field++) numbers[term + field] = fields[at + field] ?? 0;
    numbers[term + REST] = this.#restEnd;
    const from = fields[at + REST] ?? 0;
    const end = from + restLength(fields[at + LENGTH] ?? 0);
    for (let each = from; each < end; each++) this.#rest[this.#restEnd++] = rest[each] ?? 0;
    numbers[term + NEWEST] = NOWHERE;
    numbers[term + AT] = listOf(term);
    numbers[term + LIMIT] = NUMBER_BYTES * (term + TERM);
    numbers[term + FIRST_SLICE] = 0;
    numbers[term + LAST_SLICE] = 0;
    return term;
  }
}

/** Odd numbers with bits in no order, to mix those of a word. */
const FACTOR_OF_FIRST = 0x9e3779b1 | 0;
const FACTOR_OF_SECOND = 0x85ebca77 | 0;
const FACTOR_OF_THIRD = 0xc2b2ae3d | 0;
const FACTOR_OF_SUM = 0x2c1b3c6d;

/** A place that mostly differs when words do: a difference in any bit is spread over the lower ones. */
function placeOf(first: number, second: number, third: number, more: number): number {
  const sum =
    Math.imul(first, FACTOR_OF_FIRST) ^
    Math.imul(second, FACTOR_OF_SECOND) ^
    Math.imul(third, FACTOR_OF_THIRD) ^
    more;
  const half = Math.imul(sum ^ (sum >>> 15), FACTOR_OF_SUM);
  return (half ^ (half >>> 13)) & LAST_PLACE;
}

/** What is beyond the first twelve bytes of a word, summed up. */
function sumUp({ fields, rest }: Tokens, at: number): number {
  const from = fields[at + REST] ?? 0;
  const end = from + restLength(fields[at + LENGTH] ?? 0);
  let sum = 0;
  for (let each = from; each < end; each++) sum = (Math.imul(sum, 31) + (rest[each] ?? 0)) | 0;
  return sum;
}
