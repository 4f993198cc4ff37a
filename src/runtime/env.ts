export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process; nothing else reads it. */
export function processEnvironment(): Environment {
  return process.env;
}
