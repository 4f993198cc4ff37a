import { expect, test } from "vitest";
import * as rules from "../helpers/source-rules.ts";
import { importsOf, readSources } from "../helpers/source-tree.ts";

/**
 * Lines of ours that are loaded before a command's first line runs: a person waits for each. They may become more by a
 * fiftieth; beyond that the number is changed here, on purpose, or the import is made a late one.
 */
const LINES_AT_ONCE: Record<string, number> = {
  browse: 6278,
  completion: 7669,
  daemon: 5575,
  restore: 8342,
  archive: 8433,
  delete: 7912,
  demo: 3252,
  doctor: 23498,
  // Its filters, for `--all`, are those of a list.
  export: 6951,
  files: 8769,
  labels: 8863,
  list: 9097,
  feed: 9407,
  mcp: 3183,
  push: 3449,
  resume: 6377,
  schema: 6770,
  search: 9159,
  show: 11372,
  sql: 9314,
  status: 8747,
  sync: 12259,
  team: 3518,
  top: 9300,
  tree: 8537,
  serve: 6428,
  usage: 9281,
  verify: 15247,
};

const sources = readSources("src", "daemon");
const imports = sources.flatMap(importsOf);
const linesOf = new Map(sources.map(({ path, text }) => [path, text.split("\n").length - 1]));

const placeOf = new Map(
  sources.flatMap(({ path }): [string, string][] => {
    const [, name] = /^src\/cli\/commands\/(?:\w+\/)?(\w+)\.ts$/.exec(path) ?? [];
    return name === undefined ? [] : [[name, path]];
  }),
);
const commands = [...placeOf.keys()];

test("each command loads no more at once than it did", () => {
  const now = Object.fromEntries(commands.map((name) => [name, linesAtOnce(placeOf.get(name) ?? "")]));
  const grown = commands.filter((name) => (now[name] ?? 0) > (LINES_AT_ONCE[name] ?? 0) * 1.02);
  expect(grown.map((name) => `${name}: ${LINES_AT_ONCE[name]} -> ${now[name]}`)).toEqual([]);
});

function linesAtOnce(command: string): number {
  const loaded = rules.loadedWith(["src/cli/main.ts", command], imports);
  return [...loaded].reduce((sum, path) => sum + (linesOf.get(path) ?? 0), 0);
}
