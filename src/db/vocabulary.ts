import type { Database } from "./native.ts";
import { prepared } from "./prepared.ts";
import { PAGE_NUMBER, segmentsIn } from "./segments.ts";

const VOCABULARY = `CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_terms
  USING fts5vocab('search', 'entry_text', 'row')`;

const HOLDERS =
  "SELECT doc FROM temp.search_terms WHERE term >= @beginning AND term < @beginning || char(1114111)";

/**
 * Pages that hold only words with a given beginning. FTS5 lists in `entry_text_idx` the pages of each segment on which a
 * word begins, with its first letters. Words of the main index, not of one of prefixes, have a `0` before them.
 */
const PAGES = `${segmentsIn("search")}, span(first, last) AS (
    SELECT (SELECT ${PAGE_NUMBER} FROM search.entry_text_idx WHERE segid = id
        AND term >= CAST('0' || @beginning AS BLOB) ORDER BY term LIMIT 1),
      (SELECT ${PAGE_NUMBER} FROM search.entry_text_idx WHERE segid = id
        AND term < CAST('0' || @beginning || char(1114111) AS BLOB) ORDER BY term DESC LIMIT 1)
    FROM segment)
  SELECT coalesce(sum(last - first), 0) FROM span WHERE last > first`;

/**
 * A page of 4,050 bytes has room for 600 to 900 entries of common words, or for 360 words that stand in one entry each;
 * for fewer only where the words are long.
 */
const HOLDERS_PER_PAGE = 300;

/**
 * In how many entries the words with a beginning stand, where an entry counts once for each of its words. Counting stops
 * beyond `most`. It takes 50 ns an entry, a tenth of the time of finding entries by the beginning. Where the words fill so
 * many pages that there must be more than `most`, 0.1 ms tells so, and the answer is an estimate, mostly too small.
 *
 * @param reader the connection that sees the full text as `search.entry_text`
 */
export function countHolders(reader: Database, beginning: string, most: number): number {
  const surely = HOLDERS_PER_PAGE * Number(prepared(reader, PAGES).pluck().get({ beginning }));
  if (surely > most) return surely;
  // The table is the connection's own (`temp`): making it does not write to the index.
  reader.pragma("query_only = OFF");
  reader.exec(VOCABULARY);
  reader.pragma("query_only = ON");
  let holders = 0;
  for (const count of prepared(reader, HOLDERS).pluck().iterate({ beginning })) {
    holders += Number(count);
    if (holders > most) break;
  }
  return holders;
}
