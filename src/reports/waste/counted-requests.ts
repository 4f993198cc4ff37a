import { inRootsIfNeeded } from "../../filters/where.ts";
import type { Sums } from "../../format/usage.ts";
import type { Index } from "../../store/open.ts";
import { isAbandoned } from "../usage/abandoned.ts";
import { requestRows } from "../usage/request-rows.ts";
import type { WasteOptions } from "./waste-shapes.ts";

/** A request that counts, and that the report is about. */
export interface CountedRequest extends Omit<Sums, "requests"> {
  key: number;
  fileId: number;
  /** The session it stands under. */
  root: number;
  /** Of `usage_kinds`. */
  kind: number;
  /** Unix ms. */
  at: number | null;
  costInput: number;
  costCacheRead: number;
  costCacheWrite: number;
  abandoned: number;
}

const COLUMNS = `u.entry_key, u.file_id, u.kind, u.timestamp, u.input, u.output, u.cache_read, u.cache_write,
  u.total_tokens, u.cost, u.cost_input, u.cost_cache_read, u.cost_cache_write`;

type RequestRow = [
  ...[key: number, fileId: number, kind: number, at: number | null],
  ...[input: number, output: number, cacheRead: number, cacheWrite: number, totalTokens: number],
  ...[cost: number, costInput: number, costCacheRead: number, costCacheWrite: number],
  ...[root: number, abandoned: number],
];

/** Session file by session file, so that of one at a time it has to be known where its requests stand. */
export function* requestsOf(index: Index, { roots, filter = {} }: WasteOptions): Generator<CountedRequest> {
  // As by session: where only sub-agents are asked for, each stands for itself.
  const root = filter.origin === "subagent" ? "u.file_id" : "s.root_file_id";
  const last = isAbandoned(inRootsIfNeeded(index.database, roots));
  const asked = { roots, filter, columns: `${COLUMNS}, ${root}`, last, order: "u.file_id, u.entry_key" };
  for (const row of requestRows(index, asked) as Iterable<RequestRow>) yield toRequest(row);
}

/** By places: taking so many values apart at once, or spreading them, takes ten times as long. */
function toRequest(row: RequestRow): CountedRequest {
  return {
    key: row[0],
    fileId: row[1],
    kind: row[2],
    at: row[3],
    input: row[4],
    output: row[5],
    cacheRead: row[6],
    cacheWrite: row[7],
    totalTokens: row[8],
    cost: row[9],
    costInput: row[10],
    costCacheRead: row[11],
    costCacheWrite: row[12],
    root: row[13],
    abandoned: row[14],
  };
}
