import { chmodSync, copyFileSync, cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { build } from "rolldown";

/**
 * The second half of `npm run build`: `dist` is the package, in bundles. `tsc` has left its types there, and each module
 * by itself in `build`, for tests that start a process with a part of the program.
 */

/** What is started or imported by its path: the program, the library, and what threads and child processes run. */
const ENTRIES = [
  "src/cli/main",
  "src/cli/serve/answer-thread",
  "src/cli/browse/command-thread",
  "src/index",
  "src/store/schema",
  "src/reports/sql/sql-process",
  "src/reports/sql/memory-watch",
  "src/search/substring/scan-worker",
  "src/search/worker",
];

/** What is installed beside the package; everything else is bundled. */
const { dependencies } = JSON.parse(readFileSync("package.json", "utf8"));

/** Packages that come without theirs, which stands in their repository: MIT, as ours. */
const COPYRIGHTS = [["@mariozechner/pi-tui", "Copyright (c) 2025 Mario Zechner"]];

await build({
  input: Object.fromEntries(ENTRIES.map((name) => [name, `${name}.ts`])),
  // PostgreSQL's driver knows of two more, which it does without.
  external: [
    ...Object.keys(dependencies).map((name) => new RegExp(`^${name}(/|$)`)),
    "pg-native",
    "cloudflare:sockets",
  ],
  platform: "node",
  // What is to come late may stand in a bundle that has come already.
  checks: { ineffectiveDynamicImport: false },
  // WebAssembly goes where the bundle that names it is.
  experimental: { resolveNewUrlToAsset: true },
  output: {
    dir: "dist",
    entryFileNames: "[name].js",
    // `moduleAt` counts on two folders.
    chunkFileNames: "src/chunks/[name].js",
    assetFileNames: "src/chunks/[name][extname]",
    // To load a file takes Node 0.4 ms: what many commands need is in two, of which the library needs one.
    codeSplitting: {
      groups: [
        { name: "common", test: /^(?!.*[\\/]src[\\/]cli[\\/])/, minShareCount: 10 },
        { name: "cli", test: /[\\/]src[\\/]cli[\\/]/, minShareCount: 4 },
      ],
    },
  },
  plugins: [licences("src/chunks/LICENSES")],
});
await buildPage("src/serve/page", "dist/src/serve/page");
chmodSync("dist/src/cli/main.js", 0o755);
cpSync("src", "build/src", {
  recursive: true,
  filter: (path) => statSync(path).isDirectory() || path.endsWith(".wasm"),
});

/**
 * What runs in the browser: a bundle and a style of its own, and the shell that loads both.
 *
 * @param {string} from
 * @param {string} to
 */
async function buildPage(from, to) {
  await build({
    input: { page: `${from}/main.tsx` },
    platform: "browser",
    tsconfig: `${from}/tsconfig.json`,
    output: { dir: to, entryFileNames: "[name].js", minify: true, codeSplitting: false },
    plugins: [licences("LICENSES")],
  });
  const { TRANSCRIPT_STYLE } = await import("./build/src/render/html-style.js");
  const styles = readdirSync(`${from}/css`).sort();
  const own = styles.map((name) => readFileSync(`${from}/css/${name}`, "utf8"));
  writeFileSync(`${to}/page.css`, [TRANSCRIPT_STYLE, ...own].join(""));
  copyFileSync(`${from}/index.html`, `${to}/index.html`);
}

/**
 * The licences of the packages that are bundled ask to be kept with them.
 *
 * @param {string} fileName
 * @returns {import("rolldown").Plugin}
 */
function licences(fileName) {
  return {
    name: "licences",
    generateBundle(_options, bundle) {
      this.emitFile({ type: "asset", fileName, source: licencesOf(bundle) });
    },
  };
}

/**
 * @param {import("rolldown").OutputBundle} bundle
 */
function licencesOf(bundle) {
  const modules = Object.values(bundle).flatMap((file) => ("moduleIds" in file ? file.moduleIds : []));
  const folders = new Set(
    modules.flatMap((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id) ?? []),
  );
  const texts = [...folders].sort().map((folder) => {
    return `${folder.replace(/^.*node_modules[\\/]/, "")}\n\n${licenceIn(folder).trim()}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/**
 * From a file of its own, or from the end of what is to be read first.
 *
 * @param {string} folder of a package
 */
function licenceIn(folder) {
  const [, copyright] = COPYRIGHTS.find(([name]) => folder.endsWith(`/${name}`)) ?? [];
  if (copyright !== undefined) return readFileSync("LICENSE", "utf8").replace(/^Copyright .*$/m, copyright);
  const names = readdirSync(folder);
  const licence = names.find((name) => /^licen[cs]e/i.test(name));
  if (licence !== undefined) return readFileSync(`${folder}/${licence}`, "utf8");
  const readme = readFileSync(`${folder}/${names.find((name) => /^readme/i.test(name)) ?? ""}`, "utf8");
  const [text] = /(?:Copyright \(c\)[^\n]*\s+)?Permission is hereby granted[\s\S]*/.exec(readme) ?? [];
  if (text === undefined) throw new Error(`${folder} comes without its licence`);
  return text;
}
