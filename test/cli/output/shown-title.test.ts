import { expect, test } from "vitest";
import { shownTitle, wholeTitle } from "../../../src/cli/output/shown-title.ts";
import { titleOf } from "../../../src/text/title.ts";

test.each(["", " \n ", "\u001b[31m\u0007", "\u200b", "\ufeff", "\u200b \u2060\u00ad"])(
  "a title of which nothing can be seen is (empty): %j",
  (title) => {
    expect([shownTitle({ title }), wholeTitle({ title })]).toEqual(["(empty)", "(empty)"]);
  },
);

test("a title is one line, and as it was typed where something can be seen of it", () => {
  expect(wholeTitle({ title: " 👩\u200d👧\n\u200bx\u001b[31m" })).toBe("👩\u200d👧 \u200bx");
});

test("a title that was cut from a first message ends in an ellipsis, a name never", () => {
  const firstMessage = `${"word ".repeat(23)}and 🍐 more`;
  for (const message of [firstMessage, firstMessage.slice(1)]) {
    const title = titleOf(null, [message]);
    const line = title.trimEnd();
    expect([shownTitle({ title }), wholeTitle({ title, name: null })]).toEqual([`${line}…`, `${line}…`]);
    expect(shownTitle({ title, name: title })).toBe(line);
  }
  expect(shownTitle({ title: "x".repeat(118) })).toBe("x".repeat(118));
  expect(shownTitle({ title: "x".repeat(121) })).toBe("x".repeat(121));
});

test.each([
  ["x".repeat(119), ""],
  ["x".repeat(120), ""],
  [`\n${"word ".repeat(24)}\n`, ""],
  ["x".repeat(121), "…"],
  [`${"x".repeat(119)}🍐`, "…"],
])(
  "the title of a session ends in an ellipsis only where something of %j was left out",
  (firstMessage, end) => {
    const title = titleOf(null, [firstMessage]);
    expect(shownTitle({ title, name: null, firstMessage })).toBe(title + end);
    expect(wholeTitle({ title, name: null, firstMessage })).toBe(title + end);
  },
);
