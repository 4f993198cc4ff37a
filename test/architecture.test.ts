import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as rules from "./helpers/source-rules.ts";
import { type Import, importsOf, readSources, type Source } from "./helpers/source-tree.ts";

/** Top to bottom: which parts a part may import. Every part may import itself and `errors`; docs/architecture.md says why. */
const MAY_IMPORT: Record<string, readonly string[] | "everything"> = {
  index: "everything",
  cli: "everything",
  // pi loads both as source, and they run the command line.
  pi: ["panels"],
  panels: [],
  daemon: ["search", "indexing", "store", "config", "files", "runtime"],
  // It runs in a browser.
  page: ["text"],
  api: [
    "team",
    "reports",
    "search",
    "projects",
    "indexing",
    "filters",
    "store",
    "config",
    "files",
    "time",
    "runtime",
  ],
  // A team's database: what is pushed there, and what is asked.
  team: ["reports", "search", "filters", "store", "config", "files", "format", "time", "text", "runtime"],
  session: ["indexing", "store", "config", "files", "format", "text", "runtime"],
  serve: ["render", "reports", "store", "text", "runtime"],
  export: ["render", "reports", "filters", "store", "files", "format", "time", "text", "runtime"],
  render: ["reports", "store", "files", "format", "time", "text", "runtime"],
  reports: ["search", "filters", "store", "files", "format", "time", "text", "runtime"],
  search: ["indexing", "filters", "store", "files", "format", "time", "text", "runtime"],
  indexing: ["store", "files", "format", "text", "runtime"],
  projects: ["store", "files", "runtime"],
  filters: ["store", "files", "format", "time", "text", "runtime"],
  store: ["files", "format", "text", "runtime"],
  config: ["files", "time", "runtime"],
  files: ["runtime"],
  format: ["text", "runtime"],
  time: ["runtime"],
  text: [],
  runtime: [],
  errors: [],
};

const EVERYBODYS = ["errors"];

/** Modules that load the native database driver. */
const NATIVE = ["better-sqlite3", "better-sqlite3-napi", "drizzle-orm/better-sqlite3"];

/** As many as there are; fewer when one goes. */
const MOST_SMELLS = 49;
/** Commands should ask `api`; so many imports still go past it, into rooms that it composes. */
const MOST_PAST_API = 61;

const sources = readSources("src", "daemon");
const imports = sources.flatMap(importsOf);
const tests = readSources("test");
const outside =
  (...places: string[]) =>
  (source: Source) =>
    !places.some((place) => source.path.startsWith(place));

function written({ source, line, specifier }: Import): string {
  return `${source.path}:${line} imports ${specifier}`;
}

function isAllowed({ source, target, specifier, typeOnly }: Import): boolean {
  const part = rules.partOf(source.path) ?? "";
  // The page shows answers, and knows their shapes from where they are made.
  if (part === "page" && typeOnly) return true;
  const wanted = specifier.startsWith("pi-sessiondb") ? "index" : target && (rules.partOf(target) ?? target);
  if (wanted === null || wanted === part || EVERYBODYS.includes(wanted)) return true;
  const allowed = MAY_IMPORT[part] ?? [];
  // package.json is no part of ours; whoever needs the version reads it.
  return allowed === "everything" || allowed.includes(wanted) || wanted === "package.json";
}

test("every source file belongs to a part the design knows", () => {
  const strangers = sources.filter(({ path }) => !Object.hasOwn(MAY_IMPORT, rules.partOf(path) ?? ""));
  expect(strangers.map(({ path }) => path)).toEqual([]);
});

test("a part imports only the parts the design lets it import", () => {
  expect(imports.filter((one) => !isAllowed(one)).map(written)).toEqual([]);
});

test("every import of a file of ours names a file that exists, with its extension", () => {
  const known = new Set(sources.map(({ path }) => path));
  const dead = imports.filter(
    ({ target }) => target !== null && !known.has(target) && target !== "package.json",
  );
  expect(dead.map(written)).toEqual([]);
});

test("no file imports itself by way of others", () => {
  expect(rules.cyclesAmong(imports)).toEqual([]);
});

test("no more of the command line goes past api than did", () => {
  const past = imports.filter(
    ({ source, target }) =>
      source.path.startsWith("src/cli/") && /^src\/(store|files|indexing)\//.test(target ?? ""),
  );
  expect(past.length, past.map(written).join("\n")).toBeLessThanOrEqual(MOST_PAST_API);
});

test("a question that finds nothing new waits neither for what reads files nor for what measures text", () => {
  const usage = [
    "src/cli/main.ts",
    "src/cli/commands/usage.ts",
    "src/reports/usage/usage-report.ts",
    "src/indexing/scan.ts",
  ];
  const loaded = rules.loadedWith(usage, imports);
  const costly = [
    "src/indexing/sync-run.ts",
    "src/indexing/index-file.ts",
    "src/search/search.ts",
    "node:zlib",
    "picocolors",
    "string-width",
    "yargs",
  ];
  expect([loaded.has("src/store/open.ts"), costly.filter((each) => loaded.has(each))]).toEqual([true, []]);
});

test("nothing that the page loads needs Node", () => {
  const page = imports.filter(({ source }) => rules.partOf(source.path) === "page");
  const loaded = rules.loadedWith(
    page.map(({ source }) => source.path),
    imports,
  );
  const known = /^(src\/|preact|@preact\/signals$|d3-)/;
  expect(page.length).toBeGreaterThan(10);
  expect([...loaded].filter((each) => !known.test(each))).toEqual([]);
});

test("chokidar is imported by the watcher only", () => {
  const users = imports.filter(({ specifier }) => /^chokidar(\/|$)/.test(specifier));
  expect(users.filter(({ source }) => source.path !== "daemon/components/watcher.ts").map(written)).toEqual(
    [],
  );
});

test("D21: the native database driver is loaded in src/store only", () => {
  const users = imports.filter(({ specifier, typeOnly }) => NATIVE.includes(specifier) && !typeOnly);
  expect(users.filter(({ source }) => outside("src/store/")(source)).map(written)).toEqual([]);
});

test("the environment is read in src/runtime/env.ts only", () => {
  expect(sources.filter(outside("src/runtime/env.ts")).flatMap(rules.environmentReadsIn)).toEqual([]);
});

test("D17: transactions are begun by hand in src/store only", () => {
  expect(sources.filter(outside("src/store/")).flatMap(rules.rawBeginsIn)).toEqual([]);
});

test("what applications share holds no SQL, and knows no terminal, no command line and no exit code", () => {
  const foreign = /\b(?:SELECT|INSERT INTO|DELETE FROM|UPDATE) |\bprocess\.|\bconsole\.|ExitCode/;
  const shared = sources.filter(({ path }) => path.startsWith("src/api/"));
  expect(shared.length).toBeGreaterThan(5);
  expect(shared.filter(({ text }) => foreign.test(text)).map(({ path }) => path)).toEqual([]);
});

test("threads are started in src/runtime/thread.ts only", () => {
  const starters = sources.filter(({ text }) => /\bnew Worker\b/.test(text));
  expect(starters.map(({ path }) => path)).toEqual(["src/runtime/thread.ts"]);
});

test("what is started by its path is there, and is an entry of the bundles", () => {
  const project = join(import.meta.dirname, "..");
  const build = readFileSync(join(project, "build.mjs"), "utf8");
  const started = sources.flatMap(({ text }) => [...text.matchAll(/moduleAt\("([^"]+)"\)/g)]);
  const lost = started.filter(([, path]) => {
    return !existsSync(join(project, `${path}.ts`)) || !build.includes(`  "${path}",\n`);
  });
  expect([started.length > 0, lost.map(([call]) => call)]).toEqual([true, []]);
});

test("nothing is of type any", () => {
  expect([...sources, ...tests].flatMap(rules.anysIn)).toEqual([]);
});

test("no error is caught and forgotten", () => {
  expect([...sources, ...tests].flatMap(rules.emptyCatchesIn)).toEqual([]);
});

test("there are no more smells than there were", () => {
  const smells = sources.flatMap(rules.smellsIn);
  if (smells.length > 0) console.info(["Smells:", ...smells].join("\n  "));
  expect(smells.length).toBeLessThanOrEqual(MOST_SMELLS);
});
