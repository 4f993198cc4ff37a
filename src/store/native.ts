import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type DatabaseConstructor from "better-sqlite3";
import type { Database, Options } from "better-sqlite3";
import { codeOf, SessionDbError } from "../errors.ts";

export type { Database, Statement } from "better-sqlite3";

const require = createRequire(import.meta.url);

/**
 * better-sqlite3 13 (under the name `better-sqlite3-napi`) where Node can run it, else 12: no one major serves
 * all Nodes. 13 needs Node 22; 12 aborts the process on Node 24.19 and later as soon as a statement is
 * garbage-collected outside of JavaScript (`RemoveEnvironmentCleanupHook`, `env != nullptr`).
 */
const DRIVERS = nodeMajor() >= 22 ? ["better-sqlite3-napi", "better-sqlite3"] : ["better-sqlite3"];

function nodeMajor(): number {
  return Number.parseInt(process.versions.node, 10);
}

let loaded: typeof DatabaseConstructor | undefined;

/**
 * Loads better-sqlite3 when it is first needed, so that what can do without it works where its native part is
 * missing or built for another Node.
 *
 * @throws SessionDbError `native_missing`, caused by what is wrong with the driver that this Node should have
 */
export function loadSqlite(): typeof DatabaseConstructor {
  // What failed once would be tried again with each connection.
  loaded ??= firstThatLoads();
  return loaded;
}

function firstThatLoads(): typeof DatabaseConstructor {
  let problem: unknown;
  for (const driver of DRIVERS) {
    try {
      return require(driver);
    } catch (error) {
      problem ??= error;
    }
  }
  throw nativeMissing(problem);
}

/** The driver's message when the folder is missing; it gives no code. */
const NO_FOLDER = "Cannot open database because the directory does not exist";

/**
 * Opens a database file.
 *
 * @throws SessionDbError `native_missing`; SQLite's errors; `ENOENT`, as the file system says it, without its folder
 */
export function connect(path: string, options: Options): Database {
  try {
    return new (loadSqlite())(path, options);
  } catch (error) {
    if (!(error instanceof TypeError) || error.message !== NO_FOLDER) throw error;
    throw Object.assign(new Error(`${NO_FOLDER}: ${dirname(path)}`, { cause: error }), { code: "ENOENT" });
  }
}

/** better-sqlite3 loads its binary with the first connection, so opening one can fail in the same way. */
export function isNativeProblem(error: unknown): boolean {
  if (codeOf(error) === "ERR_DLOPEN_FAILED") return true;
  return error instanceof Error && error.message.startsWith("Could not locate the bindings file");
}

export function nativeMissing(cause: unknown): SessionDbError {
  const { folder, command } = driverRemedy();
  return new SessionDbError("native_missing", `better-sqlite3 cannot be loaded on Node ${process.version}`, {
    cause,
    hint: `Run, with this Node: cd "${folder}" && ${command}`,
  });
}

/**
 * The command that installs the driver this Node needs, and the folder to run it in: npm puts what a project depends on
 * beside this package, not into it. Only 12 is built by a script; 13 is missing where an older Node installed the package.
 */
export function driverRemedy(): { folder: string; command: string } {
  const own = dirname(require.resolve("pi-sessiondb/package.json"));
  const folder = folderWith("better-sqlite3") ?? own;
  if (DRIVERS.every(folderWith)) return { folder, command: "npm rebuild better-sqlite3" };
  return { folder, command: folder === own ? "npm install --omit=dev" : "npm install" };
}

/** The folder in whose `node_modules` a driver lies, whether or not it can be loaded. */
function folderWith(driver: string): string | undefined {
  const modules = require.resolve.paths(driver)?.find((path) => existsSync(join(path, driver)));
  return modules && dirname(modules);
}
