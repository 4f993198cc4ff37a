import type { Database } from "../../db/native.ts";
import { prepared } from "../../db/prepared.ts";
import { ScratchText } from "../../db/scratch-text.ts";
import { joinedTexts } from "../../format/indexed-text.ts";
import { INDEXED } from "../../format/searchable.ts";
import { type BodyPlace, PLACE_COLUMNS, readTexts } from "../body.ts";
import type { Found } from "./found.ts";
import { type Glance, glanceFor } from "./glance.ts";
import { type NamesOf, type SearchQuery, type Term, toMatchExpression } from "./search-query.ts";
import { isPlain, type KnownWords } from "./sieve.ts";

/** How many words are asked for in the place of a wide beginning. More would take longer than they save. */
const KNOWN_WORDS = 32;
/** For how many beginnings: the full text takes at most 256 exceptions in one expression. */
const KNOWN_BEGINNINGS = 4;

const PLACES = `SELECT e.key, ${PLACE_COLUMNS}
  FROM json_each(?) j CROSS JOIN entries e ON e.key = j.value
  CROSS JOIN sessions s ON s.file_id = e.file_id CROSS JOIN files f ON f.id = e.file_id`;

export interface TextQuestion {
  query: SearchQuery;
  namesOf: NamesOf;
  /** Of lines that are read. */
  mostBytes: number;
}

/** Looks for what a query asks in the texts of entries, read back from their files. */
export class TextSearch {
  readonly #reader: Database;
  readonly #query: SearchQuery;
  readonly #scratch: ScratchText;
  readonly #names = new Map<string, string[]>();
  readonly #namesOf: NamesOf;
  readonly #isOut: Glance;
  /** The texts that were read so far; null once words were learned from them. */
  #texts: string[] | null = [];
  #bytesLeft: number;

  constructor(reader: Database, { query, namesOf, mostBytes }: TextQuestion) {
    this.#reader = reader;
    this.#query = query;
    this.#namesOf = namesOf;
    this.#bytesLeft = mostBytes;
    this.#isOut = glanceFor(query);
    this.#scratch = new ScratchText(reader);
  }

  /** The keys of those that match; null when there is too much to read, or something cannot be read. */
  matching(found: Found[]): Set<number> | null {
    if (found.length === 0) return new Set();
    const keys = JSON.stringify(found.map(({ key }) => key));
    const places = prepared(this.#reader, PLACES).all(keys) as (BodyPlace & { key: number })[];
    for (const { length } of places) this.#bytesLeft -= length;
    if (this.#bytesLeft < 0) return null;
    const remaining = new Map<number, string>();
    for (const place of places) {
      const texts = readTexts(place, INDEXED);
      if (texts === null) return null;
      const text = joinedTexts(texts);
      if (text === null) continue;
      this.#texts?.push(text);
      if (!this.#isOut(text)) remaining.set(place.key, text);
    }
    this.#scratch.fill(remaining);
    return this.#scratch.keysOf(this.#expression());
  }

  /** The commonest words with these beginnings, in the texts read so far. To be called once. */
  learnWords(terms: Iterable<Term>): KnownWords {
    const known = new Map<Term, string[]>();
    for (const term of [...terms].filter(isPlain).slice(0, KNOWN_BEGINNINGS)) {
      const words = commonest(this.#texts ?? [], term);
      if (words.length > 0) known.set(term, words);
    }
    this.#texts = null;
    return known;
  }

  close(): void {
    this.#scratch.close();
  }

  /** The query as an expression. Of the thousands of names with a part that is asked for, it has only those in these texts. */
  #expression(): string {
    let words: Set<string> | undefined;
    const isThere = (name: string) => {
      words ??= this.#scratch.words();
      return words.has(name);
    };
    return toMatchExpression(this.#query, (part, prefix) =>
      this.#allNames(part, prefix).filter((name) => isThere(name) || !/^[a-z0-9]*$/.test(name)),
    );
  }

  #allNames(part: string, prefix: boolean): string[] {
    const asked = prefix ? `${part}*` : part;
    const names = this.#names.get(asked) ?? this.#namesOf(part, prefix);
    this.#names.set(asked, names);
    return names;
  }
}

/** The words with a beginning that stand in the most texts; before a letter with an accent, only that part of the word. */
function commonest(texts: readonly string[], { text: beginning }: Term): string[] {
  const words = new RegExp(`(?<![a-z0-9])${beginning}[a-z0-9]*`, "gi");
  const counts = new Map<string, number>();
  for (const text of texts) {
    const held = new Set(text.match(words)?.map((word) => word.toLowerCase()));
    for (const word of held) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const byCount = [...counts].sort((a, b) => b[1] - a[1]);
  return byCount.slice(0, KNOWN_WORDS).map(([word]) => word);
}
