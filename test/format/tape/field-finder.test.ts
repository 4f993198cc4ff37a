import { describe, expect, test } from "vitest";
import { FieldFinder } from "../../../src/format/tape/field-finder.ts";
import { fc } from "../../helpers/drawn.ts";
import { runs } from "../../helpers/fuzz.ts";
import { jsonStyle, written } from "../../helpers/written-json.ts";
import { taped } from "../taped.ts";

const WANTED = [
  "id",
  "type",
  "role",
  "usage",
  "parentId",
  "targetId",
  "timestamp",
  "cacheWrite",
  "cacheWrite1h",
  "thinkingLevel",
];
const finder = new FieldFinder(Object.fromEntries(WANTED.map((name, number) => [name, number])));

/** The values found in a line, by name; those not there are left out. */
function foundIn(line: string): Record<string, unknown> {
  const tape = taped(line);
  const places = finder.placesIn(tape, 0);
  const found = WANTED.map((name, number) => [name, places[number] ?? 0] as const).filter(
    ([, place]) => place > 0,
  );
  return Object.fromEntries(
    found.map(([name, place]) => [
      name,
      JSON.parse(tape.line.toString("utf8", tape.startAt(place), tape.endAt(place))),
    ]),
  );
}

/** Names that are wanted, and others as similar to them as can be. */
const name = fc.oneof(
  fc.constantFrom(...WANTED),
  fc
    .constantFrom(...WANTED)
    .chain((wanted) =>
      fc
        .tuple(fc.nat(wanted.length - 1), fc.constantFrom("", "x", "é", '"', "\\"))
        .map(([at, other]) => wanted.slice(0, at) + other + wanted.slice(at + 1)),
    ),
  fc.constantFrom("", "i", "idid", "typetype", "cacheWritecacheWrite", "thinkingLeveL", "parentparentId"),
  fc.string({ maxLength: 16 }),
);

describe("the fields that somebody looks at", () => {
  test("are found among any others, the last of those of one name, however names are written", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.nat(9), jsonStyle), { maxLength: 12 }), (fields) => {
        const texts = fields.map(([each, value, style]) =>
          written({ [each]: value }, { ...style, space: "", twice: false }).slice(1, -1),
        );
        const line = `{${texts.join(",")}}`;
        const parsed = JSON.parse(line) as Record<string, unknown>;
        expect(foundIn(line)).toEqual(
          Object.fromEntries(
            WANTED.filter((each) => Object.hasOwn(parsed, each)).map((each) => [each, parsed[each]]),
          ),
        );
      }),
      { numRuns: runs(3000) },
    );
  });

  test("are not looked for within those of others", () => {
    const tape = taped('{"other":{"id":1,"type":{"role":2}},"role":3}');
    expect(finder.placesIn(tape, 0).filter((place) => place > 0)).toHaveLength(1);
  });
});

test("a name of one letter repeated is not taken for a longer one", () => {
  const names = Object.fromEntries(
    Array.from({ length: 13 }, (_none, number) => ["a".repeat(number + 2), number]),
  );
  const repeated = new FieldFinder(names);
  for (const [name, number] of Object.entries(names)) {
    const places = repeated.placesIn(taped(JSON.stringify({ [name]: 1 })), 0);
    expect(places.flatMap((place, at) => (place > 0 ? [at] : []))).toEqual([number]);
  }
});

test.each(["x", ""])("a name that cannot be looked for is refused: %j", (wanted) => {
  expect(() => new FieldFinder({ [wanted]: 0 })).toThrow("cannot be looked for");
});

test("names of more than four words are found, too, and no others of their length", () => {
  const long = new FieldFinder({ total: 0, totalFromProvider: 1 });
  const line = JSON.stringify({ totalFromProvides: 1, total: 2, totalFromProvider: 3 });
  const tape = taped(line);
  expect(long.placesIn(tape, 0).map((place) => tape.startAt(place))).toEqual([
    line.indexOf("2"),
    line.indexOf("3"),
  ]);
});
