import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { runCli, sampleAgent } from "../cli/pretend-world.ts";
import { axeFindings, browserPages, hasNoBrowser, requestsOf } from "../helpers/browser.ts";
import { HTML_PAYLOADS } from "../helpers/html-payloads.ts";
import { PATIENCE_MS, pollUntil } from "../helpers/poll-until.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";

const dir = sharedTempDir();
const pages = join(dir, "pages");
const open = browserPages();
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The address of a page of the folder. */
const at = (file: string): string => pathToFileURL(join(pages, file)).href;

/** Says a text in every place that a session has for one, in sight and folded. */
function saying(built: SessionBuilder, text: string): SessionBuilder {
  const fork = built.lastId;
  return built
    .user(`${text}\n\n\`\`\`js\n${text}\n\`\`\``)
    .assistant({ text, thinking: text, toolCalls: [{ name: text, arguments: { path: text, [text]: text } }] })
    .toolResult(`${text}\n${text}`, { toolName: text })
    .bash(text, text, { exitCode: 1 })
    .customMessage(text, text)
    .compaction(text)
    .branchFrom(fork)
    .user(text)
    .assistant({ text, model: text });
}

/** A session with a part of every kind. */
function rich(): SessionBuilder {
  const table = "| a | b |\n| - | -: |\n| 1 | 2 |";
  const wide = `| ${"column | ".repeat(40)}\n| ${"- | ".repeat(40)}\n| ${"cell | ".repeat(40)}`;
  const built = session({ id: "rich", cwd: "/home/ada/projects/orchard" }).modelChange("p", "m");
  built.user(`# Begin\n\n${table}\n\n${wide}\n\n- [a link](https://example.org/)\n\n> quoted\n\n\`code\``);
  const fork = built.lastId ?? "";
  built.assistant({
    text: "```ts\nconst a: number = 1; // why\n```",
    thinking: "a thought that is folded",
    toolCalls: [{ name: "read", arguments: { path: "src/x.ts" } }],
  });
  built.toolResult("// a comment\nconst folded = 'output';\n".repeat(60));
  built.assistant({
    toolCalls: [{ name: "edit", arguments: { path: "x.ts", edits: [{ oldText: "a", newText: "b" }] } }],
  });
  built.toolResult("it failed\nbadly", { isError: true });
  built.user([{ type: "image", data: PNG, mimeType: "image/png" }]).bash("ls", "one\ntwo");
  built.branchFrom(fork).user("another way").assistant({ text: "there", errorMessage: "overloaded" });
  built.toolResult("stray\nresult", { toolCallId: "none", toolName: "bash" });
  const left = built.lastId;
  built.user("left again").branchFrom(left).user("went on").label(fork, "marked").compaction("so far");
  return built;
}

describe.skipIf(hasNoBrowser())("in Chromium", () => {
  beforeAll(async () => {
    mkdirSync(pages);
    const agentDir = sampleAgent(dir);
    rich().writeBelow(join(agentDir, "sessions"));
    let hostile = session({ id: "hostile" }).user("begin").name(HTML_PAYLOADS[0]);
    for (const payload of HTML_PAYLOADS) hostile = saying(hostile, payload);
    hostile.writeBelow(join(agentDir, "sessions"));
    const { code } = await runCli(["export", "--all", pages], { agentDir });
    expect(code).toBe(0);
  });

  describe.each([
    ["light", { width: 1280, height: 900 }],
    ["dark", { width: 1280, height: 900 }],
    ["light", { width: 390, height: 844 }],
    ["dark", { width: 390, height: 844 }],
  ] as const)("%s, %j", (colorScheme, viewport) => {
    test.each(["rich.html", "01a1221b-bd1c-713f-a67e-c05ebbe087be.html", "index.html"])(
      "%s keeps nobody out, and is no wider than the screen",
      async (file) => {
        const page = await open({ url: at(file), colorScheme, viewport });
        await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
        expect(await axeFindings(page, colorScheme === "dark" ? "colours" : "all")).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(viewport.width);
      },
    );
  });

  test("what is folded stands on paper", async () => {
    const page = await open({ url: at("rich.html") });
    const hidden = () =>
      page.evaluate(
        "[...document.querySelectorAll('pre, main p')].filter((each) => !each.closest('.hide') && !each.checkVisibility({ contentVisibilityAuto: true })).length",
      );
    expect(await hidden()).toBeGreaterThan(3);
    await page.emulateMedia({ media: "print" });
    expect(await hidden()).toBe(0);
    expect((await page.pdf()).length).toBeGreaterThan(10_000);
  });

  test("an address leads to its entry, also where that is folded", async () => {
    for (const [line, text] of [
      [5, "const folded"],
      [8, "a picture"],
      [13, "left again"],
    ] as const) {
      const page = await open({ url: `${at("rich.html")}#L${line}` });
      const seen = await page.evaluate(`(() => {
        const target = document.getElementById("L${line}");
        const { top, bottom } = target.getBoundingClientRect();
        return { isVisible: target.checkVisibility(), isInView: bottom > 0 && top < innerHeight, text: target.textContent };
      })()`);
      expect(seen).toMatchObject({ isVisible: true, isInView: true });
      if (text !== "a picture") expect(seen).toMatchObject({ text: expect.stringContaining(text) });
    }
  });

  test("a text that is folded is found, and unfolded", async () => {
    const page = await open();
    for (const text of ["badly", "stray", "a thought that is folded"]) {
      await page.goto("about:blank");
      await page.goto(`${at("rich.html")}#:~:text=${encodeURIComponent(text)}`);
      await pollUntil(
        () =>
          page.evaluate<boolean>(
            `[...document.querySelectorAll("details[open]")].some((fold) => fold.textContent.includes(${JSON.stringify(text)}))`,
          ),
        { what: text },
      );
    }
  });

  test("thinking and tools can be hidden, and shown again", async () => {
    const page = await open({ url: at("rich.html") });
    const seen = async () => {
      const count = (what: string) =>
        page.evaluate<number>(
          `[...document.querySelectorAll("main > ${what}, main > article > ${what}")].filter((each) => each.checkVisibility()).length`,
        );
      return { thinking: await count(".thinking"), calls: await count(".call"), said: await count(".text") };
    };
    const all = await seen();
    expect(all.thinking * all.calls).toBe(0);
    await page.evaluate(
      "for (const fold of document.querySelectorAll('details.branch')) fold.replaceWith(...fold.childNodes)",
    );
    const { thinking, calls, said } = await seen();
    expect([thinking, calls]).toEqual([1, 3]);
    await page.getByLabel("Hide thinking").check();
    expect(await seen()).toEqual({ thinking: 0, calls, said });
    await page.getByLabel("Hide tools").check();
    expect(await seen()).toEqual({ thinking: 0, calls: 0, said });
    await page.getByLabel("Hide thinking").uncheck();
    await page.getByLabel("Hide tools").uncheck();
    expect(await seen()).toEqual({ thinking, calls, said });
  });

  test.each(["rich.html", "hostile.html", "index.html"])(
    "F10: %s asks for nothing, and runs nothing of a transcript",
    async (file) => {
      const page = await open();
      const asked = requestsOf(page);
      const told: string[] = [];
      page.on("dialog", (dialog) => told.push(dialog.message()));
      page.on("console", (message) => told.push(message.text()));
      await page.addInitScript("window.pwned = () => { window.isPwned = true; }");
      await page.goto(at(file));
      await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
      await page.mouse.move(300, 300);
      await page.keyboard.press("Tab");
      await page.evaluate("scrollTo(0, document.body.scrollHeight)");
      await page.waitForLoadState("networkidle");
      expect([asked, told, await page.evaluate("window.isPwned")]).toEqual([[at(file)], [], undefined]);
    },
  );

  test("the list finds sessions by all words that are typed, in what it says of them and in their prompts", async () => {
    const page = await open({ url: at("index.html") });
    const find = async (words: string, shown: { found: unknown; told?: string }) => {
      await page.getByRole("searchbox").fill(words);
      const links = page.locator(".facts a:visible");
      const seen = async () => ({
        found: await links.allTextContents(),
        told: await page.locator("output").textContent(),
      });
      // Not with each letter that is typed.
      await vi.waitFor(async () => expect(await seen()).toMatchObject(shown), { timeout: PATIENCE_MS });
    };
    const total = await page.locator(".session").count();
    await find("ANOTHER way", {
      found: [expect.stringContaining("Begin")],
      told: `1 of ${total} here`,
    });
    expect(await page.locator(".prompts li:visible").allTextContents()).toEqual(["another way"]);
    await find("signed night opus", { found: ["Signed out every night"] });
    await find("signed nosuchword", { found: [], told: `0 of ${total} here` });
    await find("", { found: { length: total }, told: "" });
  });
});
