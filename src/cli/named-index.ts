import type { Config } from "../config.ts";
import { SessionDbError } from "../errors.ts";

/**
 * The same error with the way out for a damaged file that `--db` has named: `sync --rebuild` does not put it aside, because
 * it may be no index at all.
 */
export function asNamed(error: unknown, config: Pick<Config, "isNamed"> | undefined): unknown {
  if (!config?.isNamed || !(error instanceof SessionDbError) || error.code !== "index_corrupt") return error;
  return new SessionDbError(error.code, error.message, {
    cause: error,
    hint: "If that file is an index, delete it and run sessiondb sync with the same options, which rebuilds it from the session files.",
  });
}
