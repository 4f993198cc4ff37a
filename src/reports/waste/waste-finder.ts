import { stringOrNull } from "../../format/json.ts";
import { groupedBy } from "../../runtime/collections.ts";
import type { Index } from "../../store/open.ts";
import { prepared } from "../../store/statements.ts";
import { type BodyPlace, PLACE_COLUMNS, readEntry } from "../../store/tables/entry-bodies.ts";
import { missedCost, missedTokens, pauseBetween } from "./cache-misses.ts";
import type { CountedRequest } from "./counted-requests.ts";
import {
  type PlacedCompaction,
  priceNameOf,
  SessionWalker,
  type UsageKind,
  type Walk,
} from "./session-walk.ts";
import type { Waste } from "./waste-count.ts";
import type { WastePartKey } from "./waste-shapes.ts";

/** Finds what requests have wasted, which come session file by session file. */
export class WasteFinder {
  readonly #index: Index;
  readonly #walker: SessionWalker;
  readonly #readPrices: ReadonlyMap<string, number>;
  #fileId = -1;
  #walk: Walk = { prompts: new Map(), retried: new Set(), compactions: [] };
  #repeated: ReadonlySet<number> = new Set();

  constructor(index: Index) {
    this.#index = index;
    this.#walker = new SessionWalker(index);
    this.#readPrices = readPricesIn(index);
  }

  wastesOf(request: CountedRequest): Waste[] {
    if (request.fileId !== this.#fileId) this.#enter(request.fileId);
    const { key, totalTokens, cost } = request;
    const kind = this.#walker.usageKind(request.kind);
    const whole = { tokens: totalTokens, cost: cost === 0 && totalTokens > 0 ? null : cost };
    const wastes: Waste[] = [];
    if (request.abandoned === 1) wastes.push({ kind: "abandoned", ...whole });
    if (kind.source === "compaction" && this.#repeated.has(key))
      wastes.push({ kind: "compactions", ...whole });
    if (kind.source !== "assistant") return wastes;
    const failure = this.#failureOf(request, kind);
    if (failure !== null) wastes.push({ kind: "failed", part: failure, ...whole });
    const miss = this.#missOf(request, kind);
    if (miss !== null) wastes.push(miss);
    return wastes;
  }

  #enter(fileId: number): void {
    this.#fileId = fileId;
    this.#walk = this.#walker.walk(fileId);
    this.#repeated = new Set(repeatedCompactions(this.#index, this.#walk.compactions));
  }

  #failureOf({ key, totalTokens, cost }: CountedRequest, { failure }: UsageKind): WastePartKey | null {
    if (failure === null || (totalTokens === 0 && cost === 0)) return null;
    return this.#walk.retried.has(key) ? `${failure}Retried` : failure;
  }

  #missOf(request: CountedRequest, { model }: UsageKind): Waste | null {
    const above = this.#walk.prompts.get(request.key) ?? null;
    const tokens = missedTokens(request, above);
    if (above === null || tokens === 0) return null;
    const cost = missedCost(tokens, request, this.#readPrices.get(model));
    const part = model === above.model ? pauseBetween(above, request) : "otherModel";
    return { kind: "cacheMisses", part, tokens, cost };
  }
}

/** What the files say a token read from the cache costs, in US dollars, by provider and model. */
function readPricesIn(index: Index): Map<string, number> {
  const rows = index.database
    .prepare(
      `SELECT k.provider, k.model, sum(u.cost_cache_read), sum(u.cache_read)
       FROM usage_rows u JOIN usage_kinds k ON k.id = u.kind WHERE u.cost_cache_read > 0 AND u.cache_read > 0 GROUP BY 1, 2`,
    )
    .raw()
    .all() as [provider: string | null, model: string | null, cost: number, tokens: number][];
  return new Map(
    rows.map(([provider, model, cost, tokens]) => [priceNameOf(provider, model), cost / tokens]),
  );
}

const PLACE = `SELECT ${PLACE_COLUMNS} FROM entries e JOIN sessions s ON s.file_id = e.file_id
  JOIN files f ON f.id = e.file_id WHERE e.key = ?`;

/**
 * Of a session's compactions that were paid for, those that sum up a stretch which one before them has summed up: on another
 * branch, from the same compaction on (or the beginning), and up to the same entry, the first that is kept; or in the same
 * place. Which entry is kept stands in the file alone; without that the place decides.
 */
function repeatedCompactions(index: Index, paid: readonly PlacedCompaction[]): number[] {
  return [...groupedBy(paid, ({ above }) => above).values()]
    .filter((beside) => beside.length > 1)
    .flatMap((beside) =>
      repeatsAmong(beside.map((each) => ({ ...each, kept: firstKeptOf(index, each.key) }))),
    );
}

function repeatsAmong(beside: readonly (PlacedCompaction & { kept: string | null })[]): number[] {
  return beside.flatMap(({ key, kept, parentKey }, at) => {
    const isRepeat = beside
      .slice(0, at)
      .some(
        (before) =>
          (kept !== null && before.kept === kept) || (parentKey !== null && before.parentKey === parentKey),
      );
    return isRepeat ? [key] : [];
  });
}

function firstKeptOf(index: Index, key: number): string | null {
  const place = prepared(index.database, PLACE).get(key) as BodyPlace | undefined;
  return place === undefined ? null : stringOrNull(readEntry(place)?.firstKeptEntryId);
}
