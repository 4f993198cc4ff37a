import type { Page } from "playwright-core";
import type { ServedPage } from "./page-client.ts";
import { pollUntil } from "./poll-until.ts";

/** Opens the link that was printed, and waits until the page may ask. */
export async function enter(page: Page, served: ServedPage): Promise<void> {
  await page.goto(served.link.href);
  await pollUntil(() => page.evaluate("localStorage.length > 0"), { what: "the token" });
}

/** Goes to a place of the page, and waits until it shows what it has asked for. */
export async function goTo(page: Page, served: ServedPage, place: string): Promise<void> {
  await page.goto(new URL(place, served.link).href);
  await page.waitForSelector("h1");
  const waiting = page.locator(".grey, [aria-busy=true]");
  await pollUntil(async () => (await waiting.count()) === 0, { what: place, every: 50 });
  // The outline of a conversation comes before its pieces.
  if (place.startsWith("/s/")) await page.waitForSelector(".transcript [data-place], .failure");
}
