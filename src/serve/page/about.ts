import { signal } from "@preact/signals";
import type { PageFacts } from "../page-routes.ts";
import { apiPath, askServer } from "./server.ts";

export const about = signal<PageFacts>({
  version: "",
  timezone: "UTC",
  weekStart: "monday",
  reveals: false,
  hasTeam: false,
  home: "",
});

export async function readAbout(): Promise<void> {
  about.value = (await askServer<PageFacts>(apiPath("about"))).body;
}

/** A path with the home directory as `~`. */
export function homePath(path: string): string {
  const { home } = about.value;
  if (home === "" || !path.startsWith(home)) return path;
  const rest = path.slice(home.length);
  return rest === "" || /^[\\/]/.test(rest) ? `~${rest}` : path;
}

/** An ISO time as the zone's clock shows it: `2026-11-03 14:05`; empty without one. */
export function momentText(iso: string | null): string {
  if (iso === null) return "";
  const parts = clock().formatToParts(new Date(iso));
  const of = (type: string): string => parts.find((part) => part.type === type)?.value ?? "";
  return `${of("year")}-${of("month")}-${of("day")} ${of("hour")}:${of("minute")}`;
}

/** The day that it is. */
export function todayText(): string {
  return momentText(new Date().toISOString()).slice(0, "2026-11-03".length);
}

/** `now`, `5 min ago`, `3 h ago`, then the time. */
export function agoText(iso: string, now = Date.now()): string {
  const minutes = Math.floor((now - Date.parse(iso)) / 60_000);
  if (minutes < 0 || minutes >= 24 * 60) return momentText(iso);
  if (minutes === 0) return "now";
  return minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`;
}

let made: { timezone: string; format: Intl.DateTimeFormat } | null = null;

/** To make one takes long; the zone does not change. */
function clock(): Intl.DateTimeFormat {
  const { timezone } = about.value;
  if (made?.timezone === timezone) return made.format;
  const [year, month, day, hour, minute] = ["numeric", "2-digit", "2-digit", "2-digit", "2-digit"] as const;
  const parts = { year, month, day, hour, minute, hourCycle: "h23", timeZone: timezone } as const;
  made = { timezone, format: new Intl.DateTimeFormat("en-CA", parts) };
  return made.format;
}
