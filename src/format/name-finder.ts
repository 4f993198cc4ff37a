/** Longer runs of letters and digits are encoded data, not names. Characters. */
const LONGEST_NAME = 64;
const LONGEST_BYTES = 4 * LONGEST_NAME;

/** Places in the table by which known names are recognised; 2 ** 16 take a quarter of a megabyte. */
const PLACES = 1 << 16;

const SPACE = 0x20;

/** Kinds of bytes. */
const OTHER = 0;
const DIGIT = 1;
const SMALL = 2;
const CAPITAL = 3;
/** Part of a character beyond ASCII. */
const FOREIGN = 4;

const KINDS = Uint8Array.from({ length: 0x100 }, (_, byte) => kindOf(String.fromCharCode(byte)));

function kindOf(character: string): number {
  if (/[0-9]/.test(character)) return DIGIT;
  if (/[a-z]/.test(character)) return SMALL;
  if (/[A-Z]/.test(character)) return CAPITAL;
  return character < "\x80" ? OTHER : FOREIGN;
}

/**
 * Finds the compound names in texts (`sessionManager`, `parseHTTPResponse`), as they stand there and each once: words
 * with a capital after a small letter or digit, or a small letter after two capitals. Names with `_`, `-` or `.` do not
 * count: the index splits those by itself.
 *
 * This runs over every text there is, in the UTF-8 that the full text is given: with regular expressions over strings,
 * reading the texts would take a fifth longer. Of a hundred names 99 are known already, and to cut each out of its text
 * and look it up would take as long as all the rest. So the bytes of a word are summed up while its ends are looked
 * for, and the name last found with that sum is compared with the text: equal sums alone prove nothing.
 */
export class NameFinder {
  /** Where each name stands in `#kept`. */
  readonly #found = new Map<string, number>();
  /** The names in UTF-8, a space after each; none stands at 0. */
  #kept = Buffer.allocUnsafeSlow(1 << 16);
  #keptEnd = 1;
  /** By sum, where in `#kept` the name found last stands; 0 for none. */
  readonly #glance = new Int32Array(PLACES);

  /** The names in a text, a string or UTF-8, that were not found before. */
  newIn(text: string | Buffer): string[] {
    const utf8 = typeof text === "string" ? Buffer.from(text) : text;
    const names: string[] = [];
    let before: number | undefined = OTHER;
    for (let at = 0; at < utf8.length; at++) {
      const kind = KINDS[utf8[at] ?? 0];
      if (kind !== CAPITAL || !isSeam(before, utf8, at)) {
        before = kind;
        continue;
      }
      let start = at;
      let end = at;
      let length = 0;
      let sum = 0;
      for (; start > 0; length++) {
        const byte = utf8[start - 1] ?? 0;
        if (KINDS[byte] === OTHER) break;
        const size = KINDS[byte] === FOREIGN ? foreignLetterBefore(utf8, start) : 1;
        if (size === 0) break;
        sum = (Math.imul(sum, 31) + byte) | 0;
        start -= size;
      }
      for (; end < utf8.length; length++) {
        const byte = utf8[end] ?? 0;
        if (KINDS[byte] === OTHER) break;
        const size = KINDS[byte] === FOREIGN ? foreignLetterAt(utf8, end) : 1;
        if (size === 0) break;
        sum = (Math.imul(sum, 31) + byte) | 0;
        end += size;
      }
      at = end;
      before = OTHER;
      if (length > LONGEST_NAME || this.#isAtGlance(utf8, start, end, placeOf(sum))) continue;
      const name = utf8.toString("utf8", start, end);
      let kept = this.#found.get(name);
      if (kept === undefined) {
        names.push(name);
        kept = this.#keep(name);
      }
      this.#glance[placeOf(sum)] = kept;
    }
    return names;
  }

  /** Every name is new again. */
  forget(): void {
    this.#found.clear();
    this.#glance.fill(0);
    this.#keptEnd = 1;
  }

  #isAtGlance(utf8: Uint8Array, start: number, end: number, place: number): boolean {
    let kept = this.#glance[place] ?? 0;
    if (kept === 0) return false;
    for (let at = start; at < end; at++, kept++) if (utf8[at] !== this.#kept[kept]) return false;
    return this.#kept[kept] === SPACE;
  }

  /** Returns where it is kept. */
  #keep(name: string): number {
    const at = this.#keptEnd;
    if (at + LONGEST_BYTES >= this.#kept.length) {
      this.#kept = Buffer.concat([this.#kept], 2 * this.#kept.length);
    }
    this.#keptEnd += this.#kept.write(name, at);
    this.#kept[this.#keptEnd++] = SPACE;
    this.#found.set(name, at);
    return at;
  }
}

/** Whether one part of a compound name ends before this capital and the next begins with it. */
function isSeam(before: number | undefined, utf8: Uint8Array, capital: number): boolean {
  if (before === SMALL || before === DIGIT) return true;
  return before === CAPITAL && capital + 1 < utf8.length && KINDS[utf8[capital + 1] ?? 0] === SMALL;
}

/** Bytes of the letter, mark or digit beyond ASCII that begins there; 0 when it is none. */
function foreignLetterAt(utf8: Uint8Array, at: number): number {
  const lead = utf8[at] ?? 0;
  if (lead < 0xc0) return 0;
  const second = (utf8[at + 1] ?? 0) & 0x3f;
  if (lead < 0xe0) return isLetter(((lead & 0x1f) << 6) | second) ? 2 : 0;
  const third = (utf8[at + 2] ?? 0) & 0x3f;
  if (lead < 0xf0) return isLetter(((lead & 0x0f) << 12) | (second << 6) | third) ? 3 : 0;
  const fourth = (utf8[at + 3] ?? 0) & 0x3f;
  return isLetter(((lead & 0x07) << 18) | (second << 12) | (third << 6) | fourth) ? 4 : 0;
}

/** The same for the one that ends there. */
function foreignLetterBefore(utf8: Uint8Array, end: number): number {
  let at = end - 1;
  while (at > 0 && ((utf8[at] ?? 0) & 0xc0) === 0x80) at--;
  return foreignLetterAt(utf8, at);
}

/** By character: 0 while not known, 1 for letters, digits and their marks, 2 for the rest. */
const LETTERS = new Uint8Array(0x110000);
/**
 * What the full text is given has private characters for vowel signs (`words.ts`); those for emoji have spaces around
 * them.
 */
const LETTER = /[\p{L}\p{N}\p{M}\u{f0000}-\u{fffff}]/u;

function isLetter(code: number): boolean {
  LETTERS[code] ||= LETTER.test(String.fromCodePoint(code)) ? 1 : 2;
  return LETTERS[code] === 1;
}

function placeOf(sum: number): number {
  return (sum ^ (sum >>> 15)) & (PLACES - 1);
}
