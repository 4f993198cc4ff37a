import { NameFinder } from "../../../format/name-finder.ts";
import { spaced } from "../../../format/words.ts";
import type { Inverter } from "./inverter.ts";

/** Finds the compound names among words that may be some. Most of them were met before, which the inverter knows. */
export class NameLooks {
  readonly #inverter: Inverter;
  readonly #finder = new NameFinder();
  readonly #found: string[] = [];

  constructor(inverter: Inverter) {
    this.#inverter = inverter;
  }

  /** An ASCII word, where it stands in the memory of the inverter. */
  look(from: number, to: number): void {
    this.#note(this.#finder.newBetween(this.#inverter.memory, from, to));
  }

  /** A word as it was written, with characters beyond ASCII. */
  lookForeign(from: number, to: number): void {
    if (this.#inverter.isRemembered(from, to)) return;
    this.#note(this.#finder.newIn(spaced(this.#inverter.memory.toString("utf8", from, to))));
  }

  lookRespelt(text: Buffer): void {
    this.#note(this.#finder.newBetween(text, 0, text.length));
  }

  /** The names that were found since the last time, each once; most of those that were taken before are left out. */
  take(): string[] {
    this.#finder.forget();
    return this.#found.splice(0);
  }

  /** All names are found again. */
  forget(): void {
    this.#inverter.forgetWords();
  }

  #note(names: readonly string[]): void {
    for (const name of names) this.#found.push(name);
  }
}
