import { describe, expect, test } from "vitest";
import { axeFindings, browserPages, hasNoBrowser, requestsOf } from "../helpers/browser.ts";
import { ServedPage } from "../helpers/page-client.ts";
import { enter, goTo } from "../helpers/page-view.ts";

const PLACES = [
  "/",
  "/?since=all",
  "/sessions",
  "/sessions?project=/nowhere",
  "/usage",
  "/usage?by=model&since=all",
  "/usage?by=daily&since=all",
  "/usage?by=waste&since=all",
  "/search",
  "/search?q=tide",
  "/search?q=nothingofthekind",
  "/search?q=-only",
  "/s/01a1bfc2",
  "/s/01a1bfc2:16",
  "/s/nobody",
  "/files",
  "/files?path=src",
  "/files?path=nothing/of/the/kind",
  "/labels",
  "/labels?label=nobody",
  "/sql",
  "/sql?q=SELECT+:n&:n=1",
  "/health",
  "/nowhere",
];

/** Among them, those with all there is that has a colour: the others show the same things, and fewer of them. */
const COLOURFUL = [
  "/?since=all",
  "/sessions",
  "/usage?by=model&since=all",
  "/usage?by=waste&since=all",
  "/search?q=tide",
  "/search?q=-only",
  "/s/01a1bfc2:16",
  "/files?path=src",
  "/labels",
  "/sql?q=SELECT+:n&:n=1",
  "/health",
];

/** With what axe looks for: two have the colours of their own only. */
const LOOKS = [
  { name: "light, 1440 px wide", rules: "all", viewport: { width: 1440, height: 900 }, colorScheme: "light" },
  {
    name: "dark, 1024 px wide",
    rules: "colours",
    viewport: { width: 1024, height: 768 },
    colorScheme: "dark",
  },
  {
    rules: "colours",
    name: "with the colours of the system, twice as large",
    viewport: { width: 720, height: 450 },
    forcedColors: "active",
    colorScheme: "light",
  },
  {
    name: "on a phone",
    rules: "all",
    viewport: { width: 390, height: 844 },
    colorScheme: "light",
    hasTouch: true,
  },
] as const;

/** What is asked there cannot be answered. */
const FAILING = ["/search?q=-only", "/s/nobody"];

describe.skipIf(hasNoBrowser())("every page", () => {
  const open = browserPages();
  test.each(LOOKS)(
    "$name: axe finds nothing, nothing sticks out, nothing is loaded from elsewhere",
    async ({ name, rules, ...look }) => {
      const served = await ServedPage.start([], ["demo"]);
      const page = await open({ ...look });
      const said: string[] = [];
      page.on("console", (message) => message.type() === "error" && said.push(message.text()));
      page.on("pageerror", (error) => said.push(String(error)));
      const asked = requestsOf(page);
      await enter(page, served);
      const found: string[] = [];
      for (const place of PLACES) {
        await goTo(page, served, place);
        const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        if (Number(wide) > 0) found.push(`${place}: ${wide} px too wide`);
        const failures = await page.locator(".failure").count();
        if (failures > 0 !== FAILING.includes(place)) found.push(`${place}: ${failures} failures`);
        const headings = await page.locator("h1").count();
        if (headings !== 1) found.push(`${place}: ${headings} headings of the first level`);
        if (rules === "all" || COLOURFUL.includes(place))
          found.push(...(await axeFindings(page, rules)).map((each) => `${place}: ${each}`));
      }
      expect(found).toEqual([]);
      // What does not exist is answered with an error, which the browser notes.
      expect(said.filter((text) => !/status of (400|404)/.test(text))).toEqual([]);
      expect(asked.filter((url) => new URL(url).host !== served.link.host)).toEqual([]);
    },
  );

  test.each([390, 800, 1440])("the columns of the list of sessions fill it, %i px wide", async (width) => {
    const served = await ServedPage.start([], ["demo"]);
    const page = await open({ viewport: { width, height: 800 } });
    await enter(page, served);
    await goTo(page, served, "/sessions");
    const rightOf = (selector: string): Promise<number> =>
      page.evaluate(
        `Math.max(...[...document.querySelectorAll('${selector}')].map((each) => each.getBoundingClientRect().right))`,
      );
    expect(await rightOf(".sessions")).toBeCloseTo(await rightOf(".sessions td.cost"), -1);
  });
});
