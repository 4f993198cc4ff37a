import type { Index } from "../store/open.ts";
import { namesWithin } from "./names-within.ts";

/** Read from the smallest tables that hold them: nearly as fast in a large index as in a small one. */
const NAMES = {
  models: (where: string) => `SELECT DISTINCT model FROM usage_quarters ${where}`,
  providers: (where: string) => `SELECT DISTINCT provider FROM usage_quarters ${where}`,
  tools: (where: string) => `SELECT DISTINCT name FROM tool_calls ${where}`,
  labels: (where: string) => `SELECT DISTINCT label FROM labels ${where}`,
};

/**
 * Models and providers that were paid, tools that were called, labels that entries carry, each in order, in sessions
 * below the roots.
 */
export function namesInUse(
  { database }: Index,
  kind: keyof typeof NAMES,
  roots: string[] | undefined,
): string[] {
  return namesWithin(database, roots, NAMES[kind]);
}
