import { expect, test } from "vitest";
import { openIndex } from "../../src/store/open.ts";
import { remembered } from "../../src/store/statements.ts";
import { indexIn } from "../helpers/open-index.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("what was read of the index is read again after anybody has written to one of its databases, and not before", () => {
  const index = openIndex(indexIn(tempDir()));
  let reads = 0;
  const read = (name = "reads") => remembered(index.reader, name, () => ++reads);
  expect([read(), read(), read("others"), read()]).toEqual([1, 1, 2, 1]);
  index.database.exec("INSERT INTO meta (name, value) VALUES ('a', 'b')");
  expect([read(), read()]).toEqual([3, 3]);
  index.search.exec("INSERT INTO meta (name, value) VALUES ('a', 'b')");
  expect([read(), read()]).toEqual([4, 4]);
  index.close();
});

test("within a transaction it is of the state that all of it reads", () => {
  const index = openIndex(indexIn(tempDir()));
  const { reader } = index;
  const count = () => Number(reader.prepare("SELECT count(*) FROM meta WHERE name = 'a'").pluck().get());
  const read = () => remembered(reader, "count", count);
  const within = reader.transaction(() => {
    const before = read();
    index.database.exec("INSERT INTO meta (name, value) VALUES ('a', 'b')");
    return [before, read(), count()];
  })();
  expect([within, read()]).toEqual([[0, 0, 0], 1]);
  index.close();
});
