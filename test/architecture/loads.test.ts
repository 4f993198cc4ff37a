import { expect, test } from "vitest";
import * as rules from "../helpers/source-rules.ts";
import { importsOf, readSources } from "../helpers/source-tree.ts";

/**
 * Lines of ours that are loaded before a command's first line runs: a person waits for each. They may become more by a
 * fiftieth; beyond that the number is changed here, on purpose, or the import is made a late one.
 */
const LINES_AT_ONCE: Record<string, number> = {
  browse: 6147,
  completion: 7474,
  daemon: 5440,
  delete: 7745,
  demo: 3177,
  doctor: 22146,
  // Its filters, for `--all`, are those of a list.
  export: 6904,
  files: 8577,
  labels: 8687,
  list: 8883,
  feed: 9200,
  mcp: 3100,
  push: 11964,
  resume: 6235,
  schema: 6626,
  search: 8970,
  show: 10999,
  sql: 8918,
  status: 8547,
  sync: 12456,
  team: 11949,
  top: 9300,
  tree: 8369,
  serve: 6292,
  usage: 9098,
  verify: 14249,
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
