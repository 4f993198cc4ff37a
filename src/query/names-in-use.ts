import type { Index } from "../db/open.ts";

/** From the smallest tables that tell it: as fast in a large index as in a small one, or nearly. */
const NAMES = {
  models: "SELECT DISTINCT model FROM usage_quarters ORDER BY 1",
  providers: "SELECT DISTINCT provider FROM usage_quarters ORDER BY 1",
  tools: "SELECT DISTINCT name FROM tool_calls ORDER BY 1",
  labels: "SELECT DISTINCT label FROM labels ORDER BY 1",
};

/** Models and providers that were paid, tools that were called, labels that entries carry, each in order. */
export function namesInUse(index: Index, kind: keyof typeof NAMES): string[] {
  return index.database.prepare(NAMES[kind]).pluck().all() as string[];
}
