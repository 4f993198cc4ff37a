import { fullTextWords } from "../../search/fts/full-text-words.ts";
import { BETWEEN, spaced } from "../../search/fts/tokenizer.ts";
import { type SearchQuery, type Term, wantedTerms } from "../../search/query/search-query.ts";
import { fitting, OVERLAP, PARTED, wordBeginning } from "../words.ts";

/** What PostgreSQL is asked for a query: literals of the type `tsquery`. */
export interface TeamQuery {
  /** Finds entries in one part. */
  whole: string;
  /** Find parts of entries that have several: whether such an entry is a hit depends on which of these find a part of it. */
  parted: readonly string[];
  /** How it depends on them, as SQL; `found` gives that for the nth of them, from 1 on. */
  condition(found: (nth: number) => string): string;
  /** Any of what is looked for, to rank by: PostgreSQL gives no rank to what also leaves something out. */
  wanted: string;
}

/** What PostgreSQL is asked for a query that `parseSearchQuery` has read. */
export function toTsquery(query: SearchQuery): TeamQuery {
  const phrases: string[] = [];
  const condition = conditionOf(query, phrases);
  return {
    whole: `!'${PARTED}' & ${wholeOf(query)}`,
    parted: phrases.map((phrase) => `'${PARTED}' & ${phrase}`),
    wanted: wantedTerms(query)
      .map((term) => phraseOf(wordsOf(term), term))
      .join(" | "),
    condition: (found) => condition.replace(/\$(\d+)/g, (_, nth: string) => found(Number(nth))),
  };
}

function wholeOf(query: SearchQuery): string {
  switch (query.kind) {
    case "term":
      return phraseOf(wordsOf(query), query);
    case "not":
      return `!${wholeOf(query.of)}`;
    default:
      return `(${query.of.map(wholeOf).join(query.kind === "all" ? " & " : " | ")})`;
  }
}

/** The query over the phrases that it is made of, each as the number under which it is added to them. */
function conditionOf(query: SearchQuery, phrases: string[]): string {
  switch (query.kind) {
    case "term": {
      const pieces = [...windowsOf(wordsOf(query))].map((words, at, all) =>
        phraseOf(words, { prefix: query.prefix && at === all.length - 1 }),
      );
      return pieces.map((piece) => `$${phrases.push(piece)}`).join(" AND ");
    }
    case "not":
      return `NOT (${conditionOf(query.of, phrases)})`;
    default: {
      const parts = query.of.map((part) => conditionOf(part, phrases));
      return `(${parts.join(query.kind === "all" ? " AND " : " OR ")})`;
    }
  }
}

/** A phrase that is longer than what parts repeat, in stretches that are not. */
function* windowsOf(words: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; ; start += OVERLAP / 2) {
    yield words.slice(start, start + OVERLAP);
    if (start + OVERLAP >= words.length) return;
  }
}

function wordsOf({ text }: Term): string[] {
  return fullTextWords(spaced(text));
}

/** Words in a row; one that is nowhere where there are none. */
function phraseOf(words: readonly string[], { prefix }: Pick<Term, "prefix">): string {
  if (words.length === 0) return `'${BETWEEN}'`;
  const last = words.length - 1;
  const spelt = words.map((word, at) =>
    prefix && at === last ? `'${wordBeginning(word)}':*` : `'${fitting(word)}'`,
  );
  return inARow(spelt);
}

/** By halves: PostgreSQL descends as deep as a phrase is nested, and nests a plain row as deep as it is long. */
function inARow(words: readonly string[]): string {
  if (words.length < 8) return `(${words.join(" <-> ")})`;
  const half = words.length >> 1;
  return `(${inARow(words.slice(0, half))} <-> ${inARow(words.slice(half))})`;
}
