import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";

const project = join(import.meta.dirname, "..", "..");
const shared = sharedTempDir();

/** The compiled package in a place of its own, with all of its dependencies but better-sqlite3. */
function packageWithout(name: string): string {
  const copy = join(shared, name);
  for (const part of ["dist/src", "migrations", "package.json"]) {
    cpSync(join(project, part), join(copy, part), { recursive: true });
  }
  mkdirSync(join(copy, "node_modules"));
  for (const dependency of ["drizzle-orm", "temporal-polyfill", "bindings", "file-uri-to-path"]) {
    symlinkSync(join(project, "node_modules", dependency), join(copy, "node_modules", dependency));
  }
  return copy;
}

/** better-sqlite3 in that place, without what its install script builds. */
function addUnbuilt(copy: string): string {
  const driver = join(copy, "node_modules", "better-sqlite3");
  for (const part of ["package.json", "lib"]) {
    cpSync(join(project, "node_modules", "better-sqlite3", part), join(driver, part), { recursive: true });
  }
  return driver;
}

/** What opening an index comes to there. */
function openIn(copy: string): { code?: string; hint?: string } {
  const library = pathToFileURL(join(copy, "dist", "src", "index.js")).href;
  const location = JSON.stringify({
    indexPath: join(tempDir(), "i.db"),
    searchPath: join(tempDir(), "s.db"),
  });
  const script = `import { openIndex } from ${JSON.stringify(library)};
    try { openIndex(${location}); console.log("{}"); }
    catch ({ name, code, hint }) { console.log(JSON.stringify({ name, code, hint })); }`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
  });
  return JSON.parse(output) as { code?: string; hint?: string };
}

const missing = {
  name: "SessionDbError",
  code: "native_missing",
  hint: expect.stringContaining("npm rebuild better-sqlite3"),
};

test("D22: a library without better-sqlite3 loads, and opening an index says what is missing", () => {
  const copy = packageWithout("driver");
  const told = openIn(copy);
  expect(told).toEqual(missing);
  expect(told.hint).toContain(`cd "${copy}"`);
});

test("D22: a better-sqlite3 that was not built is said to be missing", () => {
  const copy = packageWithout("binary");
  addUnbuilt(copy);
  expect(openIn(copy)).toEqual(missing);
});

test("D22: a better-sqlite3 built for something else is said to be missing", () => {
  const copy = packageWithout("right-binary");
  const build = join(addUnbuilt(copy), "build", "Release");
  mkdirSync(build, { recursive: true });
  writeFileSync(join(build, "better_sqlite3.node"), "no binary for this Node");
  expect(openIn(copy)).toEqual(missing);
});
