import { expect, test } from "vitest";
import * as rules from "../helpers/source-rules.ts";
import { importsOf, readSources } from "../helpers/source-tree.ts";

/**
 * Lines of ours that are loaded before a command's first line runs: a person waits for each. They may become more by a
 * fiftieth; beyond that the number is changed here, on purpose, or the import is made a late one.
 */
const LINES_AT_ONCE: Record<string, number> = {
  completion: 7011,
  daemon: 4888,
  delete: 7165,
  doctor: 21620,
  export: 5755,
  files: 7798,
  labels: 7867,
  list: 8025,
  resume: 5698,
  schema: 5937,
  search: 8161,
  show: 10146,
  sql: 8178,
  status: 7778,
  sync: 11029,
  tree: 7732,
  usage: 8216,
  verify: 13525,
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
