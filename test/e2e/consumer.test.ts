import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { blocksOf, MANUAL } from "../helpers/manual.ts";
import { installed, project } from "./installed-package.ts";

/** A program that builds on the library, with declarations of its own: every type it is given needs a name. */
const PROGRAM = `
import * as library from "pi-sessiondb";
import type { Hit, IndexLocation, SearchResult } from "pi-sessiondb";

export function open(location: IndexLocation) {
  const index = library.openIndex(location, { readonly: true });
  // @ts-expect-error: the driver's own type, and not any
  index.database.nothingOfTheKind;
  return index;
}
export const searchOptions = (...given: Parameters<typeof library.searchEntries>) => given[2];
export const listed = (index: library.Index) => library.listSessions(index, { limit: 10 }).sessions;
export const found = (result: SearchResult) => result.hits.flatMap((hit: Hit) => hit.context?.before ?? []);
export const places = (hit: Hit) => hit.copies;
export const usage = (index: library.Index) => library.sumUsage(index, { by: "day" as "daily", timezone: "UTC" });
export const figures = (index: library.Index) => usage(index).rows.map((row) => row.cacheSavings ?? row.cost);
export const touched = (index: library.Index) => library.findTouches(index, "a", "/a", { home: "/h" }).touches;
export const status = (index: library.Index) => library.readStatus(index, { now: Date.now() });
export const rows = (location: IndexLocation) => library.runSql(location, "SELECT 1", { parameters: { positional: [1] } });
export const schema = library.describeSchema;
export const named = library.resolveSession;
export const labels = library.listLabels;
export const synced = (index: library.Index, signal: AbortSignal) =>
  library.syncAll(index, ["/sessions"], { signal, isExcluded: (path) => path === "/a" });
export const run = (index: library.Index) => new library.SyncRun(index, ["/sessions"]);
export const fed = (index: library.Index) => library.feedSearch(index, { merge: { pages: 64, steps: 1 } });
export const feed = (location: IndexLocation) => new library.SearchFeed(location).finished;
export const manager = library.SessionManager.inMemory("/project");
export const entries = () => manager.getEntries();
export const tree = () => manager.getTree();
export const projection = () => manager.buildSessionProjection();
export const sessions = () => library.SessionManager.listAll((loaded, total) => void [loaded, total]);
`;

test.each([
  ["node16", "node16", "module"],
  ["nodenext", "nodenext", "module"],
  ["nodenext", "nodenext", "commonjs"],
  ["esnext", "bundler", "module"],
])(
  "a strict program in TypeScript that looks into all types builds on it (%s, %s, %s)",
  (module, resolution, type) => {
    const app = join(dirname(installed()), "app");
    mkdirSync(join(app, "node_modules", "@types"), { recursive: true });
    symlinkSync(join(dirname(app), "pi-sessiondb"), join(app, "node_modules", "pi-sessiondb"));
    symlinkSync(join(project, "node_modules", "@types", "node"), join(app, "node_modules", "@types", "node"));
    writeFileSync(join(app, "package.json"), JSON.stringify({ type }));
    writeFileSync(join(app, "program.ts"), PROGRAM);
    // It forbids the syntax of modules in what is compiled to CommonJS.
    const verbatim = ["--verbatimModuleSyntax", String(type === "module")];
    const resolving = ["--module", module, "--moduleResolution", resolution, ...verbatim];
    expect(compile(app, [...resolving, "--skipLibCheck", "false", "program.ts"])).toBe("");
  },
);

const examples = MANUAL.flatMap(({ text }) => blocksOf(text, "ts"));

test("what the manual shows in TypeScript compiles", () => {
  const app = join(dirname(installed()), "manual");
  mkdirSync(join(app, "node_modules", "@types"), { recursive: true });
  symlinkSync(join(dirname(app), "pi-sessiondb"), join(app, "node_modules", "pi-sessiondb"));
  for (const name of ["drizzle-orm", "@types/node", "@types/better-sqlite3"]) {
    symlinkSync(join(project, "node_modules", name), join(app, "node_modules", name));
  }
  writeFileSync(join(app, "package.json"), JSON.stringify({ type: "module" }));
  const files = examples.map((code, at) => {
    const given = "declare const path: string;\n";
    const opened = code.includes("const index =")
      ? ""
      : 'declare const index: import("pi-sessiondb").Index;\n';
    writeFileSync(join(app, `example${at}.ts`), `${given}${opened}${code}`);
    return `example${at}.ts`;
  });
  expect(files.length).toBeGreaterThan(2);
  const options = ["--module", "nodenext", "--skipLibCheck", "true"];
  expect(compile(app, [...options, ...files])).toBe("");
});

const STRICT = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];

function compile(app: string, options: string[]): string {
  const tsc = join(project, "node_modules", "typescript", "bin", "tsc");
  const about = ["--target", "es2022", "--types", "node"];
  const into = ["--declaration", "--outDir", "built"];
  try {
    return execFileSync(process.execPath, [tsc, ...STRICT, ...about, ...into, ...options], {
      cwd: app,
      encoding: "utf8",
    });
  } catch (error) {
    if (error instanceof Error && "stdout" in error) return String(error.stdout);
    throw error;
  }
}
