import { filesAt, type IndexFiles, type IndexLocation, isEmptied } from "../store/location.ts";
import { damaged, toStoreError } from "../store/sqlite-errors.ts";
import type { ApiContext } from "./api-context.ts";
import type { HealedWork, HealingOptions } from "./repair.ts";

/**
 * Does work on an index. If that meets damage, what is damaged is put aside, a note says so, and the work is done once
 * more on what is made in its place.
 *
 * @throws SessionDbError as the work does; `index_foreign` for a damaged file that may be no index; `index_corrupt` where
 *   one was put aside less than an hour ago; `io` where it cannot be
 */
export async function healing<T>(
  api: ApiContext,
  work: HealedWork<T>,
  options: HealingOptions = {},
): Promise<T> {
  const { location } = api.config;
  const seen = filesSeen(location);
  try {
    if (isEmptied(location)) throw damaged(location.indexPath, undefined);
    return await work(api, false);
  } catch (error) {
    // Loaded here: it is rarely needed.
    const { afterFailure } = await import("./repair.ts");
    return await afterFailure(api, work, { error, seen, options });
  }
}

/** @throws SessionDbError `io` */
export function filesSeen(location: IndexLocation): IndexFiles {
  try {
    return filesAt(location);
  } catch (error) {
    throw toStoreError(error, location.indexPath);
  }
}
