import type { Database } from "../../../store/native.ts";
import type { Index } from "../../../store/open.ts";
import { prepared } from "../../../store/statements.ts";
import type { NamesOf } from "../query/search-query.ts";

const NAMES = "SELECT name FROM search.compound_names WHERE part = @part AND name <> part";
/**
 * Names that have a part with this beginning but do not begin with it themselves. `\u{10ffff}` sorts after every
 * character a name can go on with.
 */
const NAMES_BY_BEGINNING = `SELECT DISTINCT name FROM search.compound_names
  WHERE part >= @part AND part < @part || char(1114111) AND substr(name, 1, length(@part)) <> @part`;

/**
 * Looks up the compound names that words are a part of. Those of a word are asked for once, though several ways of finding
 * want to know them: to be used for one query.
 */
export function namesIn({ reader }: Pick<Index, "reader">): NamesOf {
  const known = new Map<string, string[]>();
  return (part, prefix) => {
    const word = prefix ? `${part}*` : part;
    const names = known.get(word) ?? askNames(reader, part, prefix);
    known.set(word, names);
    return names;
  };
}

function askNames(reader: Database, part: string, prefix: boolean): string[] {
  return prepared(reader, prefix ? NAMES_BY_BEGINNING : NAMES)
    .pluck()
    .all({ part }) as string[];
}
