import { expect, test } from "vitest";
import type { Filter } from "../../src/filters/filter.ts";
import { resolvePlace } from "../../src/filters/resolve-session.ts";
import type { Hit, HitPlace } from "../../src/search/hits/hit.ts";
import { SEARCH_SORTS } from "../../src/search/query/search-sort.ts";
import { type SearchOptions, searchEntries } from "../../src/search/search.ts";
import type { Index } from "../../src/store/open.ts";
import { readSessionNodes } from "../../src/store/tables/entry-nodes.ts";
import { type Choose, forAllIndexes, LONG } from "./all-stores.ts";
import { WORDS } from "./drawn-entries.ts";
import { PROJECTS } from "./drawn-store.ts";

const forAll = forAllIndexes(5);

function placeOf({ session, line }: HitPlace): string {
  return `${session.path}:${line}`;
}

/** The place of every entry that was found, copies in forks included. */
function places(hits: readonly Hit[]): string[] {
  return hits.flatMap((hit) => [hit, ...hit.copies].map(placeOf)).toSorted();
}

/** What is the same of copies in forks; null where an entry can have none. */
function copyName({ entryId, timestamp }: Hit): string | null {
  return entryId === null || timestamp === null ? null : `${entryId} ${timestamp}`;
}

/** Finds all, and checks that all are there that were counted, each once, and copies with their entry. */
function asker(index: Index) {
  return (query: string, options: SearchOptions = {}): string[] => {
    const { total, isTotalExact, behind, hits } = searchEntries(index, query, { limit: 0, ...options });
    const found = places(hits);
    expect([query, isTotalExact, behind, hits.length]).toEqual([query, true, 0, total]);
    expect(new Set(found).size, query).toBe(found.length);
    const names = hits.map(copyName).filter((name) => name !== null);
    expect(names.length, query).toBe(new Set(names).size);
    return found;
  };
}

/** A word, the beginning of one, or two in a row. */
function term(choose: Choose): string {
  const word = choose(...WORDS) ?? "parser";
  return choose(word, word, `${[...word][0]}*`, `"${word} ${choose(...WORDS)}"`) ?? word;
}

test("AND, OR and what is left out split what is found", LONG, () => {
  forAll((index, _store, choose) => {
    const find = asker(index);
    for (let round = 0; round < 10; round++) {
      const [a, b] = [term(choose), term(choose)];
      const [both, only] = [find(`${a} ${b}`), find(`${a} -${b}`)];
      expect([...both, ...only].toSorted(), `${a} -${b}`).toEqual(find(a));
      expect(new Set(find(`${a} OR ${b}`)), `${a} OR ${b}`).toEqual(new Set([...find(a), ...find(b)]));
      expect(find(`${b} ${a}`), `${b} ${a}`).toEqual(both);
      expect(find(`${a} -${b} OR ${b}`), `${a} -${b} OR ${b}`).toEqual(find(`${a} OR ${b}`));
    }
  });
});

/** Entries that are found, or, with `isNot`, all others. */
interface Found {
  places: ReadonlySet<string>;
  isNot: boolean;
}

function negated({ places, isNot }: Found): Found {
  return { places, isNot: !isNot };
}

/** What both find. */
function both(a: Found, b: Found): Found {
  if (a.isNot && b.isNot) return { places: new Set([...a.places, ...b.places]), isNot: true };
  if (a.isNot) return both(b, a);
  const places = [...a.places].filter((place) => b.places.has(place) !== b.isNot);
  return { places: new Set(places), isNot: false };
}

function either(a: Found, b: Found): Found {
  return negated(both(negated(a), negated(b)));
}

test("any words, operators and parentheses find what sets say", LONG, () => {
  forAll((index, _store, choose) => {
    const find = asker(index);
    /** A query in parentheses or a term, and what it finds. */
    const draw = (depth: number): [string, Found] => {
      const kind = depth === 0 ? "term" : choose("term", "and", "and", "or", "or", "not");
      if (kind === "term" || kind === undefined) {
        const query = term(choose);
        return [query, { places: new Set(find(query)), isNot: false }];
      }
      const [a, foundA] = draw(depth - 1);
      // Two dashes in a row begin a word, and so does one before an operator.
      const isNegated = /^(?:-|NOT )/.test(a);
      if (kind === "not")
        return [choose(`NOT ${a}`, isNegated ? `NOT ${a}` : `-${a}`) ?? "", negated(foundA)];
      const [b, foundB] = draw(depth - 1);
      if (kind === "or") return [`(${a} OR ${b})`, either(foundA, foundB)];
      return [`(${a} ${choose("", "AND ")}${b})`, both(foundA, foundB)];
    };
    for (let round = 0; round < 15; round++) {
      const [query, { places, isNot }] = draw(3);
      if (isNot) expect(() => find(query), query).toThrow(expect.objectContaining({ code: "usage" }));
      else expect(new Set(find(query)), query).toEqual(places);
    }
  });
});

test("case, accents written apart, blanks and repetition change nothing", LONG, () => {
  forAll((index, _store, choose) => {
    const find = asker(index);
    for (const word of WORDS) {
      const found = find(word);
      const spellings = [
        word.toLowerCase(),
        word.normalize("NFD"),
        word.normalize("NFC"),
        `  ${word}\t ${word}`,
      ];
      spellings.push(word.toUpperCase(), word.replaceAll("ß", "ss"), word.replaceAll("ss", "ß"));
      const spelt = choose(...spellings) ?? word;
      expect(find(spelt), JSON.stringify(spelt)).toEqual(found);
    }
  });
});

test("what a word finds its beginnings find", LONG, () => {
  forAll((index, _store, choose) => {
    const find = asker(index);
    for (const word of WORDS) {
      const letters = /^[\p{L}\p{N}\p{M}]+/u.exec(word)?.[0] ?? "";
      if (letters === "") continue;
      const beginning = letters.slice(0, choose(1, 2, 3, letters.length));
      const found = find(`${beginning}*`);
      expect(
        find(word).filter((place) => !found.includes(place)),
        `${beginning}*`,
      ).toEqual([]);
    }
  });
});

function partsOf(index: Index, choose: Choose): Filter[][] {
  const types = index.database.prepare("SELECT DISTINCT type FROM entries").pluck().all() as string[];
  const moments = index.database
    .prepare("SELECT timestamp FROM entries WHERE timestamp IS NOT NULL")
    .pluck()
    .all();
  const moment = Number(choose(...moments) ?? 0);
  return [
    types.map((type) => ({ type })),
    (["interactive", "fork", "handoff", "subagent"] as const).map((origin) => ({ origin })),
    [{ named: true }, { named: false }],
    [{ until: moment }, { since: moment, until: moment + 1000 }, { since: moment + 1000 }],
  ];
}

test("filters, folders and projects split what is found", LONG, () => {
  forAll((index, { roots }, choose) => {
    const find = asker(index);
    const query = term(choose);
    const found = find(query);
    for (const parts of partsOf(index, choose)) {
      const split = parts.flatMap((filter) => find(query, { filter })).toSorted();
      // Entries whose time is not known have none.
      const isTimed = parts.every(({ since, until }) => since !== undefined || until !== undefined);
      const all = isTimed
        ? [...find(query, { filter: { since: 0 } }), ...find(query, { filter: { until: 0 } })]
        : found;
      expect(split, `${query} ${JSON.stringify(parts)}`).toEqual(all.toSorted());
    }
    expect(roots.flatMap((root) => find(query, { roots: [root] })).toSorted()).toEqual(found);
    const { hits } = searchEntries(index, query, { limit: 0 });
    for (const project of PROJECTS) {
      const within = hits
        .flatMap((hit) => [hit, ...hit.copies])
        .filter(({ session: { cwd } }) => `${cwd}/`.startsWith(`${project}/`));
      expect(find(query, { filter: { project } }), project).toEqual(within.map(placeOf).toSorted());
    }
  });
});

test("some of the hits are the first of all of them, whatever comes first", LONG, () => {
  forAll((index, _store, choose) => {
    const query = term(choose);
    const now = Date.parse("2026-11-23");
    for (const sort of SEARCH_SORTS) {
      const all = searchEntries(index, query, { limit: 0, sort, now });
      const limit = choose(1, 2, 5) ?? 1;
      const some = searchEntries(index, query, { limit, sort, now });
      expect(some, `${query} ${sort}`).toEqual({ ...all, hits: all.hits.slice(0, limit) });
      const times = all.hits.flatMap(({ timestamp }) => timestamp ?? []);
      const inOrder = sort === "newest" ? times.toSorted().toReversed() : times.toSorted();
      if (sort !== "relevance") expect(times, sort).toEqual(inOrder);
    }
  });
});

test("the handle of each hit, and of each copy, names its session and its entry, and is short", LONG, () => {
  forAll((index, _store, choose) => {
    const { hits } = searchEntries(index, term(choose), { limit: 0 });
    const ids = index.database.prepare("SELECT session_id FROM sessions").pluck().all().map(String);
    for (const place of hits.flatMap((hit) => [hit, ...hit.copies])) {
      const { ref, entry = "" } = resolvePlace(index, place.handle);
      expect([place.handle, ref.path]).toEqual([place.handle, place.session.path]);
      expect(readSessionNodes(index, ref).named(entry).line).toBe(place.line);
      if (place.handle.startsWith(`${place.session.path}:`)) continue;
      const [name = ""] = place.handle.split(":");
      expect(ids.filter((id) => id.startsWith(name))).toEqual([place.session.id]);
    }
    for (const { handle, entryId } of hits) {
      const { ref, entry = "" } = resolvePlace(index, handle);
      const named = readSessionNodes(index, ref).named(entry);
      expect([handle, named.entryId]).toEqual([handle, entryId]);
    }
  });
});

test("any stretch of what a message says finds it by --substring, and marks where", LONG, () => {
  forAll((index, _store, choose) => {
    const texts = index.database
      .prepare(
        `SELECT m.text, f.path || ':' || e.line AS place FROM messages m JOIN entries e ON e.key = m.entry_key
         JOIN files f ON f.id = e.file_id`,
      )
      .all() as { text: string; place: string }[];
    const { text = "", place } = choose(...texts) ?? {};
    const characters = [...text];
    const start = choose(...characters.keys()) ?? 0;
    const piece = characters.slice(start, start + (choose(1, 2, 5, 20) ?? 1)).join("");
    const { hits } = searchEntries(index, piece, { limit: 0, substring: true });
    expect(places(hits), JSON.stringify(piece)).toEqual(
      place === undefined ? [] : expect.arrayContaining([place]),
    );
    // White space at the ends of a snippet is not shown, so that there may be nothing of it to mark.
    const isShown = piece.trim() !== "";
    expect(hits.filter(({ highlights }) => isShown && highlights.length === 0)).toEqual([]);
  });
});
