import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve } from "node:path";
import { rolldown } from "rolldown";

/**
 * The second half of `npm run build`: puts what every question loads into two files, after tsc has compiled each module
 * by itself. To load one takes Node 0.4 ms, and sixty of them took a tenth of `usage`. Each stays where it is, and
 * exports from there what it did. Then it removes the types that nobody can import.
 */

const root = import.meta.dirname;

/** Where a question begins. What these import is put together, but not what they load later. */
const BEGINNINGS = [
  "src/cli/run.ts",
  "src/cli/closed-terminal.ts",
  "src/cli/signals.ts",
  "src/cli/commands/usage.ts",
  "src/query/usage/usage-report.ts",
  "src/query/sessions.ts",
  "src/sync/freshness.ts",
  "src/sync/survey.ts",
];

/** Of a file that exists when the program runs: types are left out. */
const IMPORT = /^(?:import|export) (?:\{[^}]*\}|\* as \w+|\*|\w+) from "(\.[^"]+)"/gm;

/** @param {readonly string[]} files */
function importedBy(files) {
  const found = new Set(files.map((file) => resolve(root, file)));
  // A Set is gone through to its end, with what is added on the way.
  for (const file of found) {
    for (const [, name = ""] of readFileSync(file, "utf8").matchAll(IMPORT)) {
      found.add(resolve(dirname(file), name));
    }
  }
  return found;
}

const together = importedBy(BEGINNINGS);
/** It runs when it is loaded, so it stays by itself. */
const MAIN = "src/cli/main";
/** @param {string} file */
const nameOf = (file) => relative(root, file).replace(/\.ts$/, "").replaceAll("\\", "/");

/** What is loaded later stays as tsc has compiled it. @type {import("rolldown").Plugin} */
const later = {
  name: "later",
  resolveId(specifier, importer) {
    if (!specifier.startsWith(".") || importer === undefined) return null;
    const file = resolve(dirname(importer), specifier);
    if (together.has(file)) return null;
    return { id: resolve(root, "dist", `${nameOf(file)}.js`), external: "relative" };
  },
};

const built = await rolldown({
  input: Object.fromEntries([...together, resolve(root, `${MAIN}.ts`)].map((file) => [nameOf(file), file])),
  external: (id) => !id.startsWith(".") && !isAbsolute(id),
  platform: "node",
  treeshake: false,
  preserveEntrySignatures: "allow-extension",
  plugins: [later],
});
await built.write({
  dir: resolve(root, "dist"),
  entryFileNames: "[name].js",
  // Rolldown adds a chunk of its own.
  chunkFileNames: ({ name }) => (name.startsWith("src/") ? "[name].js" : "src/[name].js"),
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      // By itself, for the library has no use for it.
      { name: "src/cli/together", test: (id) => nameOf(id).startsWith("src/cli/") && nameOf(id) !== MAIN },
      { name: "src/together", test: (id) => nameOf(id) !== MAIN },
    ],
  },
});

/**
 * What can be imported from the package. Types that these do not reach are of no use to anybody, and may name what
 * `stripInternal` has left out.
 */
const ENTRANCES = ["dist/src/index.d.ts", "dist/src/store/schema.d.ts"];

/** Of a file of types; `tsc` leaves the names of the sources in them. */
const TYPES_OF = /(?:from|import\() ?"(\.[^"]+)\.ts"/g;

const reached = new Set(ENTRANCES.map((file) => resolve(root, file)));
for (const file of reached) {
  for (const [, name = ""] of readFileSync(file, "utf8").matchAll(TYPES_OF)) {
    reached.add(resolve(dirname(file), `${name}.d.ts`));
  }
}
for (const name of readdirSync(resolve(root, "dist"), { recursive: true, encoding: "utf8" })) {
  const file = resolve(root, "dist", name);
  if (name.endsWith(".d.ts") && !reached.has(file)) rmSync(file);
}

// `asc` has compiled them beside their sources, where tests look for them, too.
for (const module of ["src/format/line-scanner.wasm", "src/sync/full-text/segments/inverter.wasm"]) {
  copyFileSync(resolve(root, module), resolve(root, "dist", module));
}

chmodSync(resolve(root, "dist", `${MAIN}.js`), 0o755);
