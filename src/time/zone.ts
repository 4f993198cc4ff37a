/** Time zones: their names, and how far their clocks are from UTC. */
import { existsSync, realpathSync } from "node:fs";
import { SessionDbError } from "../errors.ts";

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;
const WEEK_MS = 7 * DAY_MS;
/** The last day that `Date` can hold, counted from 1970-01-01. */
const LAST_DAY = 1e8;

/** A change of a zone's offset from UTC. The first of a list holds from the beginning of time. */
export interface OffsetChange {
  /** Unix ms. */
  from: number;
  /** To be added to UTC. */
  minutes: number;
}

/** Before the first there were no zones, and after the last nobody knows the clocks. Unix ms. */
const KNOWN = { first: Date.UTC(1900, 0), last: Date.UTC(2100, 0) };

/** A zone's offsets between two instants, in Unix ms. No zone changes its offset twice within a week. */
export function offsetsBetween(first: number, last: number, timezone: string): OffsetChange[] {
  const start = Math.max(first, KNOWN.first);
  const end = Math.min(last, KNOWN.last);
  const offsets: OffsetChange[] = [{ from: Number.NEGATIVE_INFINITY, minutes: minutesAt(start, timezone) }];
  for (let from = start; from < end; from += WEEK_MS) {
    const before = minutesAt(from, timezone);
    const to = Math.min(from + WEEK_MS, end);
    const minutes = minutesAt(to, timezone);
    if (minutes !== before) offsets.push({ from: changeBetween(from, to, before, timezone), minutes });
  }
  return offsets;
}

/** The first whole minute at which the offset is no longer `before`. */
function changeBetween(from: number, to: number, before: number, timezone: string): number {
  let low = Math.floor(from / MINUTE_MS);
  let high = Math.ceil(to / MINUTE_MS);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (minutesAt(middle * MINUTE_MS, timezone) === before) low = middle;
    else high = middle;
  }
  return high * MINUTE_MS;
}

/**
 * How far a zone's clock is ahead of UTC at an instant (Unix ms), in minutes; a local mean time's are whole minutes, too.
 *
 * @throws SessionDbError `usage` where there is no such zone
 */
export function minutesAt(ms: number, timezone: string): number {
  if (timezone === "UTC") return 0;
  return timezone === zoneOfDate ? minutesByDate(ms) : minutesByIntl(ms, timezone);
}

/** The zone that `Date` shows the time of, once that is known. */
let zoneOfDate: string | undefined;

function minutesByDate(ms: number): number {
  return 0 - new Date(nearestInstant(ms)).getTimezoneOffset();
}

const formats = new Map<string, Intl.DateTimeFormat>();

function minutesByIntl(ms: number, timezone: string): number {
  let format = formats.get(timezone);
  if (format === undefined) {
    format = formatOf(timezone);
    formats.set(timezone, format);
  }
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(format.format(nearestInstant(ms))) ?? [];
  const offset = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return sign === "-" ? -offset : offset;
}

function formatOf(timezone: string): Intl.DateTimeFormat {
  try {
    const timeZone = timezoneByIntl(timezone) ?? timezone;
    return new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  } catch (error) {
    if (error instanceof RangeError) throw unknownTimezone(timezone);
    throw error;
  }
}

/** The nearest instant that a date can be. */
export function nearestInstant(ms: number): number {
  return Math.max(-LAST_DAY * DAY_MS, Math.min(LAST_DAY * DAY_MS, ms));
}

/** Newer runtimes also take offsets such as `+02:00`; those are no IANA names. */
const NAME = /^[A-Za-z]/;

/** The name that `Intl` gives where the system's zone is not set (`TZ=`); it accepts no zone of that name. */
const UNSET = "Etc/Unknown";

/** Short names that only `Intl` understands: of three letters ending in T, IANA has nine. */
const NAME_OF_INTL = /^(?!CET|EET|EST|GMT|HST|MET|MST|UCT|WET)..T$/i;

/**
 * The IANA zone a name stands for; undefined for an unknown name. Names may be written as for `TZ` (tzset(3)): with a
 * colon, a folder of zone files, or as an abbreviation with whole hours (`JST-9`). A zone with several names keeps the one
 * asked for, in the usual capitals: Asia/Kolkata, which `Intl` calls Asia/Calcutta. The first call in a process takes 20 ms.
 */
export function timezoneByIntl(asked: string): string | undefined {
  const name = asked.replace(BEFORE_NAME, "");
  const zone = NAME.test(name) ? zoneOfIntl(name) : undefined;
  if (zone === undefined) return fixedZone(name);
  return zone === "UTC" || NAME_OF_INTL.test(name) ? zone : inCapitals(name);
}

/** What may stand before a zone's name in `TZ`. */
const BEFORE_NAME = /^:?(?:\/.*\/zoneinfo[^/]*\/)?(?:(?:posix|right)\/)?/;

function zoneOfIntl(name: string | undefined): string | undefined {
  try {
    const zone = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    return zone === UNSET ? undefined : zone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** POSIX counts hours to the west of Greenwich, and so do IANA's zones of whole hours. */
const WHOLE_HOURS = /^([A-Za-z]{3,}|<[A-Za-z\d+-]{3,}>)([+-]?)(\d{1,2})(?::00){0,2}$/;

/** Not UTC+2 and GMT+2, by which people mean the opposite of POSIX. */
function fixedZone(name: string): string | undefined {
  const [, abbreviation = "", sign, hours] = WHOLE_HOURS.exec(name) ?? [];
  const west = Number(hours) * (sign === "-" ? -1 : 1);
  if (west === 0) return "UTC";
  return /^<?(?:UTC|GMT)>?$/i.test(abbreviation) ? undefined : zoneWestBy(west);
}

function zoneWestBy(hours: number): string | undefined {
  if (!Number.isInteger(hours) || hours < -14 || hours > 12) return undefined;
  return `Etc/GMT${hours < 0 ? "" : "+"}${hours}`;
}

/**
 * The zone of this process, whose clock `Date` shows; undefined where that has none that can be named, and `Date` is at UTC
 * only because it does not know better. @param TZ that of the process
 */
export function ownTimezone(TZ: string | undefined): string | undefined {
  const asked = TZ === undefined || isUnset(TZ) ? undefined : zoneAsked(TZ);
  if (asked !== undefined && isOfDate(asked)) return asked;
  const zone = zoneOfIntl(undefined);
  if (TZ === undefined || isUnset(TZ)) return zone;
  if (zone !== undefined && zone !== "UTC" && zoneOfIntl(zone) !== undefined && isOfDate(zone)) return zone;
  const [winter, summer] = SEASONS.map(minutesByDate);
  return winter === summer && winter !== 0 ? zoneWestBy(-Number(winter) / 60) : undefined;
}

/** Whether `TZ` asks for no zone; that is UTC. */
export function isUnset(TZ: string): boolean {
  return TZ.replace(/^:/, "") === "";
}

function zoneAsked(TZ: string): string | undefined {
  const own = TZ.replace(/^:/, "") === LINK ? zoneOfLink() : TZ;
  return own && timezoneByIntl(own);
}

const SEASONS = [Date.UTC(2026, 0), Date.UTC(2026, 6)];

function isOfDate(timezone: string): boolean {
  return SEASONS.every((ms) => minutesByDate(ms) === minutesByIntl(ms, timezone));
}

/** Parts of names whose capitals follow no rule. */
const IRREGULAR = `Etc Yap GB-Eire NZ-CHAT W-SU Knox_IN Port-au-Prince Port_of_Spain Dar_es_Salaam Isle_of_Man
  DumontDUrville McMurdo BajaNorte BajaSur DeNoronha EasterIsland ComodRivadavia`.split(/\s+/);

/** A zone's name as IANA writes it. */
function inCapitals(name: string): string {
  const parts = name.toLowerCase().split("/");
  return parts
    .map((part) => {
      const irregular = IRREGULAR.find((each) => each.toLowerCase() === part);
      if (irregular !== undefined) return irregular;
      if (part.length <= 3 || /\d/.test(part)) return part.toUpperCase();
      return part.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
    })
    .join("/");
}

/**
 * What `timezoneByIntl` says, and without a name `ownTimezone`, for programs that are asked once: the first use of `Intl`
 * takes them 20 ms, but the clock of the system's own zone is also `Date`'s, and then only its name has to be found.
 */
export function timezoneByDate(
  name: string | undefined,
  { TZ }: { TZ?: string | undefined },
): string | undefined {
  const own = TZ ?? zoneOfLink();
  const candidate = name ?? own;
  if (candidate === "UTC" || candidate === "Etc/UTC") return "UTC";
  if (candidate === undefined || candidate !== own || !isShownByDate(candidate)) {
    return name === undefined ? ownTimezone(TZ) : timezoneByIntl(name);
  }
  zoneOfDate = candidate;
  return candidate;
}

const LINK = "/etc/localtime";

/** The zone that the link to the system's zone file names. */
function zoneOfLink(): string | undefined {
  const file = existsSync(LINK) ? realpathSync.native(LINK) : "";
  return /\/zoneinfo[^/]*\/(?:posix\/)?(.+)$/.exec(file)?.[1];
}

/** Without digits: names with digits may be rules (`CET-1CEST`) for one library and zones for another. */
const PLAIN_NAME = /^[A-Za-z]+(?:[/_-][A-Za-z]+)*$/;

/** A name that `Date` does not know is UTC for it; of zones that are always at UTC, `Intl` has to tell. */
function isShownByDate(timezone: string): boolean {
  if (!PLAIN_NAME.test(timezone) || timezone !== inCapitals(timezone)) return false;
  return SEASONS.some((ms) => minutesByDate(ms) !== 0);
}

/** @param file that names the zone, where it was one */
export function unknownTimezone(name: string, file?: string): SessionDbError {
  const where = file === undefined ? "" : ` in ${file}`;
  return new SessionDbError("usage", `unknown time zone "${name}"${where}`, {
    hint: "Give an IANA name such as Europe/Berlin or UTC.",
  });
}
