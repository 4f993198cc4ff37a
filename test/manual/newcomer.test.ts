import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { widthOf } from "../../src/text/width.ts";
import { blocksOf, readPage, sectionOf } from "../helpers/manual.ts";
import { MAIN } from "../helpers/program.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";

/** README's first walk, as typed. */
const [walk = ""] = blocksOf(sectionOf(readPage("README.md"), "## A walk"), "sh");
const lines = [...walk.matchAll(/^sessiondb (demo.*?)(?: +#.*)?$/gm)].map(([, words = ""]) => words);
const hasScript = spawnSync("script", ["--version"]).status === 0;
if (!hasScript) console.warn("skipped, there is no script program here");

const COLUMNS = 40;
const folder = sharedTempDir();

/** In an image that has Node and nothing else: no home to write to, no language, a terminal that knows no colours. */
function typedInContainer(words: string): { status: number | null; output: string } {
  const env = { PATH: process.env.PATH ?? "", HOME: "/nonexistent", TERM: "dumb" };
  const command = `stty cols ${COLUMNS}; "${process.execPath}" "${MAIN}" ${words} --no-pager`;
  const { status, stdout } = spawnSync("script", ["-qec", command, "/dev/null"], {
    cwd: folder,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return { status, output: stdout.replaceAll("\r\n", "\n") };
}

describe.skipIf(!hasScript)("a newcomer's walk through a bare container, on 40 columns:", () => {
  test("it finds, reads, counts, exports and goes on", () => {
    const commands = lines.map((line) => line.split(" ")[1] ?? "");
    expect(commands).toEqual(["", "search", "show", "usage", "export", "resume"]);
  });

  test.each(lines)("sessiondb %s", (line) => {
    const { status, output } = typedInContainer(line);
    expect([status, output.includes("error")]).toEqual([0, false]);
    expect(output).toBe(stripVTControlCharacters(output));
    // A path has to be copied, and is never cut.
    const wide = output.split("\n").filter((each) => widthOf(each) > COLUMNS && !each.includes(".jsonl"));
    expect(wide).toEqual([]);
    expect(output.split("\n").length).toBeGreaterThan(2);
  });

  test("its export is a page", () => {
    expect(existsSync(join(folder, "signed-out.html"))).toBe(true);
  });
});
