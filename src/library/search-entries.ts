import type { SearchResult } from "../query/results.ts";
import { type SearchOptions, searchEntries as search } from "../query/search/search.ts";
import { SEARCH_SORTS } from "../query/search/search-sort.ts";
import type { Index } from "../store/open.ts";
import {
  callback,
  count,
  flag,
  oneOf,
  options as optionsOf,
  path,
  text,
  timezone,
  wholeTime,
  withAnswersChecked,
} from "./asked.ts";
import { inIndex } from "./opened.ts";
import { normalized, SCOPE } from "./scope.ts";

const checkOptions = optionsOf({
  ...SCOPE,
  sort: oneOf(SEARCH_SORTS),
  limit: count,
  substring: flag,
  context: count,
  reveal: flag,
  now: wholeTime,
  timezone,
  absolutePath: callback,
});

/**
 * Searches everything that was said, in the index as it stands. A query is made of words that must all be there,
 * `"phrases"`, `-without`, `begin*`, `this OR that`, and conditions as `role:user tool:bash model:sonnet since:2w
 * label:todo has:error project:/dir origin:fork named:yes limit:5 sort:newest`, or `-role:user` for entries that do not
 * meet one. Without a word to look for, as with conditions alone, nothing is found. The answer's `behind` says how many
 * entries are not in the full text yet: `feedSearch` brings them in. Before its first call that is all of them.
 *
 * @throws SessionDbError `usage` for a query that only excludes, a condition or an option that makes no sense, and an
 *   unknown time zone; `busy`, `index_corrupt`, `io`
 */
export function searchEntries(index: Index, query: string, options: SearchOptions = {}): SearchResult {
  text("query", query);
  checkOptions("options", options);
  const asking = withAnswersChecked("options", options, { absolutePath: path });
  return inIndex(index, () => search(index, query, normalized(asking)));
}
