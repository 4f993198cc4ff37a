import {
  WASTE_KINDS,
  WASTE_PARTS,
  type Wasted,
  type WasteKind,
  type WastePartKey,
  type WasteRow,
} from "./waste-shapes.ts";

/** What a request has wasted in one way. */
export interface Waste {
  kind: WasteKind;
  part?: WastePartKey;
  tokens: number;
  /** US dollars; null where that is not known. */
  cost: number | null;
}

/** Adds up what a session, or all of them, have wasted. */
export class WasteCount {
  /** Each request once. */
  readonly once = nothing();
  readonly kinds: Record<WasteKind, Wasted> = {
    abandoned: nothing(),
    cacheMisses: nothing(),
    compactions: nothing(),
    failed: nothing(),
  };
  readonly #parts = new Map<WastePartKey, Wasted>();

  /** Adds what one request has wasted, in at least one way. */
  add(wastes: readonly Waste[]): void {
    for (const { kind, part, tokens, cost } of wastes) {
      addTo(this.kinds[kind], tokens, cost);
      if (part === undefined) continue;
      const sofar = this.#parts.get(part) ?? nothing();
      addTo(sofar, tokens, cost);
      this.#parts.set(part, sofar);
    }
    const costs = wastes.flatMap(({ cost }) => cost ?? []);
    const tokens = Math.max(...wastes.map((each) => each.tokens));
    addTo(this.once, tokens, costs.length === 0 ? null : Math.max(...costs));
  }

  /** A row for each kind; `spent` is in US dollars. */
  rows(spent: number): WasteRow[] {
    return WASTE_KINDS.map((key) => ({
      key,
      ...this.kinds[key],
      share: shareOf(this.kinds[key], spent),
      parts: WASTE_PARTS[key].flatMap((part) => {
        const wasted = this.#parts.get(part);
        return wasted === undefined ? [] : [{ key: part, ...wasted }];
      }),
    }));
  }
}

export function shareOf({ cost }: Wasted, spent: number): number | null {
  return spent > 0 ? cost / spent : null;
}

function nothing(): Wasted {
  return { requests: 0, totalTokens: 0, cost: 0, unpriced: 0 };
}

function addTo(sums: Wasted, tokens: number, cost: number | null): void {
  sums.requests++;
  sums.totalTokens += tokens;
  if (cost === null) sums.unpriced++;
  else sums.cost += cost;
}
