import { SessionDbError } from "./errors.ts";

/** Newer runtimes also take offsets such as `+02:00`; those are no IANA names. */
const NAME = /^[A-Za-z]/;

/** What `Intl` calls a system whose zone nobody has set (`TZ=`); it knows no zone of that name. */
const UNSET = "Etc/Unknown";

/**
 * The IANA zone a name stands for, the system's without a name; undefined for an unknown name. The first call of a
 * process takes 20 ms.
 */
export function timezoneByIntl(name: string | undefined): string | undefined {
  if (name !== undefined && !NAME.test(name)) return undefined;
  try {
    const zone = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
    return zone === UNSET ? undefined : zone;
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
