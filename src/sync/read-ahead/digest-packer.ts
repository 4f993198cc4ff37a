import type { EntryDigest } from "../../format/digest.ts";
import type { NestedCallFacts } from "../../format/nested-calls.ts";
import type { EntryUsage } from "../../format/usage.ts";
import { type DigestColumns, ENDED, HAS, type PlacedDigest } from "./digest-columns.ts";

/** How much of each column there is. */
export interface PackerPlace {
  numbers: number;
  codes: number;
  rows: number;
  texts: number;
  usageNumbers: number;
  usageCodes: number;
  lastId: string | null;
}

/** Puts digests into columns. */
export class DigestPacker {
  #words = new Words();
  #numbers: number[] = [];
  #codes: number[] = [];
  #previews: string[] = [];
  #spoken: string[] = [];
  #texts: (string | null)[] = [];
  #usageNumbers: number[] = [];
  #usageCodes: number[] = [];
  #lastId: string | null = null;

  add({ digest, offset, length }: PlacedDigest): void {
    const { facts, calls, nested, usage } = digest;
    this.#numbers.push(
      offset,
      length,
      facts.timestamp ?? Number.NaN,
      digest.activityAt ?? Number.NaN,
      digest.ranMs ?? Number.NaN,
    );
    const words = this.#words;
    this.#codes.push(
      this.#flagsOf(digest),
      calls.length,
      words.codeOf(facts.type),
      words.codeOf(facts.role),
      words.codeOf(facts.provider),
      words.codeOf(facts.model),
      words.codeOf(facts.toolName),
      words.codeOf(facts.customType),
    );
    this.#previews.push(facts.preview);
    this.#spoken.push(digest.spoken);
    this.#addTexts(digest);
    for (const call of calls) this.#texts.push(call.callId, call.name, call.path);
    if (nested.length > 0) this.#addNested(nested);
    if (usage !== null) this.#addUsage(usage);
  }

  /** Where it is now, to come back to. */
  get place(): PackerPlace {
    return {
      numbers: this.#numbers.length,
      codes: this.#codes.length,
      rows: this.#previews.length,
      texts: this.#texts.length,
      usageNumbers: this.#usageNumbers.length,
      usageCodes: this.#usageCodes.length,
      lastId: this.#lastId,
    };
  }

  /** Forgets what was added since it was at a place. */
  goBackTo(place: PackerPlace): void {
    this.#numbers.length = place.numbers;
    this.#codes.length = place.codes;
    this.#previews.length = place.rows;
    this.#spoken.length = place.rows;
    this.#texts.length = place.texts;
    this.#usageNumbers.length = place.usageNumbers;
    this.#usageCodes.length = place.usageCodes;
    this.#lastId = place.lastId;
  }

  /** All that was added since the last time. */
  take(): DigestColumns {
    const columns = {
      words: this.#words.all,
      numbers: new Float64Array(this.#numbers),
      codes: new Uint32Array(this.#codes),
      previews: this.#previews,
      spoken: this.#spoken,
      texts: this.#texts,
      usageNumbers: new Float64Array(this.#usageNumbers),
      usageCodes: new Uint32Array(this.#usageCodes),
    };
    this.#words = new Words();
    // Kept, because a new list is one of small integers again until it has another number, and V8 compiles for either kind.
    for (const numbers of [this.#numbers, this.#codes, this.#usageNumbers, this.#usageCodes])
      numbers.length = 0;
    [this.#previews, this.#spoken, this.#texts] = [[], [], []];
    this.#lastId = null;
    return columns;
  }

  #flagsOf({ facts, irregular, given, answers, nested, usage }: EntryDigest): number {
    return (
      (facts.isError ? HAS.error : 0) |
      (facts.hasImage ? HAS.image : 0) |
      (irregular ? HAS.irregular : 0) |
      (facts.parentId !== null && facts.parentId === this.#lastId ? HAS.afterLast : 0) |
      (facts.targetId !== null ? HAS.target : 0) |
      (given !== null ? HAS.given : 0) |
      (answers !== null ? HAS.answer : 0) |
      (usage !== null ? HAS.usage : 0) |
      (usage?.flawed ? HAS.flaw : 0) |
      (nested.length > 0 ? HAS.nested : 0)
    );
  }

  #addTexts({ facts, given, answers }: EntryDigest): void {
    const texts = this.#texts;
    texts.push(facts.id);
    if (facts.parentId === null || facts.parentId !== this.#lastId) texts.push(facts.parentId);
    if (facts.targetId !== null) texts.push(facts.targetId);
    if (given !== null) texts.push(given);
    if (answers !== null) texts.push(answers);
    this.#lastId = facts.id;
  }

  #addNested(nested: readonly NestedCallFacts[]): void {
    this.#numbers.push(nested.length);
    for (const { callId, name, path, isError, durationMs } of nested) {
      this.#texts.push(callId, name, path);
      this.#numbers.push(durationMs ?? Number.NaN);
      this.#codes.push(isError === null ? ENDED.never : isError ? ENDED.failed : ENDED.well);
    }
  }

  #addUsage(usage: EntryUsage): void {
    this.#usageNumbers.push(
      usage.input,
      usage.output,
      usage.cacheRead,
      usage.cacheWrite,
      usage.cacheWrite1h,
      usage.reasoning,
      usage.totalTokens,
      usage.costInput,
      usage.costOutput,
      usage.costCacheRead,
      usage.costCacheWrite,
      usage.cost,
    );
    const { source, provider, model, stopReason } = usage;
    for (const text of [source, provider, model, stopReason]) this.#usageCodes.push(this.#words.codeOf(text));
  }
}

/** Texts by number, each once. */
class Words {
  readonly all: (string | null)[] = [null];
  readonly #codes = new Map<string, number>();

  codeOf(word: string | null): number {
    if (word === null) return 0;
    const known = this.#codes.get(word);
    if (known !== undefined) return known;
    this.#codes.set(word, this.all.length);
    return this.all.push(word) - 1;
  }
}
