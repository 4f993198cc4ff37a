import { type CountedFile, countFolder, type Spending } from "./independent-count.ts";
import { type Placed, parentOf, placeUsage } from "./independent-groups.ts";
import { type Fields, isFields, type ReadEntry, timeOf } from "./independent-read.ts";

// What was spent in vain, counted in a second way: each request by itself, by a walk up from it.

export interface WastedSums {
  requests: number;
  totalTokens: number;
  cost: number;
  unpriced: number;
}

export interface WasteCount {
  abandoned: WastedSums;
  cacheMisses: WastedSums;
  compactions: WastedSums;
  failed: WastedSums;
  /** Parts of the kinds, by name. */
  parts: Map<string, WastedSums>;
  once: WastedSums;
  /** Each request once, by the path of the file it stands in. */
  byFile: Map<string, WastedSums>;
}

interface Found {
  kind: "abandoned" | "cacheMisses" | "compactions" | "failed";
  part?: string;
  tokens: number;
  cost: number | null;
}

/** All that was spent in vain below `root`, as far as `isAsked` is true of it. */
export function countWaste(root: string, isAsked: (spending: Spending) => boolean = () => true): WasteCount {
  const { files } = countFolder(root);
  const { placed, kept } = placeUsage(files);
  const readPrices = statedReadPrices(placed);
  const count: WasteCount = {
    ...{ abandoned: none(), cacheMisses: none(), compactions: none(), failed: none(), once: none() },
    ...{ parts: new Map(), byFile: new Map() },
  };
  for (const each of placed) {
    if (!each.spending.counted || !isAsked(each.spending)) continue;
    const found = [
      ...(kept.has(each.spending.identity) ? [] : [whole(each, "abandoned")]),
      ...failureOf(each),
      ...repeatOf(each),
      ...missOf(each, readPrices),
    ];
    if (found.length > 0) note(count, each, found);
  }
  return count;
}

function note(count: WasteCount, { spending }: Placed, found: Found[]): void {
  for (const each of found) {
    add(count[each.kind], each);
    if (each.part !== undefined) add(at(count.parts, each.part), each);
  }
  const costs = found.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  const once = {
    tokens: Math.max(...found.map(({ tokens }) => tokens)),
    cost: costs.length === 0 ? null : Math.max(...costs),
  };
  add(count.once, once);
  add(at(count.byFile, spending.path), once);
}

function whole({ spending: { totalTokens, cost } }: Placed, kind: Found["kind"], part?: string): Found {
  const isPriced = cost > 0 || totalTokens === 0;
  return { kind, ...(part !== undefined && { part }), tokens: totalTokens, cost: isPriced ? cost : null };
}

function failureOf(placed: Placed): Found[] {
  const { file, entry, spending } = placed;
  const reason = messageOf(entry).stopReason;
  const isFailed = entry.role === "assistant" && (reason === "error" || reason === "aborted");
  if (!isFailed || (spending.totalTokens === 0 && spending.cost === 0)) return [];
  return [whole(placed, "failed", isRetried(file, entry) ? `${reason}Retried` : String(reason))];
}

/** Whether an answer stands right below it, but for what nobody has said, or beside it further down. */
function isRetried(file: CountedFile, failed: ReadEntry): boolean {
  const answers = file.entries.filter(({ role }) => role === "assistant");
  return answers.some((answer) => {
    const parent = parentOf(file, answer);
    const isLater = file.entries.indexOf(answer) > file.entries.indexOf(failed);
    if (isLater && parent === parentOf(file, failed)) return true;
    for (let above = parent; above !== undefined; above = parentOf(file, above)) {
      if (above === failed) return true;
      if (/user|bashExecution|assistant/.test(above.role ?? "") || isBoundary(above)) return false;
    }
    return false;
  });
}

function repeatOf(placed: Placed): Found[] {
  const { file, entry } = placed;
  if (entry.type !== "compaction" || placed.spending.totalTokens === 0) return [];
  const earlier = file.entries.slice(0, file.entries.indexOf(entry)).filter((each) => {
    const usage = isFields(each.value.usage) ? Number(each.value.usage.totalTokens) : 0;
    return (
      each.type === "compaction" && usage > 0 && lastCompaction(file, each) === lastCompaction(file, entry)
    );
  });
  const isRepeat = earlier.some(
    ({ value }) =>
      value.firstKeptEntryId === entry.value.firstKeptEntryId || value.parentId === entry.value.parentId,
  );
  return isRepeat ? [whole(placed, "compactions")] : [];
}

function lastCompaction(file: CountedFile, entry: ReadEntry): ReadEntry | undefined {
  let above = parentOf(file, entry);
  while (above !== undefined && above.type !== "compaction") above = parentOf(file, above);
  return above;
}

function isBoundary({ type }: ReadEntry): boolean {
  return type === "compaction" || type === "branch_summary";
}

function missOf(placed: Placed, readPrices: Map<string, number>): Found[] {
  const { file, entry } = placed;
  if (entry.role !== "assistant") return [];
  const own = promptOf(entry);
  const above: ReturnType<typeof promptOf>[] = [];
  for (let each = parentOf(file, entry); each !== undefined && !isBoundary(each); each = parentOf(file, each))
    if (each.role === "assistant" || each.value.kind === "cache_warm") above.push(promptOf(each));
  const last = above.find(({ tokens }) => tokens > 0);
  const isCached = [own, ...above].some(({ read, written, isWarm }) => isWarm || read + written > 0);
  if (last === undefined || own.tokens === 0 || !isCached) return [];
  const tokens = Math.min(last.tokens, own.tokens) - own.read;
  if (tokens <= 1024) return [];
  const paid = own.paid / (own.tokens - own.read);
  const read = own.read > 0 ? own.readCost / own.read : readPrices.get(own.model);
  const isStated = paid > 0 && read !== undefined;
  const cost = isStated ? Math.min(placed.spending.cost, tokens * Math.max(0, paid - read)) : null;
  return [{ kind: "cacheMisses", part: reasonOf(own, last), tokens, cost }];
}

function reasonOf(own: ReturnType<typeof promptOf>, last: ReturnType<typeof promptOf>): string {
  if (own.model !== last.model) return "otherModel";
  if (own.time === null || last.time === null) return "afterUnknownTime";
  return own.time - last.time > 300_000 ? "afterFiveMinutes" : "withinFiveMinutes";
}

function promptOf(entry: ReadEntry) {
  const holder = entry.type === "usage" ? entry.value : messageOf(entry);
  const usage = isFields(holder.usage) ? holder.usage : {};
  const cost = isFields(usage.cost) ? usage.cost : {};
  const of = (from: Fields, key: string): number => (typeof from[key] === "number" ? from[key] : 0);
  const [input, read, written] = [of(usage, "input"), of(usage, "cacheRead"), of(usage, "cacheWrite")];
  return {
    ...{ read, written, tokens: input + read + written, isWarm: entry.type === "usage" },
    paid: of(cost, "input") + of(cost, "cacheWrite"),
    readCost: of(cost, "cacheRead"),
    model: `${holder.provider} ${holder.model}`,
    time: timeOf(entry.value.timestamp),
  };
}

/** US dollars a token that is read from the cache, of all that state them. */
function statedReadPrices(placed: Placed[]): Map<string, number> {
  const sums = new Map<string, { cost: number; tokens: number }>();
  for (const { entry } of placed) {
    const { model, read, readCost } = promptOf(entry);
    if (read === 0 || readCost === 0) continue;
    const sofar = sums.get(model) ?? { cost: 0, tokens: 0 };
    sums.set(model, { cost: sofar.cost + readCost, tokens: sofar.tokens + read });
  }
  return new Map([...sums].map(([model, { cost, tokens }]) => [model, cost / tokens]));
}

function messageOf({ value }: ReadEntry): Fields {
  return isFields(value.message) ? value.message : {};
}

function none(): WastedSums {
  return { requests: 0, totalTokens: 0, cost: 0, unpriced: 0 };
}

function at(sums: Map<string, WastedSums>, key: string): WastedSums {
  const known = sums.get(key) ?? none();
  sums.set(key, known);
  return known;
}

function add(sums: WastedSums, { tokens, cost }: { tokens: number; cost: number | null }): void {
  sums.requests += 1;
  sums.totalTokens += tokens;
  sums.cost += cost ?? 0;
  sums.unpriced += cost === null ? 1 : 0;
}
