import { expect, test } from "vitest";
import { shownTitle, wholeTitle } from "../../../src/cli/output/title.ts";

test.each(["", " \n ", "\u001b[31m\u0007", "\u200b", "\ufeff", "\u200b \u2060\u00ad"])(
  "a title of which nothing can be seen is (empty): %j",
  (title) => {
    expect([shownTitle(title), wholeTitle(title)]).toEqual(["(empty)", "(empty)"]);
  },
);

test("a title is one line, and as it was typed where something can be seen of it", () => {
  expect(wholeTitle(" 👩\u200d👧\n\u200bx\u001b[31m")).toBe("👩\u200d👧 \u200bx");
});
