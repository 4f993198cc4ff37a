import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMAND_GROUPS } from "../../src/cli/command-line/command.ts";
import { describeSchema } from "../../src/reports/sql/describe-schema.ts";
import { PROJECT } from "../helpers/manual.ts";
import { withIndex } from "../helpers/open-index.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import {
  commandOverview,
  groupPage,
  groupReference,
  manPage,
  tablesReference,
  viewsReference,
} from "./reference.ts";

const page = (name: string): string => join(PROJECT, "docs", name);

// `npm run docs` writes what these compare with.
test("the reference of commands says what --help says", async () => {
  await expect(await commandOverview()).toMatchFileSnapshot(page("commands.md"));
  for (const group of COMMAND_GROUPS)
    await expect(await groupReference(group)).toMatchFileSnapshot(page(groupPage(group)));
});

test("the reference of the schema says what sessiondb schema says", async () => {
  const { tables, views } = withIndex(tempDir(), describeSchema);
  await expect(tablesReference(tables)).toMatchFileSnapshot(page("sql-schema.md"));
  await expect(viewsReference(views)).toMatchFileSnapshot(page("sql-views.md"));
});

test("the manual page says what --help says", async () => {
  await expect(await manPage()).toMatchFileSnapshot(page("sessiondb.1"));
});

const hasPi = existsSync(join(PROJECT, "test", "peers", "node_modules", "@mariozechner", "pi-tui"));
if (!hasPi) console.warn("skipped, pi is not installed in test/peers");

test.skipIf(!hasPi)("the picture at the top of README shows what commands print", async () => {
  const drawn = join(tempDir(), "sessiondb.svg");
  execFileSync(process.execPath, [join(PROJECT, "test", "samples", "picture", "draw.mjs"), drawn]);
  await expect(readFileSync(drawn, "utf8")).toMatchFileSnapshot(page("sessiondb.svg"));
});

const hasGroff = spawnSync("groff", ["--version"]).status === 0;
if (!hasGroff) console.warn("skipped, there is no groff here");

test.skipIf(!hasGroff)("groff has nothing to say about the manual page, and shows every command", () => {
  const { stdout, stderr } = spawnSync("groff", ["-man", "-Tascii", "-ww", "-P-cbou", page("sessiondb.1")], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(stdout).toContain("sessiondb search <query..> [options]");
  expect(stdout).toContain("sessiondb search '\"race condition\" -test*' --role assistant");
});
