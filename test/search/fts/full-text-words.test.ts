import { expect, test } from "vitest";
import { fullTextWords } from "../../../src/search/fts/full-text-words.ts";
import { spaced } from "../../../src/search/fts/tokenizer.ts";
import { connect } from "../../../src/store/native.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";

test("words are those of the full text, in order, whatever is written", () => {
  const database = connect(":memory:", {});
  database.exec(`CREATE VIRTUAL TABLE texts USING fts5(text, tokenize = 'unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE terms USING fts5vocab('texts', 'instance')`);
  const special = fc.constantFrom(..."aZ9_ \0\n-'ßéж天ｱﾞ👍🏽🇩🇪\ue000\u{f0e35}ﬁ½①ⅷ٣");
  const unit = fc.oneof(special, fc.string({ unit: "binary", minLength: 1, maxLength: 1 }));
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 30 }), fc.boolean(), (characters, isSpelt) => {
      const text = isSpelt ? spaced(characters.join("")) : characters.join("");
      database.exec("DELETE FROM texts");
      database.prepare("INSERT INTO texts (rowid, text) VALUES (1, ?)").run(Buffer.from(text).toString());
      const words = database.prepare('SELECT term FROM terms ORDER BY "offset"').pluck().all();
      expect(fullTextWords(Buffer.from(text).toString())).toEqual(words);
    }),
    { numRuns: runs(2000) },
  );
  database.close();
});

test("a word ends where that of the full text does", () => {
  expect(fullTextWords("x".repeat(40_000))).toEqual(["x".repeat(32_768)]);
});
