import type { Database, Statement } from "../db/native.ts";
import { compoundNames, foldWord, partsOfName } from "../format/words.ts";

/** Writes the compound names of texts by their parts, each name once. */
export class CompoundNames {
  readonly #insert: Statement;
  readonly #written = new Set<string>();

  constructor(search: Database) {
    this.#insert = search.prepare("INSERT OR IGNORE INTO compound_names (part, name) VALUES (?, ?)");
  }

  add(text: string): void {
    for (const name of compoundNames(text)) {
      if (this.#written.has(name)) continue;
      this.#written.add(name);
      for (const part of partsOfName(name)) this.#insert.run(foldWord(part), foldWord(name));
    }
  }

  /** To be called with each transaction: the one before may have been undone, or another process emptied the table. */
  forget(): void {
    this.#written.clear();
  }
}
