import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { UsageReport } from "../../src/reports/usage/usage-shapes.ts";
import { decimalsFor, formatMoney } from "../../src/text/numbers.ts";
import { browserPages, hasNoBrowser, requestsOf } from "../helpers/browser.ts";
import { ServedPage } from "../helpers/page-client.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const SIZE = { viewport: { width: 1280, height: 800 } };

/** What the page asks the server, asked by its own hand. */
function asked<T>(page: Page, path: string): Promise<T> {
  return page.evaluate(
    `fetch("/api/v1/${path}", { headers: { authorization: "Bearer " + localStorage.getItem("sessiondb-token") } }).then((answer) => answer.json())`,
  );
}

describe.skipIf(hasNoBrowser())("the page in use", () => {
  const open = browserPages();

  test("a statement in a link runs when a person says so, and not before", async () => {
    const served = await ServedPage.start([], ["demo"]);
    const page = await open(SIZE);
    const requests = requestsOf(page);
    await page.goto(
      new URL(
        `/sql?q=${encodeURIComponent("SELECT count(*) AS n FROM sessions")}${served.link.hash}`,
        served.link,
      ).href,
    );
    await page.waitForSelector(".schema summary");
    expect(requests.filter((url) => url.endsWith("/sql"))).toEqual([]);
    await page.locator("textarea").focus();
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector(".wide td");
    const { sessions } = await asked<{ sessions: number }>(page, "status");
    expect(await page.locator(".wide td").allInnerTexts()).toEqual([String(sessions)]);
    await page
      .locator("textarea")
      .fill("SELECT count(*) AS n FROM sessions WHERE title = :title OR :all = 1");
    await page.getByLabel(":title").fill("nobody's");
    await page.getByLabel(":all").fill("1");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.get(":all") === "1");
    expect(await page.locator(".wide td").allInnerTexts()).toEqual([String(sessions)]);
    await page.locator("textarea").fill("SELECT nothing");
    await page.keyboard.press("Control+Enter");
    expect(await page.locator(".failure").innerText()).toContain("nothing");
  });

  test("read from top to bottom a long session shows each entry once, and little of it at once", async () => {
    const agentDir = tempDir();
    const built = session({ id: "long" });
    // Calls with results stand across the borders of pieces.
    for (let number = 0; number < 120; number++) {
      built.user(`prompt ${number}`).assistant({
        text: `answer ${number}`,
        toolCalls: [{ id: `c${number}`, name: "bash", arguments: { command: `echo ${number}` } }],
      });
      built.toolResult(`out ${number}`, { toolCallId: `c${number}`, toolName: "bash" });
    }
    built.writeBelow(join(agentDir, "sessions"));
    const served = await ServedPage.start(["--agent-dir", agentDir]);
    const page = await open({ ...SIZE, url: new URL(`/s/long${served.link.hash}`, served.link).href });
    await page.waitForSelector(".piece [data-place]");
    const seen = new Map<string, number>();
    let most = 0;
    for (let isAtEnd = false; !isAtEnd; ) {
      await pollUntil(
        () =>
          page.evaluate<boolean>(
            "[...document.querySelectorAll('.piece')].every((each) => { const { top, bottom } = each.getBoundingClientRect(); return bottom < 0 || top > innerHeight || each.querySelector('[data-place]') !== null; })",
          ),
        { what: "the pieces in sight" },
      );
      const places = await page.evaluate<string[]>(
        "[...document.querySelectorAll('.piece > .transcript > [data-place]')].map((each) => each.dataset.place)",
      );
      most = Math.max(most, places.length);
      for (const place of new Set(places))
        seen.set(place, Math.max(seen.get(place) ?? 0, places.filter((each) => each === place).length));
      isAtEnd = await page.evaluate<boolean>(
        "scrollY + innerHeight >= document.documentElement.scrollHeight - 2",
      );
      await page.mouse.wheel(0, 700);
    }
    // Results stand with their calls.
    const expected = Array.from({ length: 360 }, (_, place) => place).filter((place) => place % 3 !== 2);
    expect([...seen.keys()].map(Number).sort((a, b) => a - b)).toEqual(expected);
    expect(Math.max(...seen.values())).toBe(1);
    expect(most).toBeLessThan(expected.length);
  });

  test("a plot is gone through by arrow keys, and tells what each day has cost", async () => {
    const served = await ServedPage.start([], ["demo"]);
    const page = await open({
      ...SIZE,
      url: new URL(`/usage?since=all${served.link.hash}`, served.link).href,
    });
    const plot = page.getByRole("slider");
    await plot.waitFor();
    const { rows } = await asked<UsageReport>(page, "usage?by=daily&all=true");
    const decimals = decimalsFor(Math.max(...rows.map(({ cost }) => cost)));
    const days = new Map<string, string>();
    await plot.focus();
    const steps = Number(await plot.getAttribute("aria-valuemax"));
    for (let step = 0; step < steps; step++) await page.keyboard.press("ArrowLeft");
    for (let step = 0; step <= steps; step++) {
      const [, day = "", cost = ""] =
        /^(.+?): (.+?);/.exec((await plot.getAttribute("aria-valuetext")) ?? "") ?? [];
      if (cost !== "-") days.set(day, cost);
      await page.keyboard.press("ArrowRight");
    }
    const expected = rows
      .filter(({ cost }) => cost > 0)
      .map(({ key, cost }) => [key, formatMoney(cost, decimals)]);
    expect([...days]).toEqual(expected);
  });
});
