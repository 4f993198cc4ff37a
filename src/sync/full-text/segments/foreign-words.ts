import { BETWEEN_TEXTS } from "../../../format/indexed-text.ts";
import { codeAt, putCode, sizeOf } from "../../../format/utf8.ts";
import { spaced } from "../../../format/words.ts";
import type { Inverter } from "./inverter.ts";
import type { Alphabet, Letters } from "./letters.ts";
import * as letters from "./letters.ts";

// Bound here, because V8 looks up what is imported each time it is used, which takes a third more time.
const { CAPITAL, LETTER, OWN_WORD, SEPARATOR, SPECIAL } = letters;

/** What becomes of ASCII characters, in the terms in which `Letters` says it of the others. */
const ASCII = Int32Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (!/[0-9a-z]/i.test(character)) return SEPARATOR;
  return character.toLowerCase().charCodeAt(0) | (/[A-Z]/.test(character) ? CAPITAL : 0);
});

const BETWEEN = Buffer.from(BETWEEN_TEXTS);

/** What is shown runs that may hold a compound name. */
interface NameSink {
  /** A run with a capital after its first character. */
  lookForeign(from: number, to: number): void;
  /** A text that was respelt. */
  lookRespelt(text: Buffer): void;
}

/** Cuts what is not all ASCII into words as the full text's `unicode61` does once `spaced` has respelt it. */
export class ForeignWords {
  readonly #alphabet: Alphabet;
  readonly #inverter: Inverter;
  readonly #names: NameSink;
  /** Of the word that is being spelt. Bytes. */
  #length = 0;

  constructor(alphabet: Alphabet, inverter: Inverter, names: NameSink) {
    this.#alphabet = alphabet;
    this.#inverter = inverter;
    this.#names = names;
  }

  /** The word that keeps two texts of an entry apart. */
  separate(): void {
    this.#cut(BETWEEN, 0, BETWEEN.length, this.#alphabet.respelt);
  }

  /** A run of letters, and of whatever is beyond ASCII, which may be several words or none. */
  take(from: number, to: number): void {
    const { memory } = this.#inverter;
    const kind = this.#kindOf(from, to);
    if (kind === SPECIAL) {
      const respelt = Buffer.from(spaced(memory.toString("utf8", from, to)));
      this.#names.lookRespelt(respelt);
      this.#cut(respelt, 0, respelt.length, this.#alphabet.respelt);
    } else {
      if (kind === CAPITAL) this.#names.lookForeign(from, to);
      this.#cut(memory, from, to, this.#alphabet.written);
    }
  }

  /** `SPECIAL` where it can only be respelt as a whole, `CAPITAL` where there is one after the first character, or 0. */
  #kindOf(from: number, to: number): number {
    const { memory } = this.#inverter;
    const { written } = this.#alphabet;
    let kind = 0;
    for (let at = from; at < to; at += sizeOf(memory[at] ?? 0)) {
      const letter = letterAt(memory, at, written);
      if (letter === SPECIAL) return SPECIAL;
      if (letter > 0 && at > from) kind |= letter & CAPITAL;
    }
    return kind;
  }

  /** Cuts a stretch of UTF-8 into words, character by character. */
  #cut(bytes: Uint8Array, from: number, to: number, alphabet: Letters): void {
    const { word } = this.#inverter;
    for (let at = from; at < to; at += sizeOf(bytes[at] ?? 0)) {
      const letter = letterAt(bytes, at, alphabet);
      if (letter === SPECIAL)
        throw new Error(`a character that cannot be known by itself: ${codeAt(bytes, at)}`);
      const isOwnWord = letter > 0 && (letter & OWN_WORD) !== 0;
      if (letter === SEPARATOR || isOwnWord) this.#endWord();
      if (letter > 0 && this.#length < word.length) {
        this.#length = putCode(word, this.#length, letter & LETTER);
      }
      if (isOwnWord) this.#endWord();
    }
    this.#endWord();
  }

  #endWord(): void {
    if (this.#length > 0) this.#inverter.put(Math.min(this.#length, this.#inverter.word.length));
    this.#length = 0;
  }
}

/** What the character that begins there becomes. */
function letterAt(bytes: Uint8Array, at: number, alphabet: Letters): number {
  const byte = bytes[at] ?? 0;
  return byte < 0x80 ? (ASCII[byte] ?? SEPARATOR) : alphabet.of(codeAt(bytes, at));
}
