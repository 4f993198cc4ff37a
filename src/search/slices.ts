import { codeOf, isSqliteBusy } from "../errors.ts";
import { type StopSignal, timeUp } from "../runtime/cancellation.ts";
import type { Index } from "../store/open.ts";
import { isOutOfRoom } from "../store/sqlite-errors.ts";
import type { FeedResult, SearchFeeder } from "./feed/feeder.ts";
import { LITTLE, mergeSegments } from "./feed/merge.ts";
import { needsPurge, Purge, type PurgeState } from "./purge.ts";

/** How long the worker works between two looks at its messages. */
export const SLICE_MS = 150;
/** A purge may take minutes, and should leave part of each second to others. */
const PURGE_SLICE_MS = 500;
/** Merging delays no search, but it delays new entries: while those come, only a little is merged. */
const MUCH = { pages: 512, steps: 8 } as const;

/** What a slice in the background came to. */
export interface Fed extends FeedResult {
  /** Words of entries that are gone may still stand in a database. */
  needsPurge: boolean;
  /** A file with an entry that is left out, because reading it has ended the thread twice. */
  leftOut?: string;
}

/**
 * Feeds for 150 ms.
 *
 * @internal
 */
export function feedSlice(index: Index, feeder: SearchFeeder, signal: StopSignal): Fed {
  const result = feeder.run({ deadlineMs: Date.now() + SLICE_MS, merge: LITTLE, signal });
  return { ...result, needsPurge: result.complete && needsPurge(index) };
}

export function purgeSlice(index: Index, signal: StopSignal): PurgeState {
  return new Purge(index).step({ deadlineMs: Date.now() + PURGE_SLICE_MS, signal });
}

/** Merges for half a second. Returns whether nothing is left to merge. */
export function tidySlice(index: Index, signal: StopSignal): boolean {
  return mergeSegments(index.search, MUCH, timeUp({ signal }));
}

/**
 * Everything is found without it, so it gives up when another process is writing. False when the disk has no room for it.
 */
export function mergeLittle({ search }: Index): boolean {
  try {
    mergeSegments(search, LITTLE);
  } catch (error) {
    if (isOutOfRoom(codeOf(error))) return false;
    if (!isSqliteBusy(error)) throw error;
  }
  return true;
}
