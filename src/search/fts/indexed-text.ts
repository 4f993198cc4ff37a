import { IdentifierFinder } from "./identifiers.ts";
import { BETWEEN, spaced } from "./tokenizer.ts";

/** The texts of an entry as one, spelt for the full text; null when it has none. */
export function joinedTexts(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.map(spaced).join(` ${BETWEEN} `);
}

/** What goes into the full text of each entry, in UTF-8. */
export class IndexedText {
  readonly #identifiers = new IdentifierFinder();

  /** From the texts of an entry; null when it has none. */
  of(texts: readonly string[]): Buffer | null {
    const joined = joinedTexts(texts);
    return joined === null ? null : this.complete(Buffer.from(joined));
  }

  /** Adds the parts of identifiers to what `joinedTexts` gives. */
  complete(joined: Buffer): Buffer {
    const parts = this.#identifiers.partsIn(joined);
    return parts.length === 0 ? joined : Buffer.concat([joined, Buffer.from(` ${parts.join(" ")}`)]);
  }
}
