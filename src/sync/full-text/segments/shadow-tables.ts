import { PAGE_BYTES } from "../../../db/segments.ts";
import type { Database, Statement } from "../../../store/native.ts";
import type { PageSink } from "./page-sink.ts";
import { Structure } from "./structure.ts";
import { afterVarint, LONGEST_VARINT, putVarint, varintAt } from "./varint.ts";

/** Rows of `entry_text_data` that are no pages of segments. */
const AVERAGES = 1;
const STRUCTURE = 10;

const READ_BLOCK = "SELECT block FROM entry_text_data WHERE id = ?";
const ADD_BLOCK = "INSERT INTO entry_text_data (id, block) VALUES (?, ?)";
const SET_BLOCK = "UPDATE entry_text_data SET block = ? WHERE id = ?";
/** The columns have no type: a number bound as floating-point would be stored as one. */
const ADD_BEGINNING = `INSERT INTO entry_text_idx (segid, term, pgno)
  VALUES (CAST(? AS INTEGER), ?, CAST(? AS INTEGER))`;
const ADD_SIZES = "INSERT INTO entry_text_docsize (id, sz, origin) VALUES";
const SIZE = "(?, ?, ?)";
const SIZE_COLUMNS = 3;
const OPTION = "SELECT v FROM entry_text_config WHERE k = ?";

/** Sizes that are added with one statement: one by one, each takes two thirds more time. */
const SIZES_AT_ONCE = 16;

/** How many words entries have, in the order of their keys. */
export interface WordCounts {
  /** All keys are differences from it. */
  firstKey: number;
  keys: Int32Array;
  words: Int32Array;
}

/** How many entries the full text holds, and how many words. */
export interface Totals {
  entries: number;
  words: number;
}

/**
 * The tables that FTS5 keeps a full text in. To be written by a connection that does nothing else with it: FTS5 remembers
 * what it has read of them.
 */
export class ShadowTables {
  readonly #option: Statement;
  readonly #readBlock: Statement;
  readonly #addBlock: Statement;
  readonly #setBlock: Statement;
  readonly #addBeginning: Statement;
  readonly #addSize: Statement;
  readonly #addSizes: Statement;
  /** Sizes as they are written; most texts are of a few hundred words. */
  readonly #sizes = new Map<number, Uint8Array>();

  constructor(database: Database) {
    this.#option = database.prepare(OPTION).pluck();
    this.#readBlock = database.prepare(READ_BLOCK).pluck();
    this.#addBlock = database.prepare(ADD_BLOCK);
    this.#setBlock = database.prepare(SET_BLOCK);
    this.#addBeginning = database.prepare(ADD_BEGINNING);
    this.#addSize = database.prepare(`${ADD_SIZES} ${SIZE}`);
    this.#addSizes = database.prepare(`${ADD_SIZES} ${Array(SIZES_AT_ONCE).fill(SIZE).join(", ")}`);
  }

  get pageBytes(): number {
    return Number(this.#option.get("pgsz") ?? PAGE_BYTES);
  }

  /** Null where the record has a format that this program does not know. */
  structure(): Structure | null {
    return Structure.read(this.#block(STRUCTURE));
  }

  saveStructure(structure: Structure): void {
    this.#setBlock.run(structure.write(), STRUCTURE);
  }

  /** An empty full text has an empty record. */
  totals(): Totals {
    const record = this.#block(AVERAGES);
    if (record.length === 0) return { entries: 0, words: 0 };
    return { entries: varintAt(record, 0), words: varintAt(record, afterVarint(record, 0)) };
  }

  saveTotals({ entries, words }: Totals): void {
    const record = new Uint8Array(2 * LONGEST_VARINT);
    const end = putVarint(record, putVarint(record, 0, entries), words);
    this.#setBlock.run(record.subarray(0, end), AVERAGES);
  }

  /** Takes the pages of a new segment. */
  pagesOf(segment: number): PageSink {
    return {
      block: (id, bytes) => this.#addBlock.run(id, bytes),
      beginning: (word, pageAndFlag) => this.#addBeginning.run(segment, word, pageAndFlag),
    };
  }

  /** Writes the sizes of entries. */
  addSizes({ firstKey, keys, words }: WordCounts, origin: number): void {
    const values: unknown[] = [];
    for (let at = 0; at < keys.length; at++) {
      values.push(firstKey + (keys[at] ?? 0), this.#sizeOf(words[at] ?? 0), origin);
      if (values.length < SIZE_COLUMNS * SIZES_AT_ONCE) continue;
      this.#addSizes.run(values);
      values.length = 0;
    }
    while (values.length > 0) this.#addSize.run(values.splice(0, SIZE_COLUMNS));
  }

  #sizeOf(words: number): Uint8Array {
    return this.#sizes.get(words) ?? this.#writeSize(words);
  }

  #writeSize(words: number): Uint8Array {
    const size = new Uint8Array(LONGEST_VARINT);
    const written = size.subarray(0, putVarint(size, 0, words));
    this.#sizes.set(words, written);
    return written;
  }

  #block(id: number): Uint8Array {
    const block: unknown = this.#readBlock.get(id);
    return block instanceof Uint8Array ? block : new Uint8Array();
  }
}
