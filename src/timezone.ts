import { createRequire } from "node:module";
import type { Temporal } from "temporal-polyfill";
import { SessionDbError } from "./errors.ts";

const require = createRequire(import.meta.url);

/** Newer runtimes also take offsets such as `+02:00`; those are no IANA names. */
const NAME = /^[A-Za-z]/;

/** The name that `Intl` gives where the system's zone is not set (`TZ=`); it accepts no zone of that name. */
const UNSET = "Etc/Unknown";

/** Loaded only when it is first needed: loading takes longer than a search. */
export function temporal(): typeof Temporal {
  return (require("temporal-polyfill") as typeof import("temporal-polyfill")).Temporal;
}

/**
 * The IANA zone a name stands for, the system's without a name; undefined for an unknown name. A zone with several
 * names keeps the one asked for, in the usual capitals: Asia/Kolkata, which `Intl` calls Asia/Calcutta. The first call
 * in a process takes 20 ms.
 */
export function timezoneByIntl(name: string | undefined): string | undefined {
  if (name !== undefined && !NAME.test(name)) return undefined;
  try {
    const zone = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    if (zone === UNSET) return undefined;
    const isItsName = name === undefined || name.toLowerCase() === zone.toLowerCase() || zone === "UTC";
    return isItsName ? zone : (inItsLetters(name) ?? zone);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The name in IANA's capitals; undefined for names that Temporal does not know: `Intl` accepts some more. */
function inItsLetters(name: string): string | undefined {
  try {
    return temporal().Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** @param file that names the zone, where it was one */
export function unknownTimezone(name: string, file?: string): SessionDbError {
  const where = file === undefined ? "" : ` in ${file}`;
  return new SessionDbError("usage", `unknown time zone "${name}"${where}`, {
    hint: "Give an IANA name such as Europe/Berlin or UTC.",
  });
}
