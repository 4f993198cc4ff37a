/** Longer runs of letters and digits are encoded data, not names. */
const LONGEST_NAME = 64;

/** Where a compound name is sewn together. */
const SEAM = /[a-z0-9][A-Z]|[A-Z][A-Z][a-z]/g;

/** For names that are told at a glance to be found already; 2 ** 16 places take half a megabyte. */
const PLACES = 1 << 16;

/**
 * Finds the compound names in texts (`sessionManager`, `parseHTTPResponse`), as they stand there and each once: words
 * with a capital after a small letter or digit, or a small letter after two capitals. Names with `_`, `-` or `.` are
 * none: the index splits those by itself.
 *
 * This runs over every text there is: looking for the seams, and from them for the ends of the word, takes half the
 * time of one pass over all characters, and a third of that of an expression for whole names. All but one in a hundred
 * were found before, and cutting each out of its text to look it up took as long as all the rest. So their letters are
 * summed up on the way to the ends of the word, and the name found last under that sum is compared with the text: equal
 * sums alone say nothing.
 */
export class NameFinder {
  /** Each name by itself, in a copy: what `slice` gives would keep its whole text in memory. */
  readonly #found = new Map<string, string>();
  readonly #glance = new Array<string>(PLACES).fill("");

  /** The names in a text that were not found before. */
  newIn(text: string): string[] {
    const names: string[] = [];
    for (let from = 0; ; ) {
      SEAM.lastIndex = from;
      if (!SEAM.test(text)) return names;
      let start = SEAM.lastIndex - 2;
      let end = SEAM.lastIndex;
      let sum = 0;
      for (; start > from; start--) {
        const unit = text.charCodeAt(start - 1);
        if (!isOfWord(unit)) break;
        sum = (Math.imul(sum, 31) + unit) | 0;
      }
      for (; end < text.length; end++) {
        const unit = text.charCodeAt(end);
        if (!isOfWord(unit)) break;
        sum = (Math.imul(sum, 31) + unit) | 0;
      }
      from = end;
      if (end - start > LONGEST_NAME || this.#isAtGlance(text, start, end, placeOf(sum))) continue;
      const name = text.slice(start, end);
      const known = this.#found.get(name) ?? copyOf(name);
      this.#glance[placeOf(sum)] = known;
      if (this.#found.has(known)) continue;
      this.#found.set(known, known);
      names.push(known);
    }
  }

  /** Every name is new again. */
  forget(): void {
    this.#found.clear();
    this.#glance.fill("");
  }

  #isAtGlance(text: string, start: number, end: number, place: number): boolean {
    const name = this.#glance[place];
    return name?.length === end - start && text.startsWith(name, start);
  }
}

function placeOf(sum: number): number {
  return (sum ^ (sum >>> 15)) & (PLACES - 1);
}

function copyOf(name: string): string {
  return Buffer.from(name, "utf16le").toString("utf16le");
}

/** By UTF-16 unit: 0 while not known, 1 for letters, digits and their marks, 2 for the rest. */
const KINDS = new Uint8Array(0x10000);

function isOfWord(unit: number): boolean {
  KINDS[unit] ||= /[\p{L}\p{N}\p{M}]/u.test(String.fromCharCode(unit)) ? 1 : 2;
  return KINDS[unit] === 1;
}
