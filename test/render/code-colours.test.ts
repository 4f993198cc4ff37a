import { expect, test } from "vitest";
import { Colours, endingOf } from "../../src/render/code-colours.ts";

const LINE = "const a = 1;\n";

test.each(["ts", "typescript", "py", "sh", "json", "css", "yml"])("%s is a language", (language) => {
  expect(new Colours().of("# { let 'a': 1 } // x", language).source).toContain('<span class="c-');
});

test.each(["", "klingon", "constructor", "__proto__", "<b>"])(
  "code of language %j is plain, and escaped",
  (language) => {
    expect(new Colours().of("let <a>", language).source).toBe("let &lt;a&gt;");
  },
);

test("a block that is long is plain, and so are blocks after enough of them", () => {
  const still = () => 0;
  expect(new Colours(still).of(LINE.repeat(2_000), "ts").source).not.toContain("<span");
  const colours = new Colours(still);
  const blocks = Array.from({ length: 60 }, () => colours.of(LINE.repeat(1_000), "ts").source);
  const coloured = blocks.filter((block) => block.includes("<span")).length;
  expect([coloured, blocks.at(-1)]).toEqual([
    Math.floor(200_000 / (LINE.length * 1_000)),
    LINE.repeat(1_000),
  ]);
});

test.each([
  ["src/a.test.ts", "ts"],
  ["C:\\x\\A.PY", "py"],
  ["Makefile", ""],
  ["a.b/c", ""],
])("the ending of %s is %j", (path, ending) => expect(endingOf(path)).toBe(ending));

test("nobody waits long for colours: once they have taken seconds, the rest of the page is plain", () => {
  let now = 0;
  const colours = new Colours(() => (now += 1_000));
  const blocks = Array.from({ length: 8 }, () => colours.of(LINE, "ts").source.includes("<span"));
  expect(blocks).toEqual([true, true, true, true, false, false, false, false]);
});
