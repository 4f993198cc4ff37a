import { NameFinder } from "../../format/name-finder.ts";
import { foldWord, wordsOfName } from "../../format/words.ts";
import { beginNamesAnew, SEARCH } from "../../store/databases.ts";
import type { Database, Statement } from "../../store/native.ts";
import { writing } from "../../store/transaction.ts";

/**
 * The most names that are remembered, some 15 MB: base64 is full of what looks like names, millions in some gigabytes.
 * Names that were forgotten are written again, which changes nothing.
 */
const MOST_KNOWN = 100_000;

/** Writes the compound names of texts, each once, with the parts that they are found by. */
export class CompoundNames {
  readonly #insert: Statement;
  /** Returns each name only the first time it meets it. */
  readonly #finder = new NameFinder();
  /** Names that are in the table, or will be when the transaction ends. */
  readonly #known = new Set<string>();
  readonly #new: string[] = [];
  /** Changes when names are deleted. */
  readonly #generation: Statement;
  /** Null before the first transaction. */
  #seenGeneration: unknown = null;
  #isOpen = false;

  constructor(search: Database) {
    this.#generation = search.prepare("SELECT value FROM meta WHERE name = 'names_generation'").pluck();
    this.#insert = search.prepare("INSERT OR IGNORE INTO compound_names (part, name) VALUES (?, ?)");
  }

  /** Adds the names in a text. */
  addFrom(text: string): void {
    this.add(this.#finder.newIn(text));
  }

  add(names: readonly string[]): void {
    for (const name of names) {
      if (this.#known.has(name)) continue;
      this.#known.add(name);
      this.#new.push(name);
    }
  }

  /** Writes what was added, in the order of the table: in any other, most rows would be written to a page of their own. */
  write(): void {
    const rows = this.#new.flatMap((name) =>
      wordsOfName(name).map((word) => [foldWord(word), foldWord(name)]),
    );
    for (const row of rows.sort(inOrder)) this.#insert.run(row);
    this.#new.length = 0;
  }

  /**
   * To be called at the beginning of each transaction. Forgets which names are written, if the transaction before was
   * undone or somebody has deleted names since.
   */
  begin(): void {
    const generation = this.#generation.get();
    const isOutdated = this.#isOpen || generation !== this.#seenGeneration;
    if (isOutdated || this.#known.size > MOST_KNOWN) this.#forget();
    this.#new.length = 0;
    this.#seenGeneration = generation;
    this.#isOpen = true;
  }

  /** Whether somebody has deleted names since the transaction before. */
  haveGone(): boolean {
    return this.#seenGeneration !== null && this.#generation.get() !== this.#seenGeneration;
  }

  /** To be called at the end of each transaction that is not undone. */
  end(): void {
    this.#isOpen = false;
  }

  #forget(): void {
    this.#finder.forget();
    this.#known.clear();
  }
}

function inOrder(a: readonly string[], b: readonly string[]): number {
  return compare(a[0], b[0]) || compare(a[1], b[1]);
}

function compare(a = "", b = ""): number {
  return a < b ? -1 : Number(a > b);
}

/** Names looked at in one transaction. */
const NAMES = 5000;

const NEXT = `SELECT part, name FROM compound_names WHERE (part, name) > (?, ?) ORDER BY part, name LIMIT ${NAMES}`;

/** How far the pass over all names has come: JSON of a `NamesPass`. */
const PASS = "SELECT value FROM meta WHERE name = 'names_look'";
const SAVE_PASS = "INSERT OR REPLACE INTO meta (name, value) VALUES ('names_look', ?)";

type Name = [part: string, name: string];

/**
 * The removal that the pass is for, and the last name looked at; null once all were looked at, because that name may be
 * one that was deleted.
 */
type NamesPass = [removal: number, last: Name | null];

/** Comes before every name. */
const FIRST: Name = ["", ""];

/**
 * Deletes the names that no entry holds any more, once for each removal, whose words must have been merged away before.
 * Returns false when `isOver` ended the pass early; the next call for the same removal goes on where it ended, in
 * whatever process.
 */
export function forgetNames(search: Database, removal: number, isOver: () => boolean): boolean {
  search.exec(
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab('main', 'entry_text', 'instance')",
  );
  const isThere = search.prepare("SELECT 1 FROM temp.terms WHERE term = ? LIMIT 1");
  const next = search.prepare(NEXT).raw();
  const forget = search.prepare("DELETE FROM compound_names WHERE part = ? AND name = ?");
  const pass = search.prepare(PASS).pluck();
  const savePass = search.prepare(SAVE_PASS);
  const forgetSome = (): boolean => {
    const last = lastLookedAt(pass.get(), removal);
    if (last === null) return false;
    const names = next.all(...last) as Name[];
    const gone = names.filter(([, name]) => isThere.get(name) === undefined);
    for (const name of gone) forget.run(...name);
    if (gone.length > 0) beginNamesAnew(search);
    savePass.run(JSON.stringify([removal, names.at(-1) ?? null] satisfies NamesPass));
    return names.length > 0;
  };
  while (writing(search, SEARCH, forgetSome)) if (isOver()) return false;
  return true;
}

/** The last name looked at for this removal: `FIRST` where no pass has begun for it, null where one has ended. */
function lastLookedAt(pass: unknown, removal: number): Name | null {
  if (typeof pass !== "string") return FIRST;
  const [of, last] = JSON.parse(pass) as NamesPass;
  return of === removal ? last : FIRST;
}
