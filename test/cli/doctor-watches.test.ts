import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkTree } from "../../src/cli/doctor/watches.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** A root with so many folders, itself among them. */
function rootWith(folders: number): string {
  const root = tempDir();
  for (let n = 1; n < folders; n++) mkdirSync(join(root, `p${n}`));
  symlinkSync(root, join(root, "loop"));
  return root;
}

function said(folders: number, limits: { max_user_watches: number; max_user_instances: number }) {
  const context = { config: { roots: [rootWith(folders)], exclude: [] } };
  return checkTree(context, (name) => limits[name]).map(({ level, where }) => [level, where]);
}

test.each([
  ["enough", 40, []],
  ["more than half of them", 15, [["note", "fs.inotify.max_user_watches"]]],
  ["too few", 9, [["warning", "fs.inotify.max_user_watches"]]],
])("C1: %s watches for the folders there are", (_name, max_user_watches, expected) => {
  expect(said(10, { max_user_watches, max_user_instances: 128 })).toEqual(expected);
});

test("C2: too few watchers are a warning", () => {
  const limits = { max_user_watches: 1000, max_user_instances: 1 };
  expect(said(2, limits)).toEqual([["warning", "fs.inotify.max_user_instances"]]);
});

test("where there are no such limits there is nothing to say", () => {
  expect(checkTree({ config: { roots: [rootWith(3)], exclude: [] } }, () => null)).toEqual([]);
});

test("what is excluded needs no watch", () => {
  const root = rootWith(10);
  const config = { roots: [root], exclude: [join(root, "p*")] };
  expect(checkTree({ config }, () => 4)).toEqual([
    expect.objectContaining({ where: "fs.inotify.max_user_instances" }),
  ]);
});

test.runIf(process.platform === "linux")(
  "folders and session files whose names are no UTF-8 are named, and nothing else",
  () => {
    const root = tempDir();
    const illegible = (end: string) =>
      Buffer.concat([Buffer.from(`${root}/b`), Buffer.from([0xff]), Buffer.from(end)]);
    mkdirSync(illegible(""));
    for (const end of [".jsonl", ".txt"]) writeFileSync(illegible(end), "");
    writeFileSync(join(root, "legible\ufffd.jsonl"), "");
    const findings = checkTree({ config: { roots: [root], exclude: [] } }, () => null);
    const what = "the name is not UTF-8, so it is skipped";
    expect(findings.map((finding) => [finding.what, finding.where]).sort()).toEqual([
      [what, join(root, "b\ufffd")],
      [what, join(root, "b\ufffd.jsonl")],
    ]);
  },
);

test("G17: links that are not followed are named, and nothing behind them is looked at", () => {
  const root = tempDir();
  const targets = ["/", "/proc"].filter(existsSync);
  for (const target of targets) symlinkSync(target, join(root, `to${target.replace("/", "-")}`));
  const found = checkTree({ config: { roots: [root], exclude: [] } }, () => null);
  expect(found.map(({ where, what }) => [where, /is not followed/.test(what)])).toEqual(
    targets.map((target) => [join(root, `to${target.replace("/", "-")}`), true]),
  );
});
