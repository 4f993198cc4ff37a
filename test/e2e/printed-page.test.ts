import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { emptyAgent, runCli } from "../cli/pretend-world.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** Prints to a PDF, and reads one. */
const PRINTERS = ["chromium", "pdftotext"];
const lacking = PRINTERS.filter((program) => spawnSync(program, ["--version"]).error !== undefined);
if (lacking.length > 0) console.info(`No ${lacking.join(", ")} here: printing is not tested.`);

test.skipIf(lacking.length > 0).each([4, 8, 12, 16])(
  "on paper no word is broken in a table of %i columns of short words",
  async (count) => {
    const folder = tempDir();
    const agentDir = emptyAgent(folder);
    const words = Array.from({ length: count }, (_, at) => (at % 2 === 0 ? `tokens${at}` : `${at}.23K`));
    const rows = [words.map((_, at) => `Col-${at}`), words.map(() => "---"), words];
    const table = rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
    session({ id: "wide" }).user("go").assistant({ text: table }).writeBelow(join(agentDir, "sessions"));
    const text = await printed("wide", { agentDir, folder });
    expect(text.split(/\s+/)).toEqual(expect.arrayContaining(words));
  },
);

test.skipIf(lacking.length > 0)(
  "on paper everything stands that is folded on the screen: thinking, calls, output, branches",
  async () => {
    const folder = tempDir();
    const agentDir = emptyAgent(folder);
    const built = session({ id: "folded" }).user("go");
    const { lastId } = built;
    const call = { name: "bash", arguments: { command: "first\nSECONDLINE" } };
    built
      .assistant({ thinking: "THOUGHT", toolCalls: [call] })
      .toolResult("one\nOUTPUT")
      .branchFrom(lastId)
      .user("ELSEWHERE")
      .writeBelow(join(agentDir, "sessions"));
    const text = await printed("folded", { agentDir, folder });
    for (const word of ["THOUGHT", "SECONDLINE", "OUTPUT", "ELSEWHERE"]) expect(text).toContain(word);
    expect(text).not.toContain("Hide");
  },
);

/** The words of an export on paper. */
async function printed(
  id: string,
  { agentDir, folder }: { agentDir: string; folder: string },
): Promise<string> {
  const [page, pdf] = [join(folder, "page.html"), join(folder, "page.pdf")];
  await runCli(["export", id, "-o", page], { agentDir });
  const profile = `--user-data-dir=${join(folder, "profile")}`;
  const options = ["--headless", "--no-sandbox", "--disable-gpu", profile, `--print-to-pdf=${pdf}`];
  execFileSync("chromium", [...options, pathToFileURL(page).href], { stdio: "ignore" });
  return execFileSync("pdftotext", ["-layout", pdf, "-"], { encoding: "utf8" });
}
