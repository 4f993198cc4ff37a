import { execFileSync, execSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";
import { ask, ServedPage } from "../helpers/page-client.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { installed, manifest, project, shipped } from "./installed-package.ts";

const ALLOWED = [
  /^dist\/(src|daemon)\/.+\.js$/,
  /^dist\/src\/.+\.d\.ts$/,
  /^dist\/src\/chunks\/.+\.wasm$/,
  /^dist\/src\/chunks\/LICENSES$/,
  /^dist\/src\/serve\/page\/(index\.html|page\.css|LICENSES)$/,
  /^migrations\/.+\.(sql|md)$/,
  /^migrations\/\w+\/meta\/_journal\.json$/,
  /^(README|CHANGELOG|CONTRIBUTING)\.md$/,
  /^docs\/.+\.(md|svg|png|1)$/,
  /^test\/samples\/agent\/sessions\/.+\.jsonl$/,
  /^test\/README\.md$/,
  /^LICENSE$/,
  /^package\.json$/,
  /^config\.schema\.json$/,
  /^src\/(panels|pi)\/.+\.(ts|md)$/,
];

test("the package ships what runs and what is to be read, and nothing else", () => {
  expect(shipped.filter((path) => !ALLOWED.some((pattern) => pattern.test(path)))).toEqual([]);
});

test.each([
  "README.md",
  "LICENSE",
  "package.json",
  "migrations/index/meta/_journal.json",
  "dist/src/chunks/scanner.wasm",
  "dist/src/chunks/LICENSES",
  "dist/src/serve/page/index.html",
  "dist/src/serve/page/page.css",
  "dist/src/serve/page/page.js",
])("the package ships %s", (path) => {
  expect(shipped).toContain(path);
});

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

test("the skill names the program where the package has it", () => {
  const skill = "src/pi/skills/sessiondb";
  const text = readFileSync(join(project, skill, "SKILL.md"), "utf8");
  const named = (text.match(/\.\.\/[^`]+/g) ?? []).map((path) => posix.join(skill, path));
  expect(named).toEqual([manifest.bin.sessiondb, "src/cli/main.ts"]);
  expect(existsSync(join(project, "src/cli/main.ts"))).toBe(true);
});

test.skipIf(process.platform === "win32")(
  "a build leaves the program executable, for links that npx and npm link made to an earlier one",
  () => {
    expect(statSync(join(project, manifest.bin.sessiondb ?? "")).mode & 0o111).toBe(0o111);
  },
);

test("packing it anew leaves the samples that npm start shows", () => {
  const folder = tempDir();
  const built = ["daemon", "samples", "src"];
  for (const part of built) mkdirSync(join(folder, "dist", part), { recursive: true });
  execSync(manifest.scripts.clean ?? "", { cwd: folder });
  expect(readdirSync(join(folder, "dist"))).toEqual(["samples"]);
});

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

test("the package serves its page", async () => {
  const folder = installed();
  const sessions = join(project, "test", "samples", "agent", "sessions");
  const places = ["--sessions-dir", sessions, "--db", join(folder, "index", "index-v1.db")];
  const page = await ServedPage.start(places, [], join(folder, manifest.bin.sessiondb ?? ""));
  const api = await page.signIn();
  expect(JSON.parse((await api("status")).text)).toMatchObject({ sessions: 13 });
  const files = await Promise.all(["/", "/page.js", "/page.css"].map((path) => ask(page.at, path)));
  expect(files.map(({ status, headers }) => [status, headers["content-type"]])).toEqual([
    [200, "text/html; charset=utf-8"],
    [200, "text/javascript; charset=utf-8"],
    [200, "text/css; charset=utf-8"],
  ]);
});

test("a program that has installed the package asks its index, and has the schema for queries of its own", () => {
  const folder = installed();
  // A program inside a package finds it by its own name, as others do by what they have installed.
  const code = `import { listSessions, openIndex, syncAll } from "pi-sessiondb";
    import { sessions } from "pi-sessiondb/schema";
    import { getTableName } from "drizzle-orm";
    const index = openIndex({ indexPath: process.argv[1], searchPath: process.argv[2] });
    syncAll(index, [process.argv[3]]);
    console.log(JSON.stringify([listSessions(index).total, getTableName(sessions)]));`;
  const places = ["index-v1.db", "search-v1.db"].map((name) => join(folder, name));
  const samples = join(project, "test", "samples", "agent", "sessions");
  const answer = execFileSync(process.execPath, ["--input-type=module", "--eval", code, ...places, samples], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(JSON.parse(answer)).toEqual([13, "sessions"]);
});
