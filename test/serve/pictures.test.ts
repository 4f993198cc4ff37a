import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { browserPages, hasNoBrowser } from "../helpers/browser.ts";
import { PROJECT } from "../helpers/manual.ts";
import { ServedPage } from "../helpers/page-client.ts";
import { enter, goTo } from "../helpers/page-view.ts";

/** `npm run docs:pictures` draws those of the manual anew. */
const isDrawn = process.env.SESSIONDB_PICTURES === "draw";

const PICTURES = [
  { name: "page-overview", place: "/?since=90d", width: 1200, height: 900, colorScheme: "light" },
  { name: "page-search", place: "/search?q=tide", width: 1200, height: 760, colorScheme: "light" },
  { name: "page-reader", place: "/s/01a1bfc2:16", width: 1200, height: 760, colorScheme: "dark" },
  { name: "page-phone", place: "/s/01a1bfc2", width: 390, height: 760, colorScheme: "light" },
] as const;

describe.skipIf(hasNoBrowser())("pictures of the manual", () => {
  const open = browserPages();

  // Letters differ from machine to machine: what is compared is what the picture shows, and its size.
  test.each(PICTURES)("$name", async ({ name, place, colorScheme, ...viewport }) => {
    const served = await ServedPage.start([], ["demo"]);
    const page = await open({ viewport, colorScheme, reducedMotion: "reduce" });
    await enter(page, served);
    await goTo(page, served, place);
    const path = join(PROJECT, "docs", `${name}.png`);
    // The live stream has begun, and its dot is drawn.
    await page.getByText("live", { exact: true }).waitFor();
    await page.screenshot(isDrawn ? { path } : {});
    expect(existsSync(path)).toBe(true);
    expect(sizeOf(readFileSync(path))).toEqual([viewport.width, viewport.height]);
    const manual = readFileSync(join(PROJECT, "docs", "page.md"), "utf8");
    expect(manual).toContain(`(${name}.png)`);
  });
});

/** Width and height as a PNG states them: https://www.w3.org/TR/png-3/#11IHDR */
function sizeOf(png: Buffer): [number, number] {
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}
