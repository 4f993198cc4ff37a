import { currentProvider } from "../../filters/providers.ts";
import { isByPerson } from "../../format/entry.ts";
import type { Index } from "../../store/open.ts";
import { prepared } from "../../store/statements.ts";
import { pricedAs } from "../usage/figures.ts";
import type { CachedPrompt } from "./cache-misses.ts";

/** In file order, so that a parent comes before its children. */
const ENTRIES = `SELECT e.key, e.parent_key, e.kind, u.kind, u.timestamp, u.input, u.cache_read, u.cache_write,
  u.total_tokens FROM entry_rows e LEFT JOIN usage_rows u ON u.entry_key = e.key WHERE e.file_id = ? ORDER BY e.key`;

type EntryRow = [
  key: number,
  parentKey: number | null,
  kind: number,
  usageKind: number | null,
  timestamp: number | null,
  input: number | null,
  cacheRead: number | null,
  cacheWrite: number | null,
  totalTokens: number | null,
];

interface EntryKind {
  type: string;
  isAssistant: boolean;
  isByPerson: boolean;
}

/** What many requests have in common. */
export interface UsageKind {
  source: string;
  /** `priceNameOf`. */
  model: string;
  /** How it was broken off, if it was. */
  failure: "error" | "aborted" | null;
}

const UNKNOWN: UsageKind = { source: "", model: "", failure: null };

/** What is known on the way from the root down to an entry. */
interface Way {
  /** The last prompt since the context was made anew. */
  prompt: CachedPrompt | null;
  /** The nearest compaction. */
  compaction: number | null;
  /** A failed request after which nobody has said anything. */
  failed: number | null;
}

const ROOT: Way = { prompt: null, compaction: null, failed: null };

export interface PlacedCompaction {
  /** `entries.key`, as all of these. */
  key: number;
  parentKey: number | null;
  /** The nearest compaction above it. */
  above: number | null;
}

/** What the place of a session's requests in its tree says of them. */
export interface Walk {
  /** The prompt above each request of a turn, by the key of its entry; null where it has none. */
  prompts: Map<number, CachedPrompt | null>;
  /** Failed requests that another one follows before somebody says something, or in the same place. */
  retried: Set<number>;
  /** Those that were paid for, in file order. */
  compactions: PlacedCompaction[];
}

/** Walks down the trees of sessions. Where ids repeat, or parents stand below, a branch may begin anew for it. */
export class SessionWalker {
  readonly #index: Index;
  readonly #entryKinds: ReadonlyMap<number, EntryKind>;
  readonly #usageKinds: ReadonlyMap<number, UsageKind>;

  constructor(index: Index) {
    this.#index = index;
    this.#entryKinds = entryKindsOf(index);
    this.#usageKinds = usageKindsOf(index);
  }

  usageKind(id: number): UsageKind {
    return this.#usageKinds.get(id) ?? UNKNOWN;
  }

  walk(fileId: number): Walk {
    const walk: Walk = { prompts: new Map(), retried: new Set(), compactions: [] };
    const ways = new Map<number, Way>();
    const failedBelow = new Map<number | null, number[]>();
    const rows = prepared(this.#index.database, ENTRIES).raw().all(fileId) as EntryRow[];
    for (const row of rows) {
      const [key, parentKey] = row;
      const way = (parentKey === null ? undefined : ways.get(parentKey)) ?? ROOT;
      ways.set(key, this.#step(row, way, { walk, failedBelow }));
    }
    return walk;
  }

  /** Notes what there is to say of an entry, and returns what is known below it. */
  #step(
    row: EntryRow,
    way: Way,
    { walk, failedBelow }: { walk: Walk; failedBelow: Map<number | null, number[]> },
  ): Way {
    const [key, parentKey, kind, usageKind] = row;
    const totalTokens = row[8];
    const entry = this.#entryKinds.get(kind);
    if (entry?.type === "compaction") {
      if (Number(totalTokens) > 0) walk.compactions.push({ key, parentKey, above: way.compaction });
      return { prompt: null, compaction: key, failed: null };
    }
    // What is said of another branch makes the context another one.
    if (entry?.type === "branch_summary") return { ...way, prompt: null, failed: null };
    if (entry?.isByPerson) return way.failed === null ? way : { ...way, failed: null };
    const usage = usageKind === null ? undefined : this.#usageKinds.get(usageKind);
    if (usage?.source === "cache_warm")
      return { ...way, prompt: promptOf(row, usage.model, true) ?? way.prompt };
    if (!entry?.isAssistant) return way;
    if (way.failed !== null) walk.retried.add(way.failed);
    for (const failed of failedBelow.get(parentKey) ?? []) walk.retried.add(failed);
    if (usage === undefined) return { ...way, failed: null };
    walk.prompts.set(key, way.prompt);
    if (usage.failure !== null) failedBelow.set(parentKey, [...(failedBelow.get(parentKey) ?? []), key]);
    const prompt = promptOf(row, usage.model, way.prompt?.usesCache === true) ?? way.prompt;
    return { ...way, prompt, failed: usage.failure === null ? null : key };
  }
}

/** The prompt of a request; null for one that states none, as one that was refused. */
function promptOf(row: EntryRow, model: string, usesCache: boolean): CachedPrompt | null {
  const [, , , , at, input, cacheRead, cacheWrite] = row;
  const cached = Number(cacheRead) + Number(cacheWrite);
  const tokens = Number(input) + cached;
  return tokens === 0 ? null : { tokens, model, at, usesCache: usesCache || cached > 0 };
}

function entryKindsOf({ database }: Index): Map<number, EntryKind> {
  const rows = database.prepare("SELECT id, type, role FROM entry_kinds").raw().all() as [
    id: number,
    type: string,
    role: string | null,
  ][];
  return new Map(
    rows.map(([id, type, role]) => [
      id,
      { type, isAssistant: role === "assistant", isByPerson: isByPerson({ type, role }) },
    ]),
  );
}

function usageKindsOf({ database }: Index): Map<number, UsageKind> {
  const rows = database
    .prepare("SELECT id, source, provider, model, stop_reason FROM usage_kinds")
    .raw()
    .all() as [
    id: number,
    source: string,
    provider: string | null,
    model: string | null,
    stopReason: string | null,
  ][];
  return new Map(
    rows.map(([id, source, provider, model, stopReason]) => [
      id,
      {
        source,
        model: priceNameOf(provider, model),
        failure: stopReason === "error" || stopReason === "aborted" ? stopReason : null,
      },
    ]),
  );
}

/** Under which name the price of a model is kept, by what a request states. */
export function priceNameOf(provider: string | null, model: string | null): string {
  return pricedAs(currentProvider(provider ?? ""), model ?? "");
}
