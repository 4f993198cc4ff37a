import type { Database, Statement } from "../db/native.ts";
import { compoundNames, foldWord, partsOfName } from "../format/words.ts";

/** Writes the compound names of texts by their parts, each name once. */
export class CompoundNames {
  readonly #insert: Statement;
  readonly #written = new Set<string>();
  /** Changes when another connection writes. */
  readonly #version: Statement;
  #seenVersion: unknown;
  #isOpen = false;

  constructor(search: Database) {
    this.#version = search.prepare("SELECT data_version FROM pragma_data_version").pluck();
    this.#insert = search.prepare("INSERT OR IGNORE INTO compound_names (part, name) VALUES (?, ?)");
  }

  add(text: string): void {
    for (const name of compoundNames(text)) {
      if (this.#written.has(name)) continue;
      this.#written.add(name);
      for (const part of partsOfName(name)) this.#insert.run(foldWord(part), foldWord(name));
    }
  }

  /**
   * To be called at the beginning of each transaction: what was written is there no more when the transaction
   * before was undone or another process has emptied the table.
   */
  begin(): void {
    const version = this.#version.get();
    if (this.#isOpen || version !== this.#seenVersion) this.#written.clear();
    this.#seenVersion = version;
    this.#isOpen = true;
  }

  /** To be called at the end of each transaction that is not undone. */
  end(): void {
    this.#isOpen = false;
  }
}
