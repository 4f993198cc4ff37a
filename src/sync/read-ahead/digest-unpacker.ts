import { type EntryDigest, NO_CALLS } from "../../format/digest.ts";
import type { EntryFacts, ToolCallFacts } from "../../format/entry.ts";
import type { NestedCallFacts } from "../../format/nested-calls.ts";
import type { EntryUsage } from "../../format/usage.ts";
import { type DigestColumns, ENDED, HAS, type PlacedDigest } from "./digest-columns.ts";

/** Takes digests out of columns again, in the order in which they were put in. */
export class DigestUnpacker {
  readonly #columns: DigestColumns;
  #row = 0;
  #number = 0;
  #code = 0;
  #text = 0;
  #usageNumber = 0;
  #usageCode = 0;
  #lastId: string | null = null;

  constructor(columns: DigestColumns) {
    this.#columns = columns;
  }

  next(): PlacedDigest {
    const offset = this.#nextNumber();
    const length = this.#nextNumber();
    const timestamp = orNull(this.#nextNumber());
    const activityAt = orNull(this.#nextNumber());
    const ranMs = orNull(this.#nextNumber());
    const flags = this.#nextCode();
    const callCount = this.#nextCode();
    const facts = this.#facts(flags, timestamp);
    const digest: EntryDigest = {
      facts,
      spoken: this.#columns.spoken[this.#row] ?? "",
      activityAt,
      irregular: (flags & HAS.irregular) !== 0,
      given: this.#textIf(flags & HAS.given),
      answers: this.#textIf(flags & HAS.answer),
      ranMs,
      calls: this.#calls(callCount),
      nested: flags & HAS.nested ? this.#nested() : NO_CALLS,
      usage: flags & HAS.usage ? this.#usage((flags & HAS.flaw) !== 0) : null,
    };
    this.#row++;
    return { digest, offset, length };
  }

  #facts(flags: number, timestamp: number | null): EntryFacts {
    const id = this.#nextText();
    const facts: EntryFacts = {
      id,
      parentId: flags & HAS.afterLast ? this.#lastId : this.#nextText(),
      type: this.#nextWord() ?? "",
      role: this.#nextWord(),
      timestamp,
      provider: this.#nextWord(),
      model: this.#nextWord(),
      toolName: this.#nextWord(),
      isError: (flags & HAS.error) !== 0,
      customType: this.#nextWord(),
      targetId: this.#textIf(flags & HAS.target),
      hasImage: (flags & HAS.image) !== 0,
      preview: this.#columns.previews[this.#row] ?? "",
    };
    this.#lastId = id;
    return facts;
  }

  #calls(count: number): readonly ToolCallFacts[] {
    if (count === 0) return NO_CALLS;
    const calls: ToolCallFacts[] = [];
    for (let call = 0; call < count; call++) {
      calls.push({ callId: this.#nextText() ?? "", name: this.#nextText() ?? "", path: this.#nextText() });
    }
    return calls;
  }

  #nested(): NestedCallFacts[] {
    return Array.from({ length: this.#nextNumber() }, () => {
      const call = { callId: this.#nextText() ?? "", name: this.#nextText() ?? "", path: this.#nextText() };
      const ended = this.#nextCode();
      const isError = ended === ENDED.never ? null : ended === ENDED.failed;
      return { ...call, isError, durationMs: orNull(this.#nextNumber()) };
    });
  }

  #usage(flawed: boolean): EntryUsage {
    return {
      input: this.#nextSpent(),
      output: this.#nextSpent(),
      cacheRead: this.#nextSpent(),
      cacheWrite: this.#nextSpent(),
      cacheWrite1h: this.#nextSpent(),
      reasoning: this.#nextSpent(),
      totalTokens: this.#nextSpent(),
      costInput: this.#nextSpent(),
      costOutput: this.#nextSpent(),
      costCacheRead: this.#nextSpent(),
      costCacheWrite: this.#nextSpent(),
      cost: this.#nextSpent(),
      flawed,
      source: this.#nextUsageWord() ?? "",
      provider: this.#nextUsageWord(),
      model: this.#nextUsageWord(),
      stopReason: this.#nextUsageWord(),
    };
  }

  #nextNumber(): number {
    return this.#columns.numbers[this.#number++] ?? Number.NaN;
  }

  #nextCode(): number {
    return this.#columns.codes[this.#code++] ?? 0;
  }

  #nextWord(): string | null {
    return this.#columns.words[this.#nextCode()] ?? null;
  }

  #nextText(): string | null {
    return this.#columns.texts[this.#text++] ?? null;
  }

  #textIf(flag: number): string | null {
    return flag === 0 ? null : this.#nextText();
  }

  #nextSpent(): number {
    return this.#columns.usageNumbers[this.#usageNumber++] ?? 0;
  }

  #nextUsageWord(): string | null {
    return this.#columns.words[this.#columns.usageCodes[this.#usageCode++] ?? 0] ?? null;
  }
}

function orNull(number: number): number | null {
  return Number.isNaN(number) ? null : number;
}
