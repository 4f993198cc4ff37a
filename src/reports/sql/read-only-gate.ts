import { SessionDbError } from "../../errors.ts";

/** What a statement that only reads begins with. */
const READS = new Set(["SELECT", "WITH", "VALUES"]);

/**
 * Refuses what is no query by its first word, before SQLite sees it: even preparing a PRAGMA can change something, and
 * VACUUM INTO writes files even where the database is opened read-only. What passes may still be no query
 * (`WITH ... DELETE`): that shows when SQLite has prepared it, and preparing it is harmless.
 *
 * @throws SessionDbError `refused`
 */
export function assertReads(sql: string): void {
  const [first = "", second = "", third = "", fourth = ""] = leadingWords(sql, 4);
  if (READS.has(first)) return;
  const explained = second === "QUERY" && third === "PLAN" ? fourth : second;
  if (first !== "EXPLAIN" || !READS.has(explained)) throw refused();
}

export function refused(): SessionDbError {
  return new SessionDbError(
    "refused",
    "only a single statement that reads is allowed: SELECT, WITH, VALUES or EXPLAIN",
  );
}

// White space and comments as SQLite's tokeniser knows them: no other characters separate words.
const BLANK = /(?:[ \t\n\f\r]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$))*/y;
const WORD = /[A-Za-z_][A-Za-z0-9_$]*/y;

/** The words the statement begins with, in capitals, up to the first thing that is not a word. */
function leadingWords(sql: string, count: number): string[] {
  const words: string[] = [];
  let position = 0;
  while (words.length < count) {
    BLANK.lastIndex = position;
    BLANK.exec(sql);
    WORD.lastIndex = BLANK.lastIndex;
    const word = WORD.exec(sql)?.[0];
    if (word === undefined) break;
    words.push(word.toUpperCase());
    position = WORD.lastIndex;
  }
  return words;
}
