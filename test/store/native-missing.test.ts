import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";

const project = join(import.meta.dirname, "..", "..");
const shared = sharedTempDir();

/** The compiled package in a place of its own, with all of its dependencies but better-sqlite3. */
function packageWithout(name: string): string {
  const copy = join(shared, name);
  fill(copy, join(copy, "node_modules"));
  return copy;
}

function fill(copy: string, modules: string): void {
  for (const part of ["dist/src", "migrations", "package.json"]) {
    cpSync(join(project, part), join(copy, part), { recursive: true });
  }
  mkdirSync(modules, { recursive: true });
  for (const dependency of ["drizzle-orm", "bindings", "file-uri-to-path"]) {
    symlinkSync(join(project, "node_modules", dependency), join(modules, dependency));
  }
}

/** better-sqlite3 in that place, of all majors, without what its install script builds. */
function addUnbuilt(folder: string): string {
  const driver = join(folder, "node_modules", "better-sqlite3");
  for (const part of ["package.json", "lib"]) {
    const from = join(project, "node_modules", "better-sqlite3", part);
    cpSync(from, join(driver, part), { recursive: true });
    cpSync(from, join(`${driver}-napi`, part), { recursive: true });
  }
  return driver;
}

/** What opening an index comes to there, on this Node or one that says it is another. */
function openIn(copy: string, node?: string): unknown {
  return runIn(
    copy,
    `try { openIndex(location); return {}; }
    catch ({ name, code, hint }) { return { name, code, hint }; }`,
    node,
  );
}

/** What a function with that body, which knows `openIndex` and a `location` without an index, returns there. */
function runIn(copy: string, body: string, node = process.versions.node): unknown {
  const library = pathToFileURL(join(copy, "dist", "src", "index.js")).href;
  const location = JSON.stringify({
    indexPath: join(tempDir(), "i.db"),
    searchPath: join(tempDir(), "s.db"),
  });
  const script = `Object.defineProperty(process.versions, "node", { value: ${JSON.stringify(node)} });
    const { openIndex } = await import(${JSON.stringify(library)});
    const location = ${location};
    console.log(JSON.stringify((() => { ${body} })()));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", script], {
    encoding: "utf8",
  });
  return JSON.parse(output);
}

/** What is said, with the command that mends it. */
function missing(command: string): object {
  return {
    name: "SessionDbError",
    code: "native_missing",
    hint: `Run, with this Node: ${command}`,
  };
}

test("D22: a library without better-sqlite3 loads, and opening an index says what is missing", () => {
  const copy = packageWithout("driver");
  expect(openIn(copy)).toEqual(missing(`cd "${copy}" && npm install --omit=dev`));
});

test("D22: a better-sqlite3 that was not built is said to be missing", () => {
  const copy = packageWithout("binary");
  addUnbuilt(copy);
  expect(openIn(copy)).toEqual(missing(`cd "${copy}" && npm rebuild better-sqlite3`));
});

test("D22: a better-sqlite3 built for something else is said to be missing", () => {
  const copy = packageWithout("right-binary");
  const build = join(addUnbuilt(copy), "build", "Release");
  mkdirSync(build, { recursive: true });
  writeFileSync(join(build, "better_sqlite3.node"), "no binary for this Node");
  expect(openIn(copy)).toEqual(missing(`cd "${copy}" && npm rebuild better-sqlite3`));
});

test("D22: among the dependencies of a project, better-sqlite3 is built where it lies: beside the package", () => {
  const app = join(shared, "app");
  const copy = join(app, "node_modules", "pi-sessiondb");
  fill(copy, join(app, "node_modules"));
  addUnbuilt(app);
  expect(openIn(copy)).toEqual(missing(`cd "${app}" && npm rebuild better-sqlite3`));
});

test("D22: on a newer Node than the one that installed, the driver it left out is installed", () => {
  const app = join(shared, "older");
  const copy = join(app, "node_modules", "pi-sessiondb");
  fill(copy, join(app, "node_modules"));
  rmSync(`${addUnbuilt(app)}-napi`, { recursive: true });
  expect(openIn(copy, "24.21.0")).toEqual(missing(`cd "${app}" && npm install`));
});

/** The driver of a newer Node in that place: one that cannot be loaded, and counts how often that is tried. */
function addBroken(folder: string): void {
  const driver = join(folder, "node_modules", "better-sqlite3-napi");
  mkdirSync(driver, { recursive: true });
  writeFileSync(
    join(driver, "index.js"),
    `globalThis.tries = (globalThis.tries ?? 0) + 1; throw new Error("half a driver");`,
  );
}

test("D22: the cause is what is wrong with this Node's own driver, not that there is no other one", () => {
  const copy = packageWithout("broken");
  addBroken(copy);
  const body = "try { openIndex(location); } catch ({ cause }) { return cause.message; }";
  expect(runIn(copy, body, "24.21.0")).toBe("half a driver");
});

/** On a Node that has a driver of its own, that of an older one is compiled only where install scripts may run. */
const hasOther =
  spawnSync(process.execPath, ["-e", 'new (require("better-sqlite3"))(":memory:")'], { cwd: project })
    .status === 0;

test.skipIf(!hasOther)("D22: where only the other driver can be loaded, the first is tried once", () => {
  const copy = packageWithout("other");
  addBroken(copy);
  const driver = join("node_modules", "better-sqlite3");
  symlinkSync(join(project, driver), join(copy, driver));
  const body = "for (let n = 0; n < 2; n++) openIndex(location).close(); return tries;";
  expect(runIn(copy, body, "24.21.0")).toBe(1);
});
