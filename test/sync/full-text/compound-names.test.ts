import { expect, test } from "vitest";
import { CompoundNames } from "../../../src/sync/full-text/compound-names.ts";
import { Store } from "../store.ts";

test("names that are known are not written again, until there are too many to remember", () => {
  const { search } = new Store().index;
  const names = new CompoundNames(search);
  const write = search.transaction((some: string[]) => {
    names.begin();
    names.add(some);
    names.write();
    names.end();
  });
  /** By nobody who would say so: only what is written again is there then. */
  const remove = () => search.exec("DELETE FROM compound_names WHERE name = 'appletree'");
  const isThere = () => search.prepare("SELECT 1 FROM compound_names WHERE name = 'appletree'").get();
  write(["appleTree"]);
  expect(isThere()).toBeDefined();
  remove();
  write(["appleTree"]);
  expect(isThere()).toBeUndefined();
  write(Array.from({ length: 100_000 }, (_, at) => `aB${at.toString(36)}`));
  write(["appleTree"]);
  expect(isThere()).toBeDefined();
});
