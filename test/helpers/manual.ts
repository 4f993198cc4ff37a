/** The manual: README and the pages of docs. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const PROJECT = join(import.meta.dirname, "..", "..");

export interface Page {
  /** From the project's folder on, with slashes. */
  path: string;
  text: string;
}

const docs = readdirSync(join(PROJECT, "docs"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name.replaceAll("\\", "/")}`);

export const MANUAL: readonly Page[] = ["README.md", ...docs.sort()].map(readPage);

export function readPage(path: string): Page {
  return { path, text: readFileSync(join(PROJECT, path), "utf8") };
}

/** What stands between a heading of a page and the next one of its rank or above. */
export function sectionOf({ path, text }: Page, heading: string): string {
  const [, rest] = text.split(`\n${heading}\n`);
  if (rest === undefined) throw new Error(`${path} has no "${heading}"`);
  const rank = heading.indexOf(" ");
  return rest.split(new RegExp(`\n#{1,${rank}} `))[0] ?? "";
}

/** Blocks of code of one language; "" for those that name none. */
export function blocksOf(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, name, code = ""]) => {
    return name === language ? [code] : [];
  });
}
