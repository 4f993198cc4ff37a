import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readIndexSize } from "../../src/reports/status.ts";
import { formatMoney } from "../../src/text/numbers.ts";
import { browserPages, hasNoBrowser, requestsOf } from "../helpers/browser.ts";
import { HTML_PAYLOADS } from "../helpers/html-payloads.ts";
import { withIndex } from "../helpers/open-index.ts";
import { ServedPage } from "../helpers/page-client.ts";
import { enter, goTo } from "../helpers/page-view.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** Counts what the page does that it must not do. */
const WATCH = `window.harm = [];
  window.pwned = () => window.harm.push("pwned");
  document.addEventListener("securitypolicyviolation", (event) => window.harm.push(event.violatedDirective));`;

function sessionsOf(agentDir: string): string {
  return join(agentDir, "sessions");
}

/** A prompt that answers the last line of a session file. */
function lineAfter(path: string, content: string): string {
  const { id: parentId } = JSON.parse(readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "") as {
    id: string;
  };
  const message = { role: "user", content, timestamp: 1 };
  const timestamp = "2026-11-20T10:00:00.000Z";
  return `${JSON.stringify({ type: "message", id: "aaaa9999", parentId, timestamp, message })}\n`;
}

/** How many entries the index has. */
function entriesIn(agentDir: string): number {
  return withIndex(join(agentDir, "sessiondb"), (index) => readIndexSize(index).entries);
}

describe.skipIf(hasNoBrowser())("in a browser", () => {
  const open = browserPages();

  test("what a hostile transcript says is text, wherever it is shown", async () => {
    const agentDir = join(tempDir(), "agent");
    const hostile = session({ id: "hostile", cwd: "/tmp/<img src=x onerror=pwned()>" }).name(
      HTML_PAYLOADS[5] ?? "",
    );
    for (const payload of HTML_PAYLOADS) {
      hostile.user(`wharf ${payload}`).assistant({ text: payload, thinking: payload, model: payload });
      hostile
        .assistant({ toolCalls: [{ name: payload, arguments: { path: payload, command: payload } }] })
        .toolResult(payload);
    }
    hostile.writeBelow(sessionsOf(agentDir));
    const served = await ServedPage.start(["--agent-dir", agentDir]);
    const page = await open();
    await page.addInitScript(WATCH);
    const asked = requestsOf(page);
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => dialogs.push(dialog.message()) && void dialog.dismiss());
    await enter(page, served);
    for (const place of [
      "/?since=all",
      "/sessions",
      "/usage?by=model&since=all",
      "/search?q=wharf",
      "/s/hostile",
      "/s/hostile:40",
    ]) {
      await goTo(page, served, place);
      await page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })");
      expect([place, await page.evaluate("window.harm")]).toEqual([place, []]);
    }
    await pollUntil(async () => (await page.locator(".transcript article").count()) > 5, {
      what: "the conversation",
    });
    expect(
      await page
        .locator(".transcript :is(script, iframe, form, style, base, meta, link, object, svg)")
        .count(),
    ).toBe(0);
    await goTo(page, served, "/sql?q=SELECT+title,+cwd+FROM+sessions");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("onerror=pwned()").first().waitFor();
    expect(await page.evaluate("window.harm")).toEqual([]);
    expect(dialogs).toEqual([]);
    expect(asked.filter((url) => new URL(url).host !== served.link.host)).toEqual([]);
  });

  test("a line that pi appends is offered, and nothing that is read moves", async () => {
    const agentDir = join(tempDir(), "agent");
    const growing = session({ id: "growing" });
    for (let at = 0; at < 60; at++)
      growing.user(`question ${at}`).assistant({ text: `answer ${at}\n\n${"more. ".repeat(80)}` });
    const path = growing.writeBelow(sessionsOf(agentDir));
    const served = await ServedPage.start(["--agent-dir", agentDir]);
    const page = await open({ viewport: { width: 1000, height: 700 } });
    await enter(page, served);
    await goTo(page, served, "/s/growing");
    await page.locator(".transcript article").nth(10).scrollIntoViewIfNeeded();
    await page.getByText("live").waitFor();
    const before = await page.evaluate("scrollY");
    appendFileSync(path, lineAfter(path, "one more question"));
    const pill = page.getByRole("button", { name: /1 new entry/ });
    await pill.waitFor();
    expect(await page.evaluate("scrollY")).toBe(before);
    await pill.click();
    await page.getByText("one more question").last().waitFor();
  });

  test("what is new is gone to where the end was read, too", async () => {
    const agentDir = join(tempDir(), "agent");
    const path = session({ id: "short" }).user("a question").writeBelow(sessionsOf(agentDir));
    const served = await ServedPage.start(["--agent-dir", agentDir]);
    const page = await open();
    await enter(page, served);
    await goTo(page, served, "/s/short");
    await page.getByText("live").waitFor();
    appendFileSync(path, lineAfter(path, "one more question"));
    await page.getByRole("button", { name: /1 new entry/ }).press("Enter");
    const entry = page.locator("article[data-place]:focus");
    await entry.getByText("one more question").waitFor();
  });

  test("of an outline of a thousand prompts the part is drawn in which one reads, and what is opened", async () => {
    const agentDir = join(tempDir(), "agent");
    const long = session({ id: "long" });
    for (let at = 1; at <= 1000; at++) long.user(`question ${at}`);
    long.writeBelow(sessionsOf(agentDir));
    const served = await ServedPage.start(["--agent-dir", agentDir]);
    const page = await open();
    await enter(page, served);
    await goTo(page, served, "/s/long:500");
    const outline = page.getByRole("navigation", { name: "Outline" });
    const line = (text: string) => outline.getByRole("button", { name: text });
    await line("question 499").waitFor();
    expect(await outline.locator("li").count()).toBe(200);
    // Where reading is, is known once the text stands.
    await page.locator(".transcript").getByText("question 500", { exact: true }).waitFor();
    await outline.getByRole("button", { name: "801–1,000", expanded: false }).click();
    await line("question 1000").click();
    await page.locator(".transcript").getByText("question 1000", { exact: true }).waitFor();
    await pollUntil(async () => (await outline.locator("li").count()) === 200, { what: "only that part" });
  });

  test("a tab that nobody looks at listens no longer, and shows what came when it is looked at again", async () => {
    const agentDir = join(tempDir(), "agent");
    const path = session({ id: "unseen" })
      .user("question")
      .assistant({ text: "answer" })
      .writeBelow(sessionsOf(agentDir));
    const served = await ServedPage.start(["--agent-dir", agentDir]);
    const page = await open();
    await page.addInitScript(`window.isHidden = false;
      Object.defineProperty(document, "visibilityState", { get: () => (window.isHidden ? "hidden" : "visible") });`);
    const ended: string[] = [];
    page.on("requestfailed", (request) => ended.push(new URL(request.url()).pathname));
    const look = (isHidden: boolean) =>
      page.evaluate(`window.isHidden = ${isHidden}; document.dispatchEvent(new Event("visibilitychange"));`);
    await enter(page, served);
    await goTo(page, served, "/s/unseen");
    await page.getByText("live", { exact: true }).waitFor();
    ended.length = 0;
    await look(true);
    await page.getByText("paused", { exact: true }).waitFor();
    await pollUntil(() => ended.includes("/api/v1/events"), { what: "the end of the stream" });
    appendFileSync(path, lineAfter(path, "one more question"));
    await pollUntil(() => entriesIn(agentDir) === 3, { what: "the line in the index" });
    await look(false);
    await page.getByRole("button", { name: /1 new entry/ }).waitFor();
  });

  test("by keys alone: search, a hit, its branch, and back", async () => {
    const served = await ServedPage.start([], ["demo"]);
    const page = await open();
    await enter(page, served);
    const press = async (...keys: string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await goTo(page, served, "/");
    await press("/");
    await page.keyboard.type("changelog");
    await press("Enter");
    await page.locator(".hits li a").first().waitFor();
    expect(new URL(page.url()).pathname).toBe("/search");
    await page.evaluate("document.activeElement.blur()");
    await press("j");
    const handle = await page.evaluate<string>("document.activeElement.getAttribute('href')");
    expect(handle).toMatch(/^\/s\/[0-9a-f]{8}:\d+$/);
    await press("Enter");
    await pollUntil(() => new URL(page.url()).pathname === handle, { what: handle });
    await page.locator(".transcript article").first().waitFor();
    await press("Escape");
    await pollUntil(() => new URL(page.url()).pathname === "/search", { what: "the way back" });
    // A session with two branches.
    await press("g", "s");
    await pollUntil(() => new URL(page.url()).pathname === "/sessions");
    await page.getByRole("link", { name: "write the changelog for 0.4" }).focus();
    await press("Enter");
    await page.locator(".fork").first().waitFor();
    const first = page.url();
    await press("]");
    await pollUntil(() => page.url() !== first, { what: "the other branch" });
    expect(new URL(page.url()).searchParams.get("branch")).not.toBeNull();
    await page.locator(".transcript article").first().waitFor();
    await press("?");
    await page.getByRole("dialog").waitFor();
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  });

  test("numbers on the page are the commands'", async () => {
    const served = await ServedPage.start([], ["demo"]);
    const page = await open();
    await enter(page, served);
    const token = await page.evaluate<string>("Object.values(localStorage)[0]");
    const api = async (path: string) =>
      JSON.parse(
        await page.evaluate<string>(
          `fetch("/api/v1/${path}", { headers: { authorization: "Bearer " + ${JSON.stringify(token)} } }).then((answer) => answer.text())`,
        ),
      );
    const { rows, totals } = await api("usage?by=model&all");
    await goTo(page, served, "/usage?by=model&since=all");
    await page
      .getByRole("cell", { name: formatMoney(totals.cost) })
      .first()
      .waitFor();
    for (const row of rows) {
      const line = page.getByRole("row").filter({ hasText: row.key }).first();
      expect(await line.innerText()).toContain(row.requests.toLocaleString("en"));
    }
    const { sessions } = await api("sessions?limit=100");
    await goTo(page, served, "/sessions");
    await page.locator("tbody tr[aria-rowindex]").nth(12).waitFor();
    for (const [at, { usage }] of sessions.entries())
      expect(
        await page
          .locator(`tr[aria-rowindex="${at + 2}"] td`)
          .last()
          .innerText(),
      ).toContain(usage.cost.toFixed(4));
  });

  test("what does not work is said: an export, a server that has ended", async () => {
    const agentDir = join(tempDir(), "agent");
    const path = session({ id: "gone" }).user("x").writeBelow(sessionsOf(agentDir));
    const served = await ServedPage.start(["--agent-dir", agentDir]);
    const page = await open();
    await enter(page, served);
    await goTo(page, served, "/s/gone");
    await page.getByRole("button", { name: "md" }).waitFor();
    rmSync(path);
    await page.getByRole("button", { name: "md" }).click();
    await page.getByText(/^gone\.md was not saved: /).waitFor();
    await goTo(page, served, "/sql");
    served.child.kill("SIGINT");
    await page.getByRole("status").getByText("The server does not answer").waitFor();
  });

  test("a tab that was signed out comes back when another one has a new link", async () => {
    const agentDir = join(tempDir(), "agent");
    session({ id: "one" }).user("x").writeBelow(sessionsOf(agentDir));
    const args = ["--agent-dir", agentDir];
    const first = await ServedPage.start(args);
    const page = await open();
    await enter(page, first);
    first.child.kill("SIGINT");
    await pollUntil(() => first.child.exitCode !== null);
    const next = await ServedPage.start([...args, "--port", String(first.at.port)]);
    expect(next.at).toEqual(first.at);
    await page.getByText("This page opens with the link").waitFor();
    const other = await page.context().newPage();
    await other.goto(next.link.href);
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    expect(await page.getByText("This page opens with the link").count()).toBe(0);
  });

  test("of thousands of sessions those in sight are drawn", async () => {
    const agentDir = join(tempDir(), "agent");
    for (let at = 0; at < 1200; at++) {
      const timestamp = new Date(Date.UTC(2026, 0, 1) + at * 3_600_000).toISOString();
      session({ id: `many-${at}`, timestamp })
        .user(`session number ${at}`)
        .writeBelow(sessionsOf(agentDir));
    }
    const served = await ServedPage.start(["--agent-dir", agentDir]);
    const page = await open({ viewport: { width: 1200, height: 800 } });
    await enter(page, served);
    await goTo(page, served, "/sessions");
    // Of many new files the server has read a part when it begins; the others come while the page is looked at.
    await page.getByText("1,200 sessions").waitFor();
    const drawn = () => page.locator("tbody tr[aria-rowindex]").count();
    expect(await drawn()).toBeLessThanOrEqual(60);
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await page.getByText("session number 0", { exact: true }).waitFor();
    expect(await drawn()).toBeLessThanOrEqual(60);
  });
});
