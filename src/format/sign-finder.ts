const NONE: readonly number[] = [];

/**
 * Tells which of many fixed texts stand anywhere in a text, upper and lower case of ASCII letters taken as one, in one
 * pass over it: for the 100 signs of secrets that is many times faster than looking for each (Aho and Corasick, 1975).
 */
export class SignFinder {
  /** Kinds of characters: 0 for all that stand in no sign. By ASCII code. */
  readonly #kinds = new Uint8Array(128);
  #kindCount = 1;
  /** State and kind of character give the next state; state 0 knows nothing. */
  readonly #next: Uint16Array;
  /** By state: the signs that end there. */
  readonly #found: (readonly number[])[];

  /** @param signs ASCII */
  constructor(signs: readonly string[]) {
    for (const sign of signs) for (const character of sign) this.#addKind(character);
    const states = signs.reduce((sum, sign) => sum + sign.length, 1);
    this.#next = new Uint16Array(states * this.#kindCount);
    this.#found = new Array(states).fill(NONE);
    const used = this.#addSigns(signs);
    this.#addFallbacks(used);
  }

  /** The numbers of the signs, in no order; null when there are none. */
  signsIn(text: string): Set<number> | null {
    let signs: Set<number> | null = null;
    let state = 0;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const kind = code < 128 ? (this.#kinds[code] ?? 0) : 0;
      state = kind === 0 ? 0 : (this.#next[state * this.#kindCount + kind] ?? 0);
      const found = this.#found[state] ?? NONE;
      if (found.length === 0) continue;
      signs ??= new Set();
      for (const sign of found) signs.add(sign);
    }
    return signs;
  }

  #addKind(character: string): void {
    const [small, capital] = [character.toLowerCase().charCodeAt(0), character.toUpperCase().charCodeAt(0)];
    if (this.#kinds[small] !== 0) return;
    this.#kinds[small] = this.#kindCount;
    this.#kinds[capital] = this.#kindCount++;
  }

  /** The signs as a tree of their beginnings. Returns how many states there are. */
  #addSigns(signs: readonly string[]): number {
    let states = 1;
    signs.forEach((sign, number) => {
      let state = 0;
      for (const character of sign) {
        const at = state * this.#kindCount + (this.#kinds[character.charCodeAt(0)] ?? 0);
        if (this.#next[at] === 0) this.#next[at] = states++;
        state = this.#next[at] ?? 0;
      }
      this.#found[state] = [...(this.#found[state] ?? NONE), number];
    });
    return states;
  }

  /** Where a sign does not go on: to the longest end of what was read that another sign begins with. */
  #addFallbacks(states: number): void {
    const fallback = new Uint16Array(states);
    // A state's fallback is less deep, so it is complete when the states come by depth.
    for (const queue = [0]; queue.length > 0; ) {
      const state = queue.shift() ?? 0;
      for (let kind = 1; kind < this.#kindCount; kind++) {
        const at = state * this.#kindCount + kind;
        const other = state === 0 ? 0 : (this.#next[(fallback[state] ?? 0) * this.#kindCount + kind] ?? 0);
        const child = this.#next[at] ?? 0;
        if (child === 0) {
          this.#next[at] = other;
          continue;
        }
        fallback[child] = other;
        const inherited = this.#found[other] ?? NONE;
        if (inherited.length > 0) this.#found[child] = [...(this.#found[child] ?? NONE), ...inherited];
        queue.push(child);
      }
    }
  }
}
