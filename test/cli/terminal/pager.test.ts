import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { PagedOutput, pagerOf, showInPager } from "../../../src/cli/terminal/pager.ts";
import { pollUntil } from "../../helpers/poll-until.ts";
import { endWithTest } from "../../helpers/processes.ts";
import { sharedTempDir, tempDir } from "../../helpers/temp-dir.ts";
import { runCli, sampleAgent } from "../pretend-world.ts";

/** As it is installed: a process of its own cannot load TypeScript on every Node that is supported. */
const PAGER = new URL("../../../build/src/cli/terminal/pager.js", import.meta.url).href;
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

  test.each([
    ["x".repeat(80), 1],
    ["x".repeat(81), 2],
    [`\u001b[1m${"x".repeat(80)}\u001b[22m`, 1],
    ["汉".repeat(81), 3],
    ["", 1],
    ["x".repeat(1_000_000), 12_500],
  ])("takes the lines that it is broken into (%#)", async (line, lines) => {
    const pagesAt = async (rows: number) => {
      const terminal = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows });
      const output = new PagedOutput({ stdout: terminal, stderr: new PassThrough() }, "never");
      output.out.print(line);
      const pages: string[] = [];
      await output.show(async (text) => pages.push(text) > 0);
      return pages.length;
    };
    // With the line that the shell writes its prompt into.
    expect([await pagesAt(lines + 1), await pagesAt(lines)]).toEqual([0, 1]);
  });

  test("has what is said before it said at once", async () => {
    const argv = [
      "list",
      "--sessions-dir",
      join(agentDir, "sessions"),
      "--sessions-dir",
      "/nowhere/sessions",
    ];
    const { pages, stderr } = await paged(argv);
    expect([pages.length, stderr]).toEqual([
      1,
      expect.stringContaining("there is no folder /nowhere/sessions"),
    ]);
    expect(pages[0]).not.toContain("note:");
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

describe.skipIf(process.platform === "win32")("a pager", () => {
  test("is given the text, and may have seen enough before its end", async () => {
    const file = join(tempDir(), "seen");
    expect(await showInPager(`cat > ${file}`, "one\ntwo\n", process.env)).toBe(true);
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\n");
    expect(await showInPager("true", "word ".repeat(1_000_000), process.env)).toBe(true);
  });

  test.each([
    [undefined, "FRX"],
    ["", "-R "],
    ["-iM -Pall of it", "-R -iM -Pall of it"],
  ])("shows colours where LESS is %j", async (LESS, given) => {
    const file = join(tempDir(), "less");
    await showInPager(`cat > /dev/null; printf %s "$LESS" > ${file}`, "text", { ...process.env, LESS });
    expect(readFileSync(file, "utf8")).toBe(given);
  });

  test("that is not there, or cannot be run, shows nothing", async () => {
    const file = join(tempDir(), "no-program");
    writeFileSync(file, "", { mode: 0o600 });
    const quietly = (program: string) => showInPager(`${program} 2>/dev/null`, "text", process.env);
    expect([await quietly("no-such-pager"), await quietly(file)]).toEqual([false, false]);
  });

  test("ends before this program does, which was told to", async () => {
    const folder = tempDir();
    const [ready, heard, go] = [join(folder, "ready"), join(folder, "heard"), join(folder, "go")];
    const pager = `touch ${ready}; until [ -e ${go} ]; do sleep 0.02; done`;
    const show = `import fs from "node:fs";
      const { showInPager } = await import(${JSON.stringify(PAGER)});
      process.once("SIGTERM", () => fs.writeFileSync(${JSON.stringify(heard)}, ""));
      await showInPager(${JSON.stringify(pager)}, "text", process.env);`;
    const child = endWithTest(
      spawn(process.execPath, ["--input-type=module", "-e", show], { stdio: "ignore" }),
    );
    const ended = once(child, "exit");
    await pollUntil(() => existsSync(ready), { what: "the pager" });
    child.kill("SIGTERM");
    await pollUntil(() => existsSync(heard), { what: "the signal" });
    writeFileSync(go, "");
    expect(await ended).toEqual([143, null]);
  });
});
