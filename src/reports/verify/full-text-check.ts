import type { JsonObject } from "../../format/json.ts";
import { searchableTexts } from "../../format/searchable.ts";
import { IndexedText } from "../../search/fts/indexed-text.ts";
import { ScratchText } from "../../search/fts/scratch-text.ts";
import { readFullTextState } from "../../search/full-text-state.ts";
import type { Database } from "../../store/native.ts";
import type { Index } from "../../store/open.ts";
import { prepared } from "../../store/statements.ts";
import type { Differences } from "./difference.ts";

/** Bytes of text that are compared at once. */
const BATCH_BYTES = 4 * 1024 * 1024;

const IS_MISSED = "SELECT 1 FROM search.missed_keys WHERE ? BETWEEN first_key AND last_key";
/** Words that are looked up after each batch: where pages of the full text were lost, whatever begins alike is gone. */
const WORDS_LOOKED_UP = 32;

const ANY_WITH_WORD = "SELECT rowid FROM search.entry_text WHERE entry_text MATCH ? LIMIT 1";
/** How many words the full text has taken in of an entry. */
const SIZE = "SELECT hex(sz) FROM search.entry_text_docsize WHERE id = ?";

/**
 * The full text beside what the files say. It holds no text, so it is compared by the entries that are in it, the number
 * of words of each, parts of identifiers included, and by asking for some of the words.
 */
export class FullTextCheck {
  readonly #reader: Database;
  readonly #scratch: ScratchText;
  /** Later entries are not searchable yet. */
  readonly #watermark: number;
  readonly #lines = new Map<number, number>();
  readonly #texts = new Map<number, Buffer>();
  readonly #indexed = new IndexedText();
  #bytes = 0;
  #batch = 0;

  private constructor(reader: Database, watermark: number) {
    this.#reader = reader;
    this.#scratch = new ScratchText(reader);
    this.#watermark = watermark;
  }

  /** Null where there is no full text of this index. */
  static of(index: Index): FullTextCheck | null {
    if (!index.hasFullText) return null;
    const { isOurs, watermark } = readFullTextState(index);
    return isOurs ? new FullTextCheck(index.reader, watermark) : null;
  }

  /** The next entry of a session; null stands for one that was too long to be read. */
  take(key: number, line: number, entry: JsonObject | null, differences: Differences): void {
    if (key > this.#watermark || prepared(this.#reader, IS_MISSED).get(key) !== undefined) return;
    this.#lines.set(key, line);
    const text = entry === null ? null : this.#indexed.of(searchableTexts(entry));
    if (text === null) return;
    this.#texts.set(key, text);
    this.#bytes += text.length;
    if (this.#bytes >= BATCH_BYTES) this.finish(differences);
  }

  /** To be called at the end of each session. */
  finish(differences: Differences): void {
    this.#scratch.fill(this.#texts);
    const expected = this.#scratch.sizes();
    const size = prepared(this.#reader, SIZE).pluck();
    let isSame = true;
    for (const [key, line] of this.#lines) {
      const [inFile, inIndex] = [expected.get(key), size.get(key)];
      if (inFile === inIndex) continue;
      isSame = false;
      differences.add(`line ${line}: ${describe(inFile, inIndex)}`);
    }
    if (isSame) this.#lookUpWords(differences);
    this.#lines.clear();
    this.#texts.clear();
    this.#bytes = 0;
  }

  /**
   * Other words in each batch, spread evenly over those of its texts. That a word finds something takes 10 us; that it
   * finds these entries would take 100 times as long.
   */
  #lookUpWords(differences: Differences): void {
    const isFound = prepared(this.#reader, ANY_WITH_WORD).pluck();
    const words = this.#scratch.words();
    const step = Math.ceil(words.length / WORDS_LOOKED_UP);
    const first = this.#batch++ % step;
    const asked = words.filter((_, at) => at % step === first);
    const unknown = asked.filter((word) => isFound.get(`"${word}"`) === undefined);
    // Not which: a word may be a secret.
    if (unknown.length > 0) {
      differences.add(
        `the full text does not know ${unknown.length} of ${asked.length} words that were looked up`,
      );
    }
  }

  close(): void {
    this.#scratch.close();
  }
}

function describe(inFile: string | undefined, inIndex: unknown): string {
  if (inIndex === undefined) return "it is not searchable";
  return inFile === undefined
    ? "the full text has words of it that are not in the file"
    : "the full text does not have as many words of it as the file";
}
