import { expect, test } from "vitest";
import { pageAddress, parseRoute, sessionAddress } from "../../../src/serve/page/route.ts";
import { fc } from "../../helpers/drawn.ts";

function routeAt(address: string) {
  const { pathname, search } = new URL(address, "http://localhost");
  return parseRoute(pathname, search);
}

test("a session's address gives back its name, the place in it and what else it says", () => {
  const words = fc.dictionary(
    fc.stringMatching(/^[a-z-]{1,8}$/),
    fc.string({ minLength: 1, unit: "binary" }),
  );
  const names = fc.oneof(fc.uuid(), fc.string({ minLength: 1, unit: "binary" }));
  fc.assert(
    fc.property(names, fc.option(fc.nat(), { nil: undefined }), words, (name, line, query) => {
      // A name that ends like a place is told apart by a place only.
      fc.pre(name.isWellFormed() && Object.values(query).every((word) => word.isWellFormed()));
      fc.pre(line !== undefined || !/:\d+(\.\d+)?$/.test(name));
      expect(routeAt(sessionAddress(name, line, query))).toEqual({
        page: "reader",
        session: name,
        place: line === undefined ? "" : String(line),
        query,
      });
    }),
  );
});

test.each([
  ["/", "overview"],
  ["/sessions/", "sessions"],
  ["/s/", "unknown"],
  ["/elsewhere", "unknown"],
  ["/s/%E0%A4%A", "reader"],
])("the page at %s is %s", (path, page) => {
  expect(parseRoute(path, "").page).toBe(page);
});

test("the second entry of a line has a place, too", () => {
  expect(routeAt("/s/01a0e225:16.2")).toMatchObject({ session: "01a0e225", place: "16.2" });
});

test("what is empty does not stand in an address", () => {
  expect(pageAddress("/sessions", { model: "", since: "7d", q: "a&b" })).toBe("/sessions?since=7d&q=a%26b");
  expect(pageAddress("/sessions", { model: "" })).toBe("/sessions");
});
