import type { Page } from "playwright-core";
import { describe, expect, test, vi } from "vitest";
import type { UsageReport } from "../../src/reports/usage/usage-shapes.ts";
import { formatMoney } from "../../src/text/numbers.ts";
import { runCli } from "../cli/pretend-world.ts";
import { axeFindings, browserPages, hasNoBrowser } from "../helpers/browser.ts";
import { ServedPage } from "../helpers/page-client.ts";
import { enter, goTo } from "../helpers/page-view.ts";
import { hasNoPostgres, postgresServer } from "../helpers/postgres.ts";
import { session } from "../helpers/session-builder.ts";
import { laptop, newTeam } from "../helpers/team.ts";

const server = postgresServer();
const SIZE = { viewport: { width: 1280, height: 800 } };

/** A team of two, asked by a lead whose own machine has one session. */
async function leadsMachine() {
  const team = await newTeam(server);
  const people = { ada: laptop(await team.url("ada"), { projects: ["*"], level: "text" }) };
  session({ id: "pears", cwd: "/work/orchard" })
    .user("plant the pears")
    .assistant({ text: "planted" })
    .writeBelow(`${people.ada.agentDir}/sessions`);
  expect(await runCli(["push"], people.ada)).toMatchObject({ code: 0 });
  const lead = laptop(await team.url("lea", { lead: true }));
  session({ id: "own", cwd: "/work/own" })
    .user("ask my own model")
    .assistant({ text: "asked" })
    .writeBelow(`${lead.agentDir}/sessions`);
  return lead;
}

function titles(page: Page): Promise<string[]> {
  return page.locator("td.title [data-row]").allInnerTexts();
}

describe.skipIf(hasNoBrowser() || hasNoPostgres())("the page of somebody with a team", () => {
  const open = browserPages();

  test("shows what others have pushed where it is asked to, with the numbers of the commands", async () => {
    const lead = await leadsMachine();
    for (const [name, value] of Object.entries(lead.env ?? {})) vi.stubEnv(name, value);
    const served = await ServedPage.start(["--agent-dir", lead.agentDir]);
    const page = await open(SIZE);
    await enter(page, served);
    await goTo(page, served, "/sessions");
    expect(await titles(page)).toEqual(["ask my own model"]);
    await page.getByRole("button", { name: "Team", exact: true }).click();
    await page.waitForSelector("td.title :text('plant the pears')");
    expect(await titles(page)).toEqual(["ada plant the pears"]);

    await page.keyboard.type("gu");
    await page.getByRole("combobox", { name: "By", exact: true }).selectOption("author");
    await page.getByRole("link", { name: "all", exact: true }).click();
    const { stdout } = await runCli(["usage", "author", "--team", "--all", "--json"], lead);
    const { totals } = JSON.parse(stdout) as UsageReport;
    await page.waitForSelector("table.data th bdi:text-is('ada')");
    expect(await page.locator(".figure-row dd").first().innerText()).toContain(formatMoney(totals.cost));

    await page.locator("#search").fill("pears");
    await page.waitForSelector(".hits mark");
    expect(await page.locator(".hits header").innerText()).toContain("ada");

    const found: string[] = [];
    for (const place of ["/?since=all&", "/sessions?", "/usage?since=all&by=author&", "/search?q=pears&"]) {
      await goTo(page, served, `${place}team=true`);
      found.push(...(await axeFindings(page)).map((each) => `${place}: ${each}`));
      expect(await page.locator(".failure").count(), place).toBe(0);
    }
    expect(found).toEqual([]);
  });

  test("says so where the team's database cannot be reached, and goes on showing this machine", async () => {
    const lead = laptop("postgres://nobody@127.0.0.1:9/none");
    for (const [name, value] of Object.entries(lead.env ?? {})) vi.stubEnv(name, value);
    session({ id: "own" }).user("ask my own model").assistant().writeBelow(`${lead.agentDir}/sessions`);
    const served = await ServedPage.start(["--agent-dir", lead.agentDir]);
    const page = await open(SIZE);
    await enter(page, served);
    await goTo(page, served, "/sessions?team=true");
    expect(await page.locator(".failure").innerText()).toContain("does not answer");
    await page.getByRole("button", { name: "Team", exact: true }).click();
    await page.waitForSelector("td.title :text('ask my own model')");
  });
});
