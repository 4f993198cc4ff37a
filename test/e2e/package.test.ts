import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";

const project = join(import.meta.dirname, "..", "..");

interface Manifest {
  pi: { extensions: string[]; skills: string[] };
  bin: Record<string, string>;
  exports: Record<string, string | { types: string; default: string }>;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

const manifest = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as Manifest;
const shipped = shippedFiles();

function shippedFiles(): string[] {
  const output = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: project,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [pack] = JSON.parse(output) as { files: { path: string }[] }[];
  return (pack?.files ?? []).map(({ path }) => path);
}

/** The package as it would be installed: what is shipped, and the dependencies it names. */
function installed(): string {
  const folder = join(tempDir(), "pi-sessiondb");
  for (const path of shipped) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(project, path), join(folder, path));
  }
  const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  for (const name of dependencies.filter((each) => existsSync(join(project, "node_modules", each)))) {
    mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
    symlinkSync(join(project, "node_modules", name), join(folder, "node_modules", name));
  }
  return folder;
}

const ALLOWED = [
  /^dist\/(src|daemon)\/.+\.(js|d\.ts)$/,
  /^migrations\/.+\.(sql|json|md)$/,
  /^(README|CHANGELOG)\.md$/,
  /^LICENSE$/,
  /^package\.json$/,
  /^config\.schema\.json$/,
  /^src\/pi\/.+\.(ts|md)$/,
];

test("the package ships what runs and what is to be read, and nothing else", () => {
  expect(shipped.filter((path) => !ALLOWED.some((pattern) => pattern.test(path)))).toEqual([]);
});

test.each(["README.md", "LICENSE", "package.json", "migrations/index/meta/_journal.json"])(
  "the package ships %s",
  (path) => {
    expect(shipped).toContain(path);
  },
);

test("the package ships every file its manifest points to", () => {
  const targets = [
    ...Object.values(manifest.bin),
    ...Object.values(manifest.exports).flatMap((each) =>
      typeof each === "string" ? [each] : Object.values(each),
    ),
    ...manifest.pi.extensions,
    ...manifest.pi.skills.map((folder) => `${folder}/sessiondb/SKILL.md`),
  ];
  expect(targets.map((path) => path.replace(/^\.\//, "")).filter((path) => !shipped.includes(path))).toEqual(
    [],
  );
});

test.skipIf(process.platform === "win32")(
  "a build leaves the program executable, for links that npx and npm link made to an earlier one",
  () => {
    expect(statSync(join(project, manifest.bin.sessiondb ?? "")).mode & 0o111).toBe(0o111);
  },
);

test("the package runs with what it ships and the dependencies it names", () => {
  const folder = installed();
  const program = join(folder, manifest.bin.sessiondb ?? "");
  const sessions = join(project, "test", "samples", "agent", "sessions");
  const options = ["--json", "--sessions-dir", sessions, "--db", join(folder, "index", "index-v1.db")];
  const run = (...words: string[]) =>
    JSON.parse(
      execFileSync(process.execPath, [program, ...words, ...options], { encoding: "utf8" }),
    ) as object;
  expect(run("list")).toMatchObject({ total: 13 });
  expect(run("search", "tide")).toMatchObject({ hits: expect.arrayContaining([expect.anything()]) });
});
