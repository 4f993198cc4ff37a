import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { chromium } from "playwright-core";
import { afterAll, onTestFinished } from "vitest";
import { PATIENCE_MS } from "./poll-until.ts";

/** Where systems have it; the first is what somebody says. */
const PLACES = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const executablePath = PLACES.find((path) => path !== undefined && existsSync(path));

let hasSaid = false;

/** For `describe.skipIf(hasNoBrowser())(...)`: true, with a message, where no Chromium is installed. */
export function hasNoBrowser(): boolean {
  if (executablePath === undefined && !hasSaid) {
    hasSaid = true;
    console.warn("Tests in a browser are skipped: install chromium, or say where it is in CHROMIUM_PATH.");
  }
  return executablePath === undefined;
}

export interface PageOptions extends BrowserContextOptions {
  /** Where the page is; nothing is opened without. */
  url?: string;
}

/**
 * Opens pages in one browser of a test file: to be called at its top level. Each page has a profile of its own, and is
 * closed at the end of the running test.
 */
export function browserPages(): (options?: PageOptions) => Promise<Page> {
  let browser: Promise<Browser> | undefined;
  afterAll(async () => (await browser)?.close());
  return async ({ url, ...options } = {}) => {
    if (executablePath === undefined) throw new Error("There is no browser: ask hasNoBrowser() first.");
    // Chromium refuses to sandbox what root starts.
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    browser ??= chromium.launch({ executablePath, args });
    const context = await (await browser).newContext(options);
    onTestFinished(() => context.close());
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    if (url !== undefined) await page.goto(url);
    return page;
  };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * What axe finds wrong with a page for people with disabilities: rule and place, one string each. Where a page was looked at
 * in other colours, `colours` has it look for what these may do.
 */
export async function axeFindings(page: Page, which: "all" | "colours" = "all"): Promise<string[]> {
  // Not as an element: the policies of pages forbid foreign scripts.
  await page.evaluate(AXE);
  const rules = which === "colours" ? ", runOnly: ['color-contrast', 'link-in-text-block']" : "";
  const found = await page.evaluate(`axe.run(document, { resultTypes: ['violations']${rules} })`);
  const { violations } = found as {
    violations: { id: string; nodes: { target: unknown[]; html: string }[] }[];
  };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html }) => `${id}: ${target.join(" ")} ${html}`),
  );
}

/** Every address that a page asks for from now on, but for its own pictures (`data:`). */
export function requestsOf(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) asked.push(request.url());
  });
  return asked;
}
