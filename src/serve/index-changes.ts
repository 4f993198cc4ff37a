import { setTimeout as pause } from "node:timers/promises";
import { SessionDbError } from "../errors.ts";
import type { IndexLocation } from "../store/location.ts";
import { type Index, openIndex } from "../store/open.ts";
import { toStoreError } from "../store/sqlite-errors.ts";

/** How often it is looked, in ms: that takes microseconds, and is done only while a page is looked at. */
const LOOK_MS = 250;
/** The least time between two changes that are told, in ms. */
const TELL_MS = 500;

/** Grow with each change of the rows and of the full text. */
export interface IndexChanges {
  index: number;
  text: number;
}

/** Tells when another process has written to the index. */
export class ChangeWatch {
  readonly #location: IndexLocation;
  #index: Index | null = null;
  #seen = { index: 0, text: 0 };
  readonly #changes: IndexChanges = { index: 0, text: 0 };
  #listeners = 0;

  constructor(location: IndexLocation) {
    this.#location = location;
  }

  /** Each change from now on, until the signal ends it. */
  async *changes(signal: AbortSignal): AsyncGenerator<IndexChanges, void, undefined> {
    this.#listeners++;
    try {
      let told = this.#look();
      for (let quietFor = 0; !signal.aborted; quietFor += LOOK_MS) {
        // It rejects when it is told to end.
        await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
        const now = this.#look();
        if (quietFor < TELL_MS || (now.index === told.index && now.text === told.text)) continue;
        told = now;
        quietFor = 0;
        yield now;
      }
    } finally {
      if (--this.#listeners === 0) this.#close();
    }
  }

  #look(): IndexChanges {
    try {
      if (this.#index?.isReplaced()) this.#close();
      this.#index ??= openIndex(this.#location, { readonly: true });
      const { reader } = this.#index;
      const seen = { index: versionOf(reader, "main"), text: versionOf(reader, "search") };
      for (const part of ["index", "text"] as const) {
        if (this.#seen[part] !== seen[part]) this.#changes[part]++;
      }
      this.#seen = seen;
    } catch (error) {
      // It is being made, emptied or moved away, or is damaged: whoever asks is told so, and this looks again.
      if (!(toStoreError(error, this.#location.indexPath) instanceof SessionDbError)) throw error;
      this.#close();
    }
    return { ...this.#changes };
  }

  #close(): void {
    this.#index?.close();
    this.#index = null;
    this.#seen = { index: 0, text: 0 };
  }
}

/** Changes whenever another connection has committed: https://sqlite.org/pragma.html#pragma_data_version */
function versionOf(reader: Index["reader"], schema: "main" | "search"): number {
  return Number(reader.pragma(`${schema}.data_version`, { simple: true }));
}
