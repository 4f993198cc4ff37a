import { BETWEEN_TEXTS } from "../../../format/indexed-text.ts";
import { LONGEST_NAME } from "../../../format/name-finder.ts";
import { codeAt, putCode, sizeOf } from "../../../format/utf8.ts";
import { spaced } from "../../../format/words.ts";
import type { Alphabet, Letters } from "./letters.ts";
import * as letters from "./letters.ts";
import { TextRoom } from "./text-room.ts";
import * as tokens from "./tokens.ts";
import { Tokens } from "./tokens.ts";
import * as bits from "./word-bits.ts";
import { maskOf } from "./word-bits.ts";
import * as spans from "./word-spans.ts";
import { WordSpans } from "./word-spans.ts";

// Bound here, because V8 looks up what is imported each time it is used, which takes a third more time.
const { CAPITAL, LETTER, OWN_WORD, SEPARATOR, SPECIAL } = letters;
const { SMALL, TOPS } = bits;
const { MOST_SPANS } = spans;
const { FIELDS, FIRST, LENGTH, LONGEST_WORD, MOST_TOKENS, REST, SECOND, SHORT, THIRD } = tokens;

/** What takes words in the order they stand in. */
export interface WordSink {
  /** They are good until it returns. */
  take(words: Tokens): void;
}

/** What is shown words that may hold a compound name. */
export interface NameSink {
  /** An ASCII word with a capital after its first letter. */
  look(text: TextRoom, from: number, to: number): void;
  /** A run of letters, and of whatever is beyond ASCII, with a capital after its first character. */
  lookForeign(text: TextRoom, from: number, to: number): void;
  /** A text that was respelt. */
  lookRespelt(text: TextRoom, end: number): void;
}

/** What becomes of ASCII characters, in the terms in which `Letters` says it of the others. */
const ASCII = Int32Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (!/[0-9a-z]/i.test(character)) return SEPARATOR;
  return character.toLowerCase().charCodeAt(0) | (/[A-Z]/.test(character) ? CAPITAL : 0);
});

/** Masks for the first, second and third four bytes of a word of each length up to `SHORT`. */
const MASKS = Int32Array.from({ length: 3 * (SHORT + 1) }, (_, at) =>
  maskOf((at % (SHORT + 1)) - 4 * Math.floor(at / (SHORT + 1))),
);
const SECOND_MASKS = SHORT + 1;
const THIRD_MASKS = 2 * (SHORT + 1);

/** What tells capitals from all other letters and digits: this bit, and not the one below it. */
const CAPITALS = 0x40404040;
const NOT_FIRST = 0x00ffffff;

/** The bits of capitals among four ASCII letters and digits. */
function capitalsOf(bytes: number): number {
  return bytes & ~(bytes << 1) & CAPITALS;
}

/** Cuts texts into words as the full text's `unicode61` does once `spaced` has respelt them. */
export class Tokenizer {
  readonly #alphabet: Alphabet;
  readonly #words: WordSink;
  readonly #names: NameSink;
  readonly #tokens = new Tokens();
  readonly #spans = new WordSpans();
  #text = new TextRoom(0);
  /** A word with characters beyond ASCII, as it is respelt. */
  readonly #becoming = new TextRoom(LONGEST_WORD);
  #length = 0;
  /** The fields of the word that stands between two texts. */
  readonly #between: Int32Array;

  constructor(alphabet: Alphabet, { words, names }: { words: WordSink; names: NameSink }) {
    this.#alphabet = alphabet;
    this.#words = words;
    this.#names = names;
    const room = TextRoom.of(BETWEEN_TEXTS);
    this.#cut(room.bytes, 0, room.end, alphabet.respelt);
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
    this.#spans.begin(text, from, to);
    this.#takeAll(text);
  }

  /** The same of a text as JSON writes it, with escapes, none of them by number. */
  addEscaped(text: TextRoom, from: number, to: number): void {
    this.#spans.beginEscaped(text, from, to);
    this.#takeAll(text);
  }

  #takeAll(text: TextRoom): void {
    this.#text = text;
    while (this.#spans.next()) this.#takeSpans();
  }

  /** The words that were found: runs of ASCII letters and digits, and of whatever is beyond ASCII. */
  #takeSpans(): void {
    const { view } = this.#text;
    const { bounds, count } = this.#spans;
    const words = this.#tokens;
    const { fields } = words;
    if (words.count + count > MOST_TOKENS) this.flush();
    for (let bound = 0; bound < 2 * count; bound += 2) {
      const from = bounds[bound] ?? 0;
      const to = bounds[bound + 1] ?? 0;
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
      if (((first | second | third) & TOPS) !== 0) this.#takeForeign(from, to);
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
      this.#takeForeign(from, to);
      return;
    }
    if (capitals !== 0 && to - from <= LONGEST_NAME) this.#names.look(this.#text, from, to);
    this.#put(view, from, Math.min(to - from, LONGEST_WORD), SMALL);
    this.#keepRoom();
  }

  /** A run with characters beyond ASCII, which may be several words or none. */
  #takeForeign(from: number, to: number): void {
    const text = this.#text;
    const kind = this.#kindOf(from, to);
    if (kind === SPECIAL) {
      const respelt = TextRoom.of(spaced(text.bytes.toString("utf8", from, to)));
      this.#names.lookRespelt(respelt, respelt.end);
      this.#cut(respelt.bytes, 0, respelt.end, this.#alphabet.respelt);
    } else {
      if (kind === CAPITAL) this.#names.lookForeign(text, from, to);
      this.#cut(text.bytes, from, to, this.#alphabet.written);
    }
    this.#keepRoom();
  }

  /** `SPECIAL` where it can only be respelt as a whole, `CAPITAL` where there is one after the first character, or 0. */
  #kindOf(from: number, to: number): number {
    const { bytes } = this.#text;
    const { written } = this.#alphabet;
    let kind = 0;
    for (let at = from; at < to; at += sizeOf(bytes[at] ?? 0)) {
      const letter = letterAt(bytes, at, written);
      if (letter === SPECIAL) return SPECIAL;
      if (letter > 0 && at > from) kind |= letter & CAPITAL;
    }
    return kind;
  }

  /** Cuts a stretch of UTF-8 into words, character by character. */
  #cut(bytes: Uint8Array, from: number, to: number, alphabet: Letters): void {
    for (let at = from; at < to; at += sizeOf(bytes[at] ?? 0)) {
      const letter = letterAt(bytes, at, alphabet);
      if (letter === SPECIAL)
        throw new Error(`a character that cannot be known by itself: ${codeAt(bytes, at)}`);
      const isOwnWord = letter > 0 && (letter & OWN_WORD) !== 0;
      if (letter === SEPARATOR || isOwnWord) this.#endWord();
      if (letter > 0 && this.#length < LONGEST_WORD) {
        this.#length = putCode(this.#becoming.bytes, this.#length, letter & LETTER);
      }
      if (isOwnWord) this.#endWord();
    }
    this.#endWord();
  }

  #endWord(): void {
    if (this.#length > 0) this.#put(this.#becoming.view, 0, Math.min(this.#length, LONGEST_WORD), 0);
    this.#length = 0;
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

  /** Makes room for all words that may still come from the spans that were found. */
  #keepRoom(): void {
    if (this.#tokens.count > MOST_TOKENS - MOST_SPANS || this.#tokens.isRestFull) this.flush();
  }

  /** Where the fields of the next word belong. */
  #next(): number {
    if (this.#tokens.isFull) this.flush();
    return FIELDS * this.#tokens.count++;
  }
}

/** What the character that begins there becomes. */
function letterAt(bytes: Uint8Array, at: number, alphabet: Letters): number {
  const byte = bytes[at] ?? 0;
  return byte < 0x80 ? (ASCII[byte] ?? SEPARATOR) : alphabet.of(codeAt(bytes, at));
}
