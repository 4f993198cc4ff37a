import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { indexIn } from "../config/config.ts";
import { codeOf } from "../errors.ts";
import { locateSessionFiles } from "../files/locate.ts";
import type { ApiContext } from "./api-context.ts";
import { isExcludedBy } from "./exclusions.ts";

/** Does the work on an index in a temporary folder, which is removed afterwards. @throws `why`, where none can be made */
export async function withTemporaryIndex<T>(
  api: ApiContext,
  work: (api: ApiContext) => Promise<T>,
  why?: unknown,
): Promise<T> {
  return inTemporaryFolder((folder) => {
    return work({ ...api, config: { ...api.config, location: indexIn(folder) } });
  }, why);
}

/** Gives a folder that is removed when the work is done. @throws `why`, where none can be made */
export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>, why?: unknown): Promise<T> {
  let folder: string;
  try {
    folder = mkdtempSync(join(tmpdir(), "sessiondb-"));
  } catch (error) {
    if (codeOf(error) === "") throw error;
    throw why ?? error;
  }
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether there is no session file: then no index is to be made, either. */
export function isNothingToRead({ config }: ApiContext): boolean {
  return locateSessionFiles(config.roots, isExcludedBy(config)).files.length === 0;
}
