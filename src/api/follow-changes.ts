import { setTimeout as pause } from "node:timers/promises";
import { type Changes, currentRevision, readChanges } from "../reports/changes.ts";
import { diagnose } from "../store/diagnose.ts";
import { type Index, openIndex } from "../store/open.ts";
import { dataVersion } from "../store/statements.ts";
import type { ApiContext } from "./api-context.ts";
import { askIndex, hasNoIndex, mayBeConcurrentChange } from "./ask.ts";

/** Changes that are read in one transaction. */
const AT_ONCE = 1000;
/** How often it is looked whether there is more, in ms: that takes microseconds. */
const LOOK_MS = 100;

export interface FollowOptions {
  /** A revision; null for everything. */
  since: string | null;
  /** Goes on until the signal is given. */
  follow: boolean;
  /** Whether to catch up first. */
  sync: boolean;
  signal: AbortSignal;
}

/**
 * The changes of the rows since a revision, batch by batch. None is missed, whatever happens to the index meanwhile: where it cannot
 * be told what has changed, a `restart` comes, and then everything.
 *
 * @throws SessionDbError as `askIndex` and `readChanges`
 */
export async function* followChanges(
  api: ApiContext,
  options: FollowOptions,
): AsyncGenerator<Changes, void, undefined> {
  const { follow, signal } = options;
  await askIndex(
    api,
    { sync: options.sync, needs: { search: false, rows: "all readable" } },
    () => undefined,
  );
  // Nothing to read makes no index: then nothing has changed.
  if (!follow && hasNoIndex(api)) return;
  const rows = new FollowedRows(api);
  try {
    for (let revision = options.since; !signal.aborted; ) {
      const found = rows.read(revision, follow);
      if (found !== null) {
        yield found;
        ({ revision } = found);
        if (found.isComplete && !follow) return;
      }
      if (found === null || found.isComplete) await rows.untilChanged(signal);
    }
  } finally {
    rows.close();
  }
}

/** The revision that the rows have once they are caught up with. @throws SessionDbError as `askIndex` */
export function readRevision(api: ApiContext, sync: boolean): Promise<string> {
  return askIndex(api, { sync, needs: { search: false, rows: "all readable" } }, currentRevision);
}

/** The rows of whichever index lies there. */
class FollowedRows {
  readonly #api: ApiContext;
  #index: Index | null = null;
  #seen = -1;

  constructor(api: ApiContext) {
    this.#api = api;
  }

  /** Null where the index is being made, emptied or moved away, and `waits`. */
  read(since: string | null, waits: boolean): Changes | null {
    try {
      const index = this.#open();
      this.#seen = dataVersion(index.database);
      return readChanges(index, since, AT_ONCE);
    } catch (error) {
      const told = this.#index === null ? error : diagnose(error, this.#index);
      this.close();
      if (!waits || !mayBeConcurrentChange(told)) throw told;
      return null;
    }
  }

  async untilChanged(signal: AbortSignal): Promise<void> {
    do await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
    while (!signal.aborted && this.#isSame());
  }

  #open(): Index {
    if (this.#index?.isReplaced()) this.close();
    this.#index ??= openIndex(this.#api.config.location, { readonly: true });
    return this.#index;
  }

  /** Also false where it is not known. */
  #isSame(): boolean {
    return (
      this.#index !== null && !this.#index.isReplaced() && dataVersion(this.#index.database) === this.#seen
    );
  }

  close(): void {
    this.#index?.close();
    this.#index = null;
  }
}
