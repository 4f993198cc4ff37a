import { expect, test } from "vitest";
import { isFormatKnown } from "../../../../src/sync/full-text/segments/format-probe.ts";
import { DEFINITION } from "../../../helpers/full-text-image.ts";

test("the SQLite in use writes a full text as this program does", () => {
  expect(isFormatKnown(DEFINITION)).toBe(true);
});

test("whatever it makes of letters, that is learnt", () => {
  expect(isFormatKnown(DEFINITION.replace("remove_diacritics 2", "remove_diacritics 0"))).toBe(true);
});

test.each([
  ["another tokenizer", "text, content = '', contentless_delete = 1, tokenize = 'porter unicode61'"],
  ["other separators", "text, content = '', contentless_delete = 1, tokenize = \"unicode61 tokenchars '_'\""],
  ["no positions", "text, content = '', contentless_delete = 1, detail = column"],
  ["no sizes", "text, content = '', contentless_delete = 1, columnsize = 0"],
  ["prefixes", "text, content = '', contentless_delete = 1, prefix = '2'"],
  ["no deletion", "text, content = ''"],
])("a full text with %s is written otherwise", (_what, columns) => {
  expect(isFormatKnown(`CREATE VIRTUAL TABLE entry_text USING fts5(${columns})`)).toBe(false);
});
