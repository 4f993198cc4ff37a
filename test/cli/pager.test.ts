import { describe, expect, test } from "vitest";
import { pagerOf } from "../../src/cli/pager.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { runCli, sampleAgent } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());

async function paged(
  argv: string[],
  options: { columns?: number; rows?: number } = { columns: 80, rows: 10 },
) {
  const pages: string[] = [];
  const outcome = await runCli(argv, { agentDir, ...options, onPage: (text) => pages.push(text) });
  return { ...outcome, pages };
}

describe("a long answer", () => {
  test("is shown page by page on a terminal, with what is said about it", async () => {
    const { pages, stdout, stderr } = await paged(["tree", "01a1221b"]);
    expect([pages.length, stdout, stderr]).toEqual([1, "", ""]);
    expect(pages[0]).toMatch(/Signed out every night[\s\S]*519adfb6[\s\S]*not shown; --full shows them/);
  });

  test("is shown as it is where it fits, where nobody reads pages, and where it is asked for", async () => {
    for (const [argv, options] of [
      [["tree", "01a1221b"], { columns: 80, rows: 200 }],
      [["tree", "01a1221b"], {}],
      [["tree", "01a1221b", "--no-pager"], undefined],
      [["completion", "bash"], undefined],
    ] as const) {
      const { pages, stdout } = await paged([...argv], options);
      expect([pages, stdout.split("\n").length > 12]).toEqual([[], true]);
    }
  });

  test("that ends in an error is shown before the error", async () => {
    const { pages, stdout, stderr, code } = await paged(["show", "01a1"]);
    expect([pages, stdout, code]).toEqual([[], "", 1]);
    expect(stderr).toContain("error:");
  });
});

test.each([
  [{}, "linux", "less"],
  [{ PAGER: "most -s" }, "linux", "most -s"],
  [{ PAGER: "less", SESSIONDB_PAGER: "bat" }, "linux", "bat"],
  [{ PAGER: "cat" }, "linux", null],
  [{ PAGER: "" }, "linux", null],
  [{ TERM: "dumb" }, "linux", null],
  [{}, "win32", null],
  [{ PAGER: "more" }, "win32", "more"],
] as const)("with %j on %s the pager is %s", (env, platform, pager) => {
  expect(pagerOf(env, platform)).toBe(pager);
});
