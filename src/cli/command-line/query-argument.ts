import { SessionDbError } from "../../errors.ts";
import { type Args, textsOf } from "./args.ts";

/** The words of the query as one text. */
export function queryOf(args: Args): string {
  const query = textsOf(args, "query").join(" ").trim();
  if (query === "") throw nothingToSearchFor("Give some words: sessiondb search parser error.");
  return query;
}

/** The text to look for: every character counts, spaces too. */
export function needleOf({ query }: Args): string {
  const words = (Array.isArray(query) ? query : []).map(String);
  if (words.length > 0 && !words.includes("")) return words.join(" ");
  throw nothingToSearchFor("Give some text: sessiondb search --substring '})();'.");
}

export function nothingToSearchFor(hint: string): SessionDbError {
  return new SessionDbError("usage", "nothing to search for", { hint });
}
