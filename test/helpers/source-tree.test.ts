import { expect, test } from "vitest";
import * as rules from "./source-rules.ts";
import { importsOf, sourceOf } from "./source-tree.ts";

const source = (text: string, path = "src/store/a.ts") => sourceOf(path, text);
const files = (texts: Record<string, string>) =>
  Object.entries(texts).map(([path, text]) => source(text, path));

test("every way to import is seen, and which of them vanish when compiled", () => {
  const seen = importsOf(
    source(`import type { A } from "./a.ts";
      import { type B } from "../b.ts";
      import "c";
      export type { D } from "./d.ts";
      export * from "./e.ts";
      const f = await import("f");
      type G = import("../../g.ts").G;
      const h = createRequire(import.meta.url)("h");
      const i = require("i");
      // import "comment"; 'import "string"'`),
  );
  expect(
    seen.map(({ specifier, target, typeOnly, late, line }) => [line, specifier, target, typeOnly, late]),
  ).toEqual([
    [1, "./a.ts", "src/store/a.ts", true, false],
    [2, "../b.ts", "src/b.ts", false, false],
    [3, "c", null, false, false],
    [4, "./d.ts", "src/store/d.ts", true, false],
    [5, "./e.ts", "src/store/e.ts", false, false],
    [6, "f", null, false, true],
    [7, "../../g.ts", "g.ts", true, true],
    [8, "h", null, false, true],
    [9, "i", null, false, true],
  ]);
});

test("a file's part is its folder, or its own name at the top", () => {
  const paths = [
    "src/store/open.ts",
    "src/cli/output/csv.ts",
    "src/session/tree.ts",
    "src/session/session-manager.ts",
  ];
  expect([...paths, "daemon/service/linux.ts", "src/errors.ts", "x.ts"].map(rules.partOf)).toEqual([
    "store",
    "cli",
    "session",
    "session",
    "daemon",
    "errors",
    null,
  ]);
});

test("a cycle is reported once, also when types or late imports make it", () => {
  const around = files({
    "src/a.ts": 'import "./b.ts";',
    "src/b.ts": 'import "./c.ts";',
    "src/c.ts": 'import "./a.ts"; import type { D } from "./d.ts";',
    "src/d.ts": 'import "./c.ts"; const e = () => import("./d.ts");',
  });
  expect(rules.cyclesAmong(around.flatMap(importsOf))).toEqual([
    "src/a.ts -> src/b.ts -> src/c.ts -> src/a.ts",
    "src/c.ts -> src/d.ts -> src/c.ts",
    "src/d.ts -> src/d.ts",
  ]);
});

test("any is found as a type and not as a word", () => {
  expect(rules.anysIn(source('const any = "any"; let a: unknown;\nlet b = a as any;'))).toEqual([
    "src/store/a.ts:2 any",
  ]);
});

test("a catch that does nothing is found, with a comment inside too", () => {
  const text =
    "try { f() } catch { /* fine */ }\np.catch(() => {});\ntry { f() } catch (e) { g(e) }\np.catch(g);";
  expect(rules.emptyCatchesIn(source(text))).toEqual([
    "src/store/a.ts:1 empty catch",
    "src/store/a.ts:2 empty catch",
  ]);
});

test("the environment is found under each of its names", () => {
  const texts = [
    "process.env.A",
    'process["env"]',
    "const { env } = process",
    'import { env } from "node:process"',
  ];
  for (const text of texts) expect(rules.environmentReadsIn(source(text))).toHaveLength(1);
  const harmless = 'import process from "node:process"; world.env.A; process.pid';
  expect(rules.environmentReadsIn(source(harmless))).toEqual([]);
});

test("a transaction begun by hand is found, a trigger's body or a sentence is not", () => {
  expect(rules.rawBeginsIn(source('db.exec("BEGIN IMMEDIATE"); db.exec(`begin`);'))).toHaveLength(2);
  expect(
    rules.rawBeginsIn(source('"Begin with `pi`."; "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END"')),
  ).toEqual([]);
});

test("long files, long functions and SQL made of values smell", () => {
  const sql = ["COLUMNS", "value"].map((name) => `db.prepare(\`SELECT \${${name}} FROM t\`);`).join(" ");
  expect(rules.smellsIn(source(`${sql}\nfunction f() {${"\n".repeat(41)}}${"\n//".repeat(210)}`))).toEqual([
    "src/store/a.ts: 253 lines",
    "src/store/a.ts:2 a function of 42 lines",
    "src/store/a.ts:1 SQL put together from values",
  ]);
});
