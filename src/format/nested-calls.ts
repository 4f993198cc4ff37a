/**
 * Calls that a tool made of other tools while it ran, as a script does. pi notes them with the result of the first, from
 * 0.99 on: `nestedCalls` has up to 256 of them, without arguments that take more than 8 KB (or, of all, 32 KB). What a
 * script's result tells its reader, `details.calls`, has all of them, with the beginning of each one's arguments.
 */
import { blocksOf, stringsIn } from "./content.ts";
import { durationMsOf, messageOf, PATH_ARGUMENTS, pathArgument, type ToolCallFacts } from "./entry.ts";
import { isJsonObject, type JsonObject, objectAt, stringOrNull } from "./json.ts";
import { parseJson } from "./parse.ts";

export interface NestedCall {
  id: string;
  name: string;
  /** Null where they were not kept. */
  args: JsonObject | null;
  /** Then how their JSON begins, if that was kept. */
  beginning: string | null;
  /** Null for one that was still running when the first had finished. */
  isError: boolean | null;
  /** Milliseconds; null where nobody has measured them. */
  durationMs: number | null;
  error: string | null;
}

/** What the index keeps of one. */
export interface NestedCallFacts extends ToolCallFacts {
  isError: boolean | null;
  durationMs: number | null;
}

/** The calls of other tools that went into a tool result, in order. */
export function nestedCallsOf(entry: JsonObject): NestedCallFacts[] {
  const message = messageOf(entry);
  return message === null ? [] : nestedCallsIn(message).map(factsOf);
}

/** The same in full. */
export function nestedCallsIn(message: JsonObject): NestedCall[] {
  const nested = message.role === "toolResult" ? objectAt(message, "nestedCalls") : null;
  if (nested === null) return [];
  const noted = blocksOf(nested.calls);
  const told = blocksOf(objectAt(message, "details")?.calls);
  const beginnings = new Map(told.map(({ id, args }) => [id, stringOrNull(args)]));
  const known = new Set(noted.map(({ id }) => id));
  const rest = told.filter(
    ({ id, name }) => typeof id === "string" && typeof name === "string" && !known.has(id),
  );
  return [...noted, ...rest].map((call) => callOf(call, beginnings.get(call.id) ?? null));
}

function callOf(call: JsonObject, beginning: string | null): NestedCall {
  const args = isJsonObject(call.arguments) ? call.arguments : null;
  return {
    id: stringOrNull(call.id) ?? "",
    name: stringOrNull(call.name) ?? "",
    args,
    beginning: args === null ? beginning : null,
    isError: call.status === "ok" || call.status === "error" ? call.status === "error" : null,
    durationMs: durationMsOf(call.durationMs),
    error: stringOrNull(call.error),
  };
}

function factsOf({ id, name, args, beginning, isError, durationMs }: NestedCall): NestedCallFacts {
  const path = args === null ? pathIn(beginning ?? "") : pathArgument(args);
  return { callId: id, name, path, isError, durationMs };
}

/** A path among arguments of which there is only a beginning, if all of it is there. */
function pathIn(beginning: string): string | null {
  const [, , written] = PATH_FIELD.exec(beginning) ?? [];
  return written === undefined ? null : stringOrNull(parseJson(written));
}

const PATH_FIELD = new RegExp(`[{,]\\s*"(${[...PATH_ARGUMENTS].join("|")})"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`);

/** Texts and numbers it was called with, without the names of the arguments; as far as they were kept. */
export function argumentTexts({ args, beginning }: NestedCall, limit: number): string[] {
  if (args !== null || beginning === null) return stringsIn(args ?? undefined, limit);
  return [beginning.replaceAll(ESCAPED, (_, sign: string) => SIGNS[sign] ?? sign).slice(0, limit)];
}

const ESCAPED = /\\(.)/gs;
const SIGNS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: " ", f: " " };
