import { describe, expect, test } from "vitest";
import { NameFinder } from "../../../../src/format/name-finder.ts";
import { spaced } from "../../../../src/format/words.ts";
import { RunBuilder } from "../../../../src/sync/full-text/segments/run-builder.ts";
import { fc } from "../../../helpers/drawn.ts";
import { theAlphabet } from "../../../helpers/full-text-image.ts";
import { runs } from "../../../helpers/fuzz.ts";

/** The names found while texts are cut into words. */
function namesOf(builder: RunBuilder, texts: readonly string[]): string[] {
  for (const [at, text] of texts.entries()) builder.add(at + 1, [text]);
  return builder.finish(new Uint8Array(builder.size)).names.toSorted();
}

/** Those that are found in whole texts, as they are respelt. */
function allNames(texts: readonly string[]): string[] {
  const finder = new NameFinder();
  return texts.flatMap((text) => finder.newIn(spaced(text))).toSorted();
}

/** Words of few letters: many of them are the same. */
const WORD = fc.string({
  unit: fc.constantFrom(..."aABBCb1éÉж天_ .-—\u0301\u{1d400}\u{f0940}\ue000\u20e3"),
  maxLength: 20,
});

const TEXTS = fc.array(fc.oneof(WORD, fc.string({ unit: "binary" })), { maxLength: 40 });

describe("the names that are found while texts are cut into words", () => {
  test("are those of the whole texts, each once", () => {
    const builder = new RunBuilder(theAlphabet());
    fc.assert(
      fc.property(TEXTS, (texts) => {
        builder.forgetNames();
        expect(namesOf(builder, texts)).toEqual(allNames(texts));
      }),
      { numRuns: runs(300) },
    );
  });

  test("come with the run they are first met in, whatever comes again later", () => {
    const builder = new RunBuilder(theAlphabet());
    fc.assert(
      fc.property(fc.array(TEXTS, { minLength: 1, maxLength: 4 }), (runs) => {
        builder.forgetNames();
        const given = new Set<string>();
        for (const run of runs) {
          const names = namesOf(builder, run);
          for (const name of names) given.add(name);
          const all = allNames(run);
          expect(all.filter((name) => !given.has(name))).toEqual([]);
          expect(names.filter((name) => !all.includes(name))).toEqual([]);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  test("are not given again with a later run, until they are forgotten", () => {
    const builder = new RunBuilder(theAlphabet());
    const given = () => namesOf(builder, ["fooBar", "parseHTTP", "naïveÉtat"]);
    expect([given(), given()]).toEqual([["fooBar", "naïveÉtat", "parseHTTP"], []]);
    builder.forgetNames();
    expect(given()).toEqual(["fooBar", "naïveÉtat", "parseHTTP"]);
  });

  test("are found in words of all lengths up to those that are none", () => {
    const builder = new RunBuilder(theAlphabet());
    const texts = Array.from({ length: 150 }, (_, length) => [
      `${"a".repeat(length)}Bc`,
      `B${"a".repeat(length)}C`,
      `${"é".repeat(length)}Bc`,
      `${"A".repeat(length)}b`,
    ]).flat();
    expect(namesOf(builder, texts)).toEqual(allNames(texts));
  });

  test("are found however many were found before, and although all of them have the same sum", () => {
    const builder = new RunBuilder(theAlphabet());
    const texts = Array.from({ length: 30_000 }, (_, at) => `name${at}Part name${at % 1000}Other`);
    expect(namesOf(builder, [...texts, ...texts])).toEqual(allNames(texts));
  });
});
