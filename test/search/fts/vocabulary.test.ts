import { expect, test } from "vitest";
import { countHolders } from "../../../src/search/fts/vocabulary.ts";
import { session } from "../../helpers/session-builder.ts";
import { indexOfSessions } from "../../reports/indexed.ts";

/** Entries with a word of their own and one that all share, in two segments. */
function indexOfWords(entries: number) {
  const index = indexOfSessions(session().user("nothing of that"));
  const insert = index.search.prepare("INSERT INTO entry_text (rowid, text) VALUES (?, ?)");
  for (const half of [0, 1]) {
    index.search.transaction(() => {
      for (let at = half; at < entries; at += 2) insert.run(1000 + at, `common plum${at} zebra`);
    })();
  }
  return index;
}

test("how many entries hold words with a prefix is counted, until they are more than enough", () => {
  const entries = 20_000;
  const { reader } = indexOfWords(entries);
  const holders = {
    p: entries,
    plum1: 11_111,
    plum19999: 1,
    common: entries,
    n: 1,
    zebra: entries,
    zz: 0,
    天: 0,
  };
  for (const [prefix, all] of Object.entries(holders)) {
    expect([prefix, countHolders(reader, prefix, Number.MAX_SAFE_INTEGER)]).toEqual([prefix, all]);
    const counted = countHolders(reader, prefix, 1000);
    expect([prefix, counted > 1000, counted <= all]).toEqual([prefix, all > 1000, true]);
  }
});
