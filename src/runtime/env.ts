export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process; nothing else reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/**
 * Runs `ask` while `Date` shows the time of another zone, as if the process had been started with this `TZ`. Only for a
 * program's own main: `Date` and the environment belong to the whole process.
 */
export function inTimezone<T>(timezone: string, ask: () => T): T {
  const own = process.env.TZ;
  process.env.TZ = timezone;
  try {
    return ask();
  } finally {
    if (own === undefined) delete process.env.TZ;
    else process.env.TZ = own;
  }
}
