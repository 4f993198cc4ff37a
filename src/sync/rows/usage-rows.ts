import type { Database, Statement } from "../../db/native.ts";
import type { EntryFacts } from "../../format/entry.ts";
import type { EntryUsage } from "../../format/usage.ts";
import type { EntryPlace } from "./rows.ts";

const INSERT = `INSERT INTO usage (entry_key, file_id, entry_id, timestamp, source, provider, model, stop_reason, input,
  output, cache_read, cache_write, cache_write_1h, reasoning, total_tokens, cost_input, cost_output, cost_cache_read,
  cost_cache_write, cost, flawed, counted)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Writes the rows of `usage`. */
export class UsageRows {
  readonly #insert: Statement;

  constructor(database: Database) {
    this.#insert = database.prepare(INSERT);
  }

  insert(
    place: EntryPlace,
    facts: Pick<EntryFacts, "id" | "timestamp">,
    usage: EntryUsage,
    counted: boolean,
  ): void {
    this.#insert.run(
      place.key,
      place.fileId,
      facts.id,
      facts.timestamp,
      usage.source,
      usage.provider,
      usage.model,
      usage.stopReason,
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
      usage.flawed ? 1 : 0,
      counted ? 1 : 0,
    );
  }
}
