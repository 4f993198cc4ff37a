import { existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import MarkdownIt from "markdown-it";
import { expect, test } from "vitest";
import { MANUAL, type Page, PROJECT, readPage } from "../helpers/manual.ts";

/** In lines. */
const LONGEST = 400;
const LONGEST_README = 250;
const OTHERS = ["CHANGELOG.md", "CONTRIBUTING.md", "test/README.md", "test/samples/README.md"];
const pages = [...MANUAL, ...OTHERS.map(readPage)];
const markdown = new MarkdownIt();

/** What a page points to (links and pictures), and what of it can be pointed at. */
function readLinks({ path, text }: Page): { path: string; targets: string[]; anchors: string[] } {
  const targets: string[] = [];
  const anchors: string[] = [];
  const tokens = markdown.parse(text, {});
  tokens.forEach((token, at) => {
    for (const child of token.children ?? []) {
      const target = child.attrGet(child.type === "image" ? "src" : "href");
      if (target !== null) targets.push(String(target));
    }
    if (token.type !== "heading_open") return;
    const words = (tokens[at + 1]?.children ?? []).map(({ content }) => content).join("");
    anchors.push(anchorOf(words));
  });
  return { path, targets, anchors };
}

/** As GitHub names a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}

const links = pages.map(readLinks);

test.each(links)("every link of $path leads to a file, and to a heading in it", ({ path, targets }) => {
  const own = targets.filter((target) => !/^[a-z]+:/.test(target));
  expect(own.filter((target) => !leadsSomewhere(path, target))).toEqual([]);
});

test.each(MANUAL.map(readLinks))("no two headings of $path have one name", ({ anchors }) => {
  expect(anchors.filter((each, at) => anchors.indexOf(each) !== at)).toEqual([]);
});

function leadsSomewhere(from: string, target: string): boolean {
  const [file = "", anchor] = decodeURI(target).split("#");
  const path = file === "" ? from : posix.join(dirname(from), file);
  if (!existsSync(join(PROJECT, path))) return false;
  if (anchor === undefined) return true;
  return links.some((page) => page.path === path && page.anchors.includes(anchor));
}

test.each(MANUAL)("$path can be read at one sitting", ({ path, text }) => {
  const most = path === "README.md" ? LONGEST_README : LONGEST;
  expect(text.split("\n").length - 1).toBeLessThanOrEqual(most);
});

test("each page is reached from the index, or from the one of its folder", () => {
  const reached = links.flatMap(({ path, targets }) =>
    /(^|\/)README\.md$/.test(path)
      ? targets.map((target) => posix.join(dirname(path), target.split("#")[0] ?? ""))
      : [],
  );
  const missing = MANUAL.map(({ path }) => path).filter(
    (path) => path !== "README.md" && !reached.includes(path),
  );
  expect(missing).toEqual([]);
});
