import { realpathSync } from "node:fs";
import { type Environment, inTimezone } from "../config.ts";
import { unlessUnreadable } from "../file/unreadable.ts";
import { type Clock, keepClock, type OffsetChange, offsetsOf } from "../query/calendar.ts";
import { timezoneByIntl } from "../timezone.ts";

/**
 * The IANA zone a name stands for, the system's without a name; undefined for an unknown name. `Intl` knows all zones
 * and takes 20 ms at its first use, a tenth of most commands. `Date` knows one, the process's own, which for a moment
 * can be any: its clock is used where it can be proved that it knows the zone; else `Intl` is asked.
 */
export function timezoneByDate(name: string | undefined, env: Environment): string | undefined {
  const candidate = name ?? systemTimezone(env);
  if (candidate === "UTC" || candidate === "Etc/UTC") return "UTC";
  if (candidate === undefined || !isKnownToDate(candidate)) return timezoneByIntl(name);
  keepClock(candidate, clockByDate(candidate));
  return candidate;
}

/** What the system goes by: the environment, else where the link to the zone's file leads. */
function systemTimezone({ TZ }: Environment): string | undefined {
  if (TZ !== undefined) return TZ;
  const zoneFile = unlessUnreadable(() => realpathSync.native("/etc/localtime")) ?? "";
  return /\/zoneinfo[^/]*\/(.+)$/.exec(zoneFile)?.[1];
}

/** Names with digits may be rules (`CET-1CEST`) to one library and zones to another. */
const PLAIN_NAME = /^[A-Za-z]+(?:[/_-][A-Za-z]+)*$/;
/** Any two zones with local mean times of their own. */
const CONTROL = "Asia/Kathmandu";
const CONTROL_OF_CONTROL = "Europe/Berlin";
const QUARTER_S = 15 * 60;

/**
 * Before there were zones each place had the time of its own meridian, in odd seconds. `Date` can have them from the
 * data of the zone alone: a zone it does not know is UTC or some whole quarters from it, and a process that cannot
 * be put into another zone says the same of two. Zones without a local mean time are not proved this way.
 */
function isKnownToDate(timezone: string): boolean {
  if (!PLAIN_NAME.test(timezone)) return false;
  const seconds = inTimezone(timezone, localMeanTime);
  const control = timezone === CONTROL ? CONTROL_OF_CONTROL : CONTROL;
  return seconds % QUARTER_S !== 0 && seconds !== inTimezone(control, localMeanTime);
}

function localMeanTime(): number {
  return (Date.UTC(1800, 0) - new Date(1800, 0).getTime()) / 1000;
}

/** Years that sessions are from; of others `Intl` is asked. A look at each week of them takes half a millisecond. */
const YEARS = { first: Date.UTC(2024, 0), last: Date.UTC(2040, 0) };

/** Looks when it is asked for the first time. */
function clockByDate(timezone: string): Clock {
  let offsets: OffsetChange[] | undefined;
  return (ms) => {
    if (!(ms >= YEARS.first && ms < YEARS.last)) return undefined;
    offsets ??= inTimezone(timezone, () => offsetsOf(minutesByDate, YEARS.first, YEARS.last));
    return offsets.findLast(({ from }) => from <= ms)?.minutes;
  };
}

function minutesByDate(ms: number): number {
  return -new Date(ms).getTimezoneOffset();
}
