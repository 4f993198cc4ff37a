import { realpathSync } from "node:fs";
import { unlessUnreadable } from "../file/unreadable.ts";
import { type Clock, keepClock, type OffsetChange, offsetsOf } from "../query/calendar.ts";
import { type Environment, inTimezone } from "../runtime/env.ts";
import { timezoneByIntl } from "../timezone.ts";

/**
 * The IANA zone a name stands for, the system's without a name; undefined for an unknown name. `Intl` knows all zones,
 * but its first use takes 20 ms, a tenth of most commands. `Date` knows one zone, the process's own, which can be set
 * to any for a moment. It is used if it can be proved to know the zone; otherwise `Intl` is asked.
 */
export function timezoneByDate(name: string | undefined, env: Environment): string | undefined {
  const candidate = name ?? systemTimezone(env);
  if (candidate === "UTC" || candidate === "Etc/UTC") return "UTC";
  if (candidate === undefined || !isKnownToDate(candidate)) return timezoneByIntl(name);
  keepClock(candidate, clockByDate(candidate));
  return candidate;
}

/** The system's zone: from the environment, else from the target of the link to the zone's file. */
function systemTimezone({ TZ }: Environment): string | undefined {
  if (TZ !== undefined) return TZ;
  const zoneFile = unlessUnreadable(() => realpathSync.native("/etc/localtime")) ?? "";
  return /\/zoneinfo[^/]*\/(.+)$/.exec(zoneFile)?.[1];
}

/** Without digits: names with digits may be rules (`CET-1CEST`) for one library and zones for another. */
const PLAIN_NAME = /^[A-Za-z]+(?:[/_-][A-Za-z]+)*$/;
/** Any two zones whose local mean times differ. */
const CONTROL = "Asia/Kathmandu";
const CONTROL_OF_CONTROL = "Europe/Berlin";
const QUARTER_S = 15 * 60;

/**
 * Before there were zones, each place had the time of its own meridian, whose offset from UTC has odd seconds. `Date`
 * can know these only from the data of the zone: a zone it does not know is UTC for it, or whole quarters of an hour
 * from UTC, and in a process whose zone cannot be set, two zones have the same offset. Zones without a local mean time
 * cannot be proved this way.
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

/** The years that sessions are from; for others `Intl` is asked. Looking at each of their weeks takes half a ms. */
const YEARS = { first: Date.UTC(2024, 0), last: Date.UTC(2040, 0) };

/** A clock that collects the offsets when it is first asked. */
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
