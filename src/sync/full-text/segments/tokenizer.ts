import { BETWEEN_TEXTS } from "../../../format/indexed-text.ts";
import { LONGEST_NAME } from "../../../format/name-finder.ts";
import { codeAt, putCode, sizeOf } from "../../../format/utf8.ts";
import { type Letters, PASSED_OVER, SEPARATOR } from "./letters.ts";
import { TextRoom } from "./text-room.ts";
import * as tokens from "./tokens.ts";
import { Tokens } from "./tokens.ts";
import * as bits from "./word-bits.ts";
import { markWords, maskOf } from "./word-bits.ts";

// Bound here, because V8 looks up what is imported each time it is used, which takes a third more time.
const { ALL, BYTES_PER_BITS, SMALL, TOPS } = bits;
const { FIELDS, FIRST, LENGTH, LONGEST_WORD, MOST_TOKENS, REST, SECOND, SHORT, THIRD } = tokens;

/** What takes words in the order they stand in. */
export interface WordSink {
  /** They are good until it returns. */
  take(words: Tokens): void;
}

/** What is shown words, as they stand in the text, that hold a capital or a character beyond ASCII after their first. */
export interface NameSink {
  look(text: TextRoom, from: number, to: number): void;
}

/** Bytes whose words are found in one go: half as many at most. */
const BLOCK = 2048;

/** No word is open at the end of what was looked at. */
const NONE = -1;

/** What makes a small letter of an ASCII capital, and leaves digits as they are. */
const SMALL_LETTER = 0x20;

/** What is left of the first, second and third four bytes of a word by its length, up to `SHORT`. */
const MASKS = Int32Array.from({ length: 3 * (SHORT + 1) }, (_, at) =>
  maskOf((at % (SHORT + 1)) - 4 * Math.floor(at / (SHORT + 1))),
);
const SECOND_MASKS = SHORT + 1;
const THIRD_MASKS = 2 * (SHORT + 1);

/** What tells capitals from all other letters and digits: this bit, and not the one below it. */
const CAPITAL = 0x40404040;
const NOT_FIRST = 0x00ffffff;

/** The bits of capitals among four ASCII letters and digits. */
function capitalsOf(bytes: number): number {
  return bytes & ~(bytes << 1) & CAPITAL;
}

/** Cuts texts into words as the full text's `unicode61` does: without case and diacritics. */
export class Tokenizer {
  readonly #letters: Letters;
  readonly #words: WordSink;
  readonly #names: NameSink;
  readonly #tokens = new Tokens();
  readonly #bits = new Int32Array(BLOCK / BYTES_PER_BITS);
  /** Where words begin and end, in turns. */
  readonly #spans = new Int32Array(BLOCK + 2);
  #spanCount = 0;
  #text = new TextRoom(0);
  /** A word with characters beyond ASCII, as it becomes. */
  readonly #respelt = new TextRoom(LONGEST_WORD);
  /** The fields of the word that stands between two texts. */
  readonly #between: Int32Array;

  constructor(letters: Letters, { words, names }: { words: WordSink; names: NameSink }) {
    this.#letters = letters;
    this.#words = words;
    this.#names = names;
    const room = new TextRoom(BETWEEN_TEXTS.length * 3);
    this.add(room, 0, room.write(BETWEEN_TEXTS));
    this.#between = this.#tokens.fields.slice(0, FIELDS);
    this.#tokens.clear();
  }

  /** Gives all words that it still has. To be called at the end of each entry. */
  flush(): void {
    if (this.#tokens.count > 0) this.#words.take(this.#tokens);
    this.#tokens.clear();
  }

  /** The word that keeps two texts of an entry apart. */
  separate(): void {
    this.#tokens.fields.set(this.#between, this.#next());
  }

  /** The words of a stretch of a text, in UTF-8; what is at either side of it belongs to none of them. */
  add(text: TextRoom, from: number, to: number): void {
    this.#text = text;
    let open = NONE;
    for (let block = from; block < to; block += BLOCK) {
      const length = Math.min(BLOCK, to - block);
      const count = markWords(text.view, block, block + length, this.#bits);
      const last = length - (count - 1) * BYTES_PER_BITS;
      if (last < BYTES_PER_BITS) this.#bits[count - 1] = (this.#bits[count - 1] ?? 0) & ~(ALL >>> last);
      open = this.#findSpans(block, count, open);
      this.#takeSpans();
    }
    if (open === NONE) return;
    this.#spans[0] = open;
    this.#spans[1] = to;
    this.#spanCount = 1;
    this.#takeSpans();
  }

  /**
   * Where the words that are marked begin and end.
   *
   * @param open where a word begins that goes on here, or `NONE`
   * @returns the same for what follows
   */
  #findSpans(block: number, count: number, open: number): number {
    const bits = this.#bits;
    const spans = this.#spans;
    let start = open;
    let found = 0;
    for (let number = 0, base = block; number < count; number++, base += BYTES_PER_BITS) {
      let marks = bits[number] ?? 0;
      if (start !== NONE) {
        const end = Math.clz32(~marks);
        if (end === BYTES_PER_BITS) continue;
        spans[found++] = start;
        spans[found++] = base + end;
        marks &= ALL >>> end;
        start = NONE;
      }
      while (marks !== 0) {
        const first = Math.clz32(marks);
        const end = Math.clz32(~(marks | ~(ALL >>> first)));
        if (end === BYTES_PER_BITS) {
          start = base + first;
          break;
        }
        spans[found++] = base + first;
        spans[found++] = base + end;
        marks &= ALL >>> end;
      }
    }
    this.#spanCount = found / 2;
    return start;
  }

  /** The words that were found: runs of ASCII letters and digits, and of whatever is beyond ASCII. */
  #takeSpans(): void {
    const { view } = this.#text;
    const spans = this.#spans;
    const words = this.#tokens;
    const { fields } = words;
    if (words.count + this.#spanCount > MOST_TOKENS) this.flush();
    for (let span = 0, end = 2 * this.#spanCount; span < end; span += 2) {
      const from = spans[span] ?? 0;
      const to = spans[span + 1] ?? 0;
      const length = to - from;
      if (length > SHORT) {
        this.#longWord(from, to);
        continue;
      }
      const firstMask = MASKS[length] ?? 0;
      const secondMask = MASKS[SECOND_MASKS + length] ?? 0;
      const thirdMask = MASKS[THIRD_MASKS + length] ?? 0;
      const first = view.getInt32(from) & firstMask;
      const second = view.getInt32(from + 4) & secondMask;
      const third = view.getInt32(from + 8) & thirdMask;
      if (((first | second | third) & TOPS) !== 0) this.#respell(from, to);
      else {
        const at = FIELDS * words.count++;
        fields[at + FIRST] = first | (SMALL & firstMask);
        fields[at + SECOND] = second | (SMALL & secondMask);
        fields[at + THIRD] = third | (SMALL & thirdMask);
        fields[at + LENGTH] = length;
        const capitals = (capitalsOf(first) & NOT_FIRST) | capitalsOf(second) | capitalsOf(third);
        if (capitals !== 0) this.#names.look(this.#text, from, to);
      }
    }
  }

  #longWord(from: number, to: number): void {
    const { view } = this.#text;
    let all = 0;
    let capitals = 0;
    for (let at = from; at < to; at += 4) {
      const four = view.getInt32(at) & maskOf(to - at);
      all |= four;
      capitals |= at === from ? capitalsOf(four) & NOT_FIRST : capitalsOf(four);
    }
    if ((all & TOPS) !== 0) {
      this.#respell(from, to);
      return;
    }
    if (capitals !== 0 && to - from <= LONGEST_NAME) this.#names.look(this.#text, from, to);
    this.#put(view, from, Math.min(to - from, LONGEST_WORD), SMALL);
    this.#keepRoom();
  }

  /** A run with characters beyond ASCII, which may be several words or none. */
  #respell(from: number, to: number): void {
    const { bytes } = this.#text;
    this.#names.look(this.#text, from, to);
    let length = 0;
    for (let at = from; at < to; ) {
      const byte = bytes[at] ?? 0;
      const isForeign = byte >= 0x80;
      const letter = isForeign ? this.#letters.becomes(codeAt(bytes, at)) : byte | SMALL_LETTER;
      at += isForeign ? sizeOf(byte) : 1;
      if (letter === SEPARATOR) {
        this.#putRespelt(length);
        length = 0;
      } else if (letter !== PASSED_OVER && length < LONGEST_WORD) {
        length = putCode(this.#respelt.bytes, length, letter);
      }
    }
    this.#putRespelt(length);
    this.#keepRoom();
  }

  #putRespelt(length: number): void {
    if (length === 0) return;
    const kept = Math.min(length, LONGEST_WORD);
    this.#put(this.#respelt.view, 0, kept, 0);
  }

  /** @param small what makes its letters small ones: `SMALL`, or 0 where they are what they become */
  #put(view: DataView, from: number, length: number, small: number): void {
    const at = this.#next();
    const { fields, rest } = this.#tokens;
    for (let field = FIRST; field <= THIRD; field++) {
      const mask = maskOf(length - 4 * field);
      fields[at + field] = (view.getInt32(from + 4 * field) | small) & mask;
    }
    fields[at + LENGTH] = length;
    fields[at + REST] = this.#tokens.restEnd;
    for (let done = SHORT; done < length; done += 4) {
      rest[this.#tokens.restEnd++] = (view.getInt32(from + done) | small) & maskOf(length - done);
    }
  }

  /** For all words that may still come of those that were found. */
  #keepRoom(): void {
    if (this.#tokens.count > MOST_TOKENS - BLOCK || this.#tokens.isRestFull) this.flush();
  }

  /** Where the fields of the next word belong. */
  #next(): number {
    if (this.#tokens.isFull) this.flush();
    return FIELDS * this.#tokens.count++;
  }
}
