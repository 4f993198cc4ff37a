import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readPiCatalogue } from "../../src/config/pi-catalogue.ts";
import { costing, installPi } from "../helpers/installed-pi.ts";
import { isMissing, peers } from "../helpers/peers.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const nowhere = "/nowhere";

describe.each([
  ["newestPi", "1.6.0", "anthropic"],
  ["pi", "0.87.1", "azure-openai-responses"],
  ["oldPi", "0.73.1", "azure-openai-responses"],
] as const)("the list of models of %s", (name, version, provider) => {
  test.skipIf(isMissing(name))("is found by its program on PATH", async () => {
    const bin = tempDir();
    symlinkSync(peers[name], join(bin, "pi"));
    const catalogue = await readPiCatalogue({ agentDir: nowhere, searchPath: bin });
    expect(catalogue).toMatchObject({ version, stored: null, own: null });
    expect(catalogue.folder).toMatch(name === "oldPi" ? /@mariozechner.pi-ai$/ : /@earendil-works.pi-ai$/);
    expect(catalogue.providers[provider]?.length).toBeGreaterThan(10);
    expect(catalogue.providers[provider]).toContainEqual(expect.objectContaining({ id: expect.any(String) }));
  });
});

test.each([
  ["pnpm", "pi", (to: string) => `#!/bin/sh\nbasedir=$(dirname "$0")\nexec node  "$basedir/${to}" "$@"\n`],
  [
    "npm on Windows",
    "pi.cmd",
    (to: string) => `@ECHO off\r\n"%_prog%"  "%dp0%\\${to.replaceAll("/", "\\")}" %*\r\n`,
  ],
])("a script of %s in the place of a link is followed", async (_, name, write) => {
  const folder = tempDir();
  installPi(folder, { openai: { "gpt-5": costing(2) } });
  const bin = join(folder, "bin2");
  mkdirSync(bin);
  const program = "../lib/node_modules/@earendil-works/pi-coding-agent/dist/cli.js";
  writeFileSync(join(bin, name), write(program));
  const { version, providers } = await readPiCatalogue({ agentDir: nowhere, searchPath: bin });
  expect([version, providers.openai?.length]).toEqual(["1.2.3", 1]);
});

test("the first pi on PATH that has a list is taken; another program of that name is passed by", async () => {
  const [other, first, second] = [tempDir(), tempDir(), tempDir()];
  writeFileSync(join(other, "pi"), "#!/bin/sh\necho 3.14159\n");
  chmodSync(join(other, "pi"), 0o755);
  const path = [
    "relative/bin",
    other,
    installPi(first, { openai: { "gpt-5": costing(2) } }),
    installPi(second, { openai: {} }),
  ];
  const { folder } = await readPiCatalogue({ agentDir: nowhere, searchPath: path.join(delimiter) });
  expect(folder.startsWith(first)).toBe(true);
});

test.each(["folder", "pipe"])("a %s of its name on PATH is no pi", async (kind) => {
  const [other, folder] = [tempDir(), tempDir()];
  if (kind === "folder") mkdirSync(join(other, "pi"));
  else execFileSync("mkfifo", [join(other, "pi")]);
  const searchPath = [other, installPi(folder, {})].join(delimiter);
  expect((await readPiCatalogue({ agentDir: nowhere, searchPath })).folder.startsWith(folder)).toBe(true);
});

test("what the user has written may have comments and trailing commas, as pi allows; what is no JSON counts nothing", async () => {
  const folder = tempDir();
  const searchPath = installPi(folder, {});
  const read = () => readPiCatalogue({ agentDir: folder, searchPath });
  writeFileSync(join(folder, "models.json"), '\uFEFF{ // mine\n "providers": { "x": {}, }, }');
  writeFileSync(join(folder, "models-store.json"), '{"openrouter":{"models":[]}}');
  expect(await read()).toMatchObject({
    own: { providers: { x: {} } },
    stored: { openrouter: { models: [] } },
  });
  writeFileSync(join(folder, "models.json"), '{ "providers": ');
  writeFileSync(join(folder, "models-store.json"), "[");
  expect(await read()).toMatchObject({ own: null, stored: null });
});

test("where there is no pi, or none that is understood, the error says what to do", async () => {
  const read = (searchPath: string) => readPiCatalogue({ agentDir: nowhere, searchPath });
  await expect(read("")).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringContaining("no pi on PATH"),
  });
  const folder = tempDir();
  const bin = join(folder, "bin");
  const aboutPi = join(folder, "node_modules", "@earendil-works", "pi-ai", "package.json");
  for (const each of [bin, dirname(aboutPi)]) mkdirSync(each, { recursive: true });
  writeFileSync(join(bin, "pi"), "");
  writeFileSync(aboutPi, "{}");
  const module = join(dirname(aboutPi), "dist", "models.generated.js");
  mkdirSync(dirname(module));
  writeFileSync(module, 'throw new Error("not as it was")');
  await expect(read(bin)).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringContaining("no list of models"),
  });
});
