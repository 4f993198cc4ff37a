import { SessionDbError } from "../errors.ts";
import { isSound } from "../store/diagnose.ts";
import { filesAt, type IndexFiles, type IndexLocation } from "../store/location.ts";
import { type Index, openIndex } from "../store/open.ts";
import { quarantine } from "../store/quarantine.ts";
import { toStoreError } from "../store/sqlite-errors.ts";
import type { ApiContext } from "./api-context.ts";

/**
 * Opens the index. A damaged one is put aside and made anew, unless `--db` named it: that file may be no index at all.
 */
export function openSound(api: ApiContext): Index {
  const { location, isNamed } = api.config;
  const files = filesBefore(location);
  let index: Index;
  try {
    index = openIndex(location);
    if (isSound(index)) return index;
  } catch (error) {
    if (isNamed || !(error instanceof SessionDbError) || error.code !== "index_corrupt") throw error;
    return replaceDamaged(api, files);
  }
  index.close();
  return replaceDamaged(api, files);
}

function filesBefore(location: IndexLocation): IndexFiles {
  try {
    return filesAt(location);
  } catch (error) {
    throw toStoreError(error, location.indexPath);
  }
}

/** @param files the damaged ones: if another process has replaced them meanwhile, the new ones are used */
export function replaceDamaged({ config, note }: ApiContext, files: IndexFiles): Index {
  if (quarantine(["indexPath", "searchPath"], config.location, files)) note({ kind: "quarantined" });
  return openIndex(config.location);
}
