import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.ts";

const LIBRARY = join(import.meta.dirname, "../../dist/src/index.js");

/** What came of opening an index with 0, 1, 2, ... descriptors left: what was said, and what SQLite or the system calls it. */
function openWithFew(): { said: string; by: string }[] {
  const words = [join(import.meta.dirname, "descriptors.mjs"), LIBRARY, tempDir(), "12"];
  const command = `ulimit -n 200; exec "$0" "$@"`;
  const output = execFileSync("bash", ["-c", command, process.execPath, ...words], { encoding: "utf8" });
  return output
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("B22: too few descriptors are told apart from a place that cannot be written to, which SQLite does not do", () => {
  const outcomes = openWithFew();
  expect(outcomes.at(-1)).toEqual({ said: "", by: "true" });
  const failed = outcomes.filter(({ said }) => said !== "");
  expect(failed.map(({ by }) => by)).toContain("SQLITE_CANTOPEN");
  for (const { said } of failed) expect(said).toMatch(/^too many files are open to open the index as well/);
});
