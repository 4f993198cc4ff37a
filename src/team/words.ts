import { createHash } from "node:crypto";
import { fullTextWords } from "../search/fts/full-text-words.ts";
import { IndexedText } from "../search/fts/indexed-text.ts";
import { BETWEEN } from "../search/fts/tokenizer.ts";

/*
 * Texts for PostgreSQL's full text, in the words that the full text on each machine has: a `tsvector` is written and
 * a `tsquery` is asked without any of PostgreSQL's own dictionaries, so that both find the same.
 */

/** A part of an entry's text. */
export interface TextVector {
  /** The text itself, all of it in the first part: texts of one entry with `TEXT_END` between them. */
  text: string;
  /** A literal of the type `tsvector`. */
  words: string;
}

/** Ends each text of an entry but the last: ASCII's separator of records. */
export const TEXT_END = "\u001e";

/** A word that no query can hold, in each part of an entry that has several. */
export const PARTED = " ";

/** Of a `tsvector`: positions end at 16,383, and a word keeps 256 of them. */
const MOST_WORDS = 10_000;
const MOST_OF_ONE = 255;
/** Bytes of a part's words, each time they stand there: a `tsvector` ends at a megabyte. */
const MOST_BYTES = 400_000;
/** So many words stand at the end of one part and at the beginning of the next, so that phrases are found there, too. */
export const OVERLAP = 64;

/** Bytes. A word of a `tsvector` ends at 2,046: of longer ones the beginning is kept, and a hash of the whole. */
const LONGEST = 2000;
const BEGINNING = 1900;

const indexed = new IndexedText();

/** The texts of an entry for `entry_text`; in several parts when they are long. None for an entry without texts. */
export function toVectors(texts: readonly string[]): TextVector[] {
  const joined = indexed.of(texts);
  if (joined === null) return [];
  // It is given a place, so that no phrase spans it, and no word.
  const words = fullTextWords(joined.toString()).map((word) => (word === BETWEEN ? null : fitting(word)));
  const parts = [...partsOf(words)];
  const text = texts
    .map((each) => each.replaceAll(TEXT_END, " "))
    .join(TEXT_END)
    .replaceAll("\0", " ");
  return parts.map((part, at) => ({ text: at === 0 ? text : "", words: literalOf(part, parts.length > 1) }));
}

/** Words in the places where they stand; null for a place without one. */
type Placed = readonly (string | null)[];

function* partsOf(words: Placed): Generator<Placed> {
  for (let start = 0, isLast = false; !isLast; ) {
    const end = endOfPart(words, start);
    isLast = end === words.length;
    yield words.slice(start, end);
    start = end - OVERLAP;
  }
}

function endOfPart(words: Placed, start: number): number {
  const counts = new Map<string, number>();
  let bytes = 0;
  for (let at = start; at < words.length; at++) {
    const word = words[at] ?? null;
    if (word === null) continue;
    const count = (counts.get(word) ?? 0) + 1;
    bytes += Buffer.byteLength(word);
    // There is always room for more words than the next part repeats.
    if (at - start >= MOST_WORDS || count > MOST_OF_ONE || bytes > MOST_BYTES) return at;
    counts.set(word, count);
  }
  return words.length;
}

function literalOf(words: Placed, isParted: boolean): string {
  const places = new Map<string, number[]>();
  for (const [at, word] of words.entries()) {
    if (word === null) continue;
    const known = places.get(word);
    if (known === undefined) places.set(word, [at + 1]);
    else known.push(at + 1);
  }
  const lexemes = [...places].map(([word, at]) => `${quoted(word)}:${at.join(",")}`);
  return (isParted ? [quoted(PARTED), ...lexemes] : lexemes).join(" ");
}

export function fitting(word: string): string {
  // Of UTF-16 units three bytes each come at most.
  if (3 * word.length <= LONGEST || Buffer.byteLength(word) <= LONGEST) return word;
  return wordBeginning(word) + createHash("sha256").update(word).digest("hex").slice(0, 24);
}

/** As many whole characters as are kept of any word: what a query for a beginning may ask for. */
export function wordBeginning(word: string): string {
  if (Buffer.byteLength(word) <= BEGINNING) return word;
  return new TextDecoder().decode(Buffer.from(word).subarray(0, BEGINNING), { stream: true });
}

/** Words are letters and digits: there is nothing in them to escape. */
function quoted(word: string): string {
  return /^[a-z0-9]+$/.test(word) ? word : `'${word}'`;
}
