/**
 * Calls of other tools that a tool made while it ran, as a script does. pi notes them in the result of that tool, from
 * 0.99 on: `nestedCalls` has up to 256 of them, without arguments that take more than 8 KB (or 32 KB for all together).
 * The `details.calls` of a script's result has all of them, with the beginning of each one's arguments.
 */
import { blocksOf, stringsIn } from "./content.ts";
import { durationMsOf, messageIn, PATH_ARGUMENTS, pathArgument, type ToolCallAttributes } from "./entry.ts";
import { isJsonObject, type JsonObject, objectAt, stringOrNull } from "./json.ts";
import { parseJson } from "./parse.ts";

export interface NestedCall {
  id: string;
  name: string;
  /** Null where they were not kept. */
  args: JsonObject | null;
  /** Where `args` is null, how their JSON begins; null if that was not kept either. */
  beginning: string | null;
  /** Null for a call that was still running when the tool that made it had finished. */
  isError: boolean | null;
  /** Milliseconds; null where they were not measured. */
  durationMs: number | null;
  error: string | null;
}

/** What the index keeps of a nested call. */
export interface NestedCallAttributes extends ToolCallAttributes {
  isError: boolean | null;
  durationMs: number | null;
}

/** The nested calls of a tool result, in order: what the index keeps of them. */
export function nestedCallsOf(entry: JsonObject): NestedCallAttributes[] {
  const message = messageIn(entry);
  return message === null ? [] : nestedCallsIn(message).map(attributesOf);
}

/** The nested calls of a tool result in full; none for other messages. */
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

function attributesOf({ id, name, args, beginning, isError, durationMs }: NestedCall): NestedCallAttributes {
  const path = args === null ? pathIn(beginning ?? "") : pathArgument(args);
  return { callId: id, name, path, isError, durationMs };
}

/** A path in the beginning of arguments; null unless the path is there as a whole. */
function pathIn(beginning: string): string | null {
  const [, , written] = PATH_FIELD.exec(beginning) ?? [];
  return written === undefined ? null : stringOrNull(parseJson(written));
}

// The text goes on after each escape: an expression that goes on after each character fails at some megabytes.
const PATH_FIELD = new RegExp(
  `[{,]\\s*"(${[...PATH_ARGUMENTS].join("|")})"\\s*:\\s*("[^"\\\\]*(?:\\\\.[^"\\\\]*)*")`,
);

/** The texts and numbers of a call's arguments, without the arguments' names, as far as they were kept. */
export function argumentTexts({ args, beginning }: NestedCall, limit: number): string[] {
  if (args !== null || beginning === null) return stringsIn(args ?? undefined, limit);
  return [beginning.replaceAll(ESCAPED, (_, sign: string) => SIGNS[sign] ?? sign).slice(0, limit)];
}

const ESCAPED = /\\(.)/gs;
const SIGNS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: " ", f: " " };
