import { expect, test } from "vitest";
import { PathList } from "../../../src/sync/read-ahead/path-list.ts";
import { fc } from "../../helpers/drawn.ts";

test("paths are the same for whoever is handed the memory they stand in", () => {
  const paths = fc.array(fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(paths, (given) => {
      const list = new PathList(structuredClone(PathList.of(given).shared));
      const seen = Array.from({ length: list.length }, (_, place) => list.at(place));
      expect(seen).toEqual(given);
    }),
  );
});
