import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { assertNode } from "../../src/cli/run.ts";
import { MAIN } from "../helpers/program.ts";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** The program on a Node that says it is another. */
function runOn(version: string, ...words: string[]) {
  const pretence = `Object.defineProperty(process.versions, "node", { value: ${JSON.stringify(version)} })`;
  const options = ["--import", `data:text/javascript,${encodeURIComponent(pretence)}`];
  return spawnSync(process.execPath, [...options, MAIN, ...words], { encoding: "utf8" });
}

test.each(["list", "doctor"])("on a Node that is too old %s says which it wants", (command) => {
  const { status, stdout, stderr } = runOn("18.20.4", command);
  const told = "error: Node 18.20.4 is too old. Install Node 20.19 or newer.\n";
  expect([status, stdout, stderr]).toEqual([1, "", told]);
});

test("the version can be asked on any Node", () => {
  expect(runOn("18.20.4", "--version").stdout).toBe(`${manifest.version}\n`);
});

test.each(["16.20.2", "20.18.3"])("Node %s is too old", (version) => {
  expect(() => assertNode(version)).toThrow("too old");
});

test.each(["20.19.0", "22.0.0"])("Node %s is not", (version) => {
  expect(() => assertNode(version)).not.toThrow();
});
