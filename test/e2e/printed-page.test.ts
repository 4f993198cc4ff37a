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
  { timeout: 60_000 },
  async (count) => {
    const folder = tempDir();
    const agentDir = emptyAgent(folder);
    const words = Array.from({ length: count }, (_, at) => (at % 2 === 0 ? `tokens${at}` : `${at}.23K`));
    const rows = [words.map((_, at) => `Col-${at}`), words.map(() => "---"), words];
    const table = rows.map((row) => `| ${row.join(" | ")} |`).join("\n");
    session({ id: "wide" }).user("go").assistant({ text: table }).writeBelow(join(agentDir, "sessions"));
    const [page, pdf] = [join(folder, "page.html"), join(folder, "page.pdf")];
    await runCli(["export", "wide", "-o", page], { agentDir });
    const profile = `--user-data-dir=${join(folder, "profile")}`;
    const options = ["--headless", "--no-sandbox", "--disable-gpu", profile, `--print-to-pdf=${pdf}`];
    execFileSync("chromium", [...options, pathToFileURL(page).href], { stdio: "ignore" });
    const text = execFileSync("pdftotext", ["-layout", pdf, "-"], { encoding: "utf8" });
    expect(text.split(/\s+/)).toEqual(expect.arrayContaining(words));
  },
);
