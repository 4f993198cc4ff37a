import { expect, test } from "vitest";
import * as rules from "../helpers/source-rules.ts";
import { importsOf, readSources } from "../helpers/source-tree.ts";

/**
 * Lines of ours that are loaded before a command's first line runs: a person waits for each. They may become more by a
 * fiftieth; beyond that the number is changed here, on purpose, or the import is made a late one.
 */
const LINES_AT_ONCE: Record<string, number> = {
  completion: 6863,
  daemon: 4768,
  delete: 7165,
  doctor: 20080,
  export: 5614,
  files: 7580,
  labels: 7649,
  list: 7793,
  resume: 5570,
  schema: 5775,
  search: 7737,
  show: 9750,
  sql: 7952,
  status: 7598,
  sync: 10021,
  tree: 7432,
  usage: 7863,
  verify: 12330,
};

const sources = readSources("src", "daemon");
const imports = sources.flatMap(importsOf);
const linesOf = new Map(sources.map(({ path, text }) => [path, text.split("\n").length - 1]));

const commands = sources
  .map(({ path }) => /^src\/cli\/commands\/(\w+)\.ts$/.exec(path)?.[1])
  .filter((name) => name !== undefined);

test("each command loads no more at once than it did", () => {
  const now = Object.fromEntries(commands.map((name) => [name, linesAtOnce(`src/cli/commands/${name}.ts`)]));
  const grown = commands.filter((name) => (now[name] ?? 0) > (LINES_AT_ONCE[name] ?? 0) * 1.02);
  expect(grown.map((name) => `${name}: ${LINES_AT_ONCE[name]} -> ${now[name]}`)).toEqual([]);
});

function linesAtOnce(command: string): number {
  const loaded = rules.loadedWith(["src/cli/main.ts", command], imports);
  return [...loaded].reduce((sum, path) => sum + (linesOf.get(path) ?? 0), 0);
}
