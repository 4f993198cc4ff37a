import { PATH_ARGUMENTS } from "../entry.ts";
import { type JsonObject, type JsonValue, setField } from "../json.ts";
import { type ParsedLine, parseLine } from "../parse.ts";
import { FieldFinder } from "./field-finder.ts";
import { textsOnTape } from "./line-texts.ts";
import { Tape, ValueType } from "./tape.ts";
import { idAt, keptAt, repeatedAt, shownAt, timeAt, type Value, valueAt } from "./tape-values.ts";

const USAGE = {
  ...{ input: 0, output: 1, cacheRead: 2, cacheWrite: 3, cacheWrite1h: 4, reasoning: 5, totalTokens: 6 },
  cost: 7,
};
const USAGE_FIELDS = new FieldFinder(USAGE);

/** The fields of a usage that `usageOf` reads; a value that is no object is returned as it stands. */
function extractUsage(tape: Tape, place = 0): Value {
  if (place === 0 || tape.typeAt(place) !== ValueType.object) return valueAt(tape, place);
  const places = USAGE_FIELDS.placesIn(tape, place);
  return {
    input: valueAt(tape, places[USAGE.input]),
    output: valueAt(tape, places[USAGE.output]),
    cacheRead: valueAt(tape, places[USAGE.cacheRead]),
    cacheWrite: valueAt(tape, places[USAGE.cacheWrite]),
    cacheWrite1h: valueAt(tape, places[USAGE.cacheWrite1h]),
    reasoning: valueAt(tape, places[USAGE.reasoning]),
    totalTokens: valueAt(tape, places[USAGE.totalTokens]),
    cost: extractCost(tape, places[USAGE.cost]),
  };
}

const COST = { input: 0, output: 1, cacheRead: 2, cacheWrite: 3, total: 4, totalFromProvider: 5 };
const COST_FIELDS = new FieldFinder(COST);

function extractCost(tape: Tape, place = 0): Value {
  if (place === 0 || tape.typeAt(place) !== ValueType.object) return valueAt(tape, place);
  const places = COST_FIELDS.placesIn(tape, place);
  return {
    input: valueAt(tape, places[COST.input]),
    output: valueAt(tape, places[COST.output]),
    cacheRead: valueAt(tape, places[COST.cacheRead]),
    cacheWrite: valueAt(tape, places[COST.cacheWrite]),
    total: valueAt(tape, places[COST.total]),
    totalFromProvider: valueAt(tape, places[COST.totalFromProvider]),
  };
}

/** Reads a text: all of it, or a beginning. */
type TextAt = typeof valueAt;
/** Where the value of each field stands on the tape, by the field's number. */
type Places = readonly number[];

const TAPE = new Tape();

/** What is wanted beside the entry: the texts that search looks into; null where they have to be read by `textsIn`. */
export interface ExtractedTexts {
  texts: string[] | null;
}

/**
 * Reads a line as `parseLine` does, but an entry has only the fields that `recordOf` looks at, and only a beginning of
 * each text that is needed for nothing but a preview. Its record, once upgraded, is that of the whole entry. With the
 * record this takes two thirds of the time for lines of 2 KB, less than half for lines of 5 (`node
 * test/bench/extract-lines.mjs`).
 */
export function extractLine(bytes: Buffer, extracted?: ExtractedTexts): ParsedLine {
  const entry = TAPE.scan(bytes) ? extractEntry() : null;
  if (extracted !== undefined) extracted.texts = entry === null ? null : textsOnTape(TAPE);
  TAPE.release();
  return entry === null ? parseLine(bytes) : { kind: "entry", entry };
}

const ENTRY = {
  ...{
    type: 0,
    id: 1,
    parentId: 2,
    timestamp: 3,
    message: 4,
    provider: 5,
    model: 6,
    modelId: 7,
    customType: 8,
  },
  ...{ targetId: 9, fromId: 10, content: 11, replacement: 12, summary: 13, label: 14, name: 15 },
  ...{ thinkingLevel: 16, usage: 17, stopReason: 18, note: 19, kind: 20, details: 21 },
};
const ENTRY_FIELDS = new FieldFinder(ENTRY);

/** Null for lines that are left to `parseLine`: headers, messages that are no objects, and what tells of sub-agents. */
function extractEntry(): JsonObject | null {
  const places = ENTRY_FIELDS.placesIn(TAPE, 0);
  switch (repeatedAt(TAPE, places[ENTRY.type])) {
    case "session":
      return null;
    case "message":
      return extractMessageEntry(places);
    default:
      return tellsOfSubagents(places[ENTRY.details]) ? null : extractOtherEntry(places);
  }
}

function extractMessageEntry(places: Places): JsonObject | null {
  const place = objectOf(places[ENTRY.message]);
  const message = place === 0 ? null : extractMessage(place);
  if (message === null) return null;
  return {
    type: "message",
    id: idAt(TAPE, places[ENTRY.id]),
    parentId: idAt(TAPE, places[ENTRY.parentId]),
    timestamp: timeAt(TAPE, places[ENTRY.timestamp]),
    modelId: repeatedAt(TAPE, places[ENTRY.modelId]),
    targetId: idAt(TAPE, places[ENTRY.targetId]),
    fromId: idAt(TAPE, places[ENTRY.fromId]),
    message,
  };
}

function extractOtherEntry(places: Places): JsonObject {
  return {
    type: repeatedAt(TAPE, places[ENTRY.type]),
    id: idAt(TAPE, places[ENTRY.id]),
    parentId: idAt(TAPE, places[ENTRY.parentId]),
    timestamp: timeAt(TAPE, places[ENTRY.timestamp]),
    provider: repeatedAt(TAPE, places[ENTRY.provider]),
    model: repeatedAt(TAPE, places[ENTRY.model]),
    modelId: repeatedAt(TAPE, places[ENTRY.modelId]),
    customType: repeatedAt(TAPE, places[ENTRY.customType]),
    targetId: idAt(TAPE, places[ENTRY.targetId]),
    fromId: idAt(TAPE, places[ENTRY.fromId]),
    content: extractContent(places[ENTRY.content], shownAt),
    replacement: extractReplacement(places[ENTRY.replacement]),
    summary: shownAt(TAPE, places[ENTRY.summary]),
    label: valueAt(TAPE, places[ENTRY.label]),
    name: valueAt(TAPE, places[ENTRY.name]),
    thinkingLevel: repeatedAt(TAPE, places[ENTRY.thinkingLevel]),
    usage: extractUsage(TAPE, places[ENTRY.usage]),
    stopReason: repeatedAt(TAPE, places[ENTRY.stopReason]),
    note: shownAt(TAPE, places[ENTRY.note]),
    kind: repeatedAt(TAPE, places[ENTRY.kind]),
  };
}

const MESSAGE = {
  ...{ role: 0, content: 1, timestamp: 2, provider: 3, model: 4, usage: 5, stopReason: 6, errorMessage: 7 },
  ...{ toolCallId: 8, toolName: 9, isError: 10, command: 11, exitCode: 12, customType: 13, summary: 14 },
  ...{ durationMs: 15, nestedCalls: 16, details: 17, responseId: 18, thinkingLevel: 19 },
};
const MESSAGE_FIELDS = new FieldFinder(MESSAGE);

/** Null for a message whose nested calls or runs of sub-agents have to be parsed. */
function extractMessage(message: number): JsonObject | null {
  const places = MESSAGE_FIELDS.placesIn(TAPE, message);
  const role = repeatedAt(TAPE, places[MESSAGE.role]);
  const isResult = role === "toolResult";
  if (isResult && (places[MESSAGE.nestedCalls] || tellsOfSubagents(places[MESSAGE.details]))) return null;
  const isSpoken = role === "user" || role === "assistant";
  return {
    role,
    content: extractContent(places[MESSAGE.content], isSpoken ? keptAt : shownAt),
    timestamp: valueAt(TAPE, places[MESSAGE.timestamp]),
    provider: repeatedAt(TAPE, places[MESSAGE.provider]),
    model: repeatedAt(TAPE, places[MESSAGE.model]),
    usage: extractUsage(TAPE, places[MESSAGE.usage]),
    stopReason: repeatedAt(TAPE, places[MESSAGE.stopReason]),
    errorMessage: shownAt(TAPE, places[MESSAGE.errorMessage]),
    toolCallId: idAt(TAPE, places[MESSAGE.toolCallId]),
    toolName: repeatedAt(TAPE, places[MESSAGE.toolName]),
    isError: valueAt(TAPE, places[MESSAGE.isError]),
    command: shownAt(TAPE, places[MESSAGE.command]),
    exitCode: valueAt(TAPE, places[MESSAGE.exitCode]),
    customType: repeatedAt(TAPE, places[MESSAGE.customType]),
    summary: shownAt(TAPE, places[MESSAGE.summary]),
    durationMs: valueAt(TAPE, places[MESSAGE.durationMs]),
    responseId: idAt(TAPE, places[MESSAGE.responseId]),
    thinkingLevel: repeatedAt(TAPE, places[MESSAGE.thinkingLevel]),
  };
}

const DETAILS = { results: 0, completions: 1, sessionFile: 2 };
const DETAILS_FIELDS = new FieldFinder(DETAILS);

/** Whether details may list runs of sub-agents, as `subagentsOf` finds them. */
function tellsOfSubagents(place = 0): boolean {
  return objectOf(place) !== 0 && DETAILS_FIELDS.placesIn(TAPE, place).some((at) => at !== 0);
}

const REPLACEMENT = { content: 0 };
const REPLACEMENT_FIELDS = new FieldFinder(REPLACEMENT);

function extractReplacement(place = 0): Value {
  const replacement = objectOf(place);
  if (replacement === 0) return valueAt(TAPE, place);
  const places = REPLACEMENT_FIELDS.placesIn(TAPE, replacement);
  return { content: extractContent(places[REPLACEMENT.content], shownAt) };
}

function extractContent(place = 0, textAt: TextAt): Value {
  if (place === 0 || TAPE.typeAt(place) !== ValueType.list) return textAt(TAPE, place);
  const blocks: JsonValue[] = [];
  for (let at = TAPE.within(place); at < TAPE.after(place); at = TAPE.after(at)) {
    blocks.push(extractBlock(at, textAt));
  }
  return blocks;
}

const BLOCK = { type: 0, text: 1, id: 2, name: 3, arguments: 4 };
const BLOCK_FIELDS = new FieldFinder(BLOCK);

/** Null for a block that is no object: nothing reads those. */
function extractBlock(place: number, textAt: TextAt): JsonObject | null {
  if (TAPE.typeAt(place) !== ValueType.object) return null;
  const places = BLOCK_FIELDS.placesIn(TAPE, place);
  const type = repeatedAt(TAPE, places[BLOCK.type]);
  switch (type) {
    case "text":
      return { type, text: textAt(TAPE, places[BLOCK.text]) };
    case "toolCall":
      return {
        type,
        id: idAt(TAPE, places[BLOCK.id]),
        name: repeatedAt(TAPE, places[BLOCK.name]),
        arguments: extractArguments(places[BLOCK.arguments]),
      };
    default:
      return { type };
  }
}

/** All values of arguments, because a preview shows the first ones, whatever their names. */
function extractArguments(place = 0): Value {
  switch (place === 0 ? 0 : TAPE.typeAt(place)) {
    case ValueType.list:
      return extractList(place);
    case ValueType.object:
      return extractObject(place);
    default:
      return shownAt(TAPE, place);
  }
}

function extractList(list: number): JsonValue[] {
  const values: JsonValue[] = [];
  for (let at = TAPE.within(list); at < TAPE.after(list); at = TAPE.after(at)) {
    values.push(extractArguments(at) ?? null);
  }
  return values;
}

function extractObject(object: number): JsonObject {
  const values: JsonObject = {};
  for (let at = TAPE.within(object); at < TAPE.after(object); ) {
    const name = String(repeatedAt(TAPE, at));
    const place = TAPE.after(at);
    setField(values, name, PATH_ARGUMENTS.has(name) ? extractPath(place) : extractArguments(place));
    at = TAPE.after(place);
  }
  return values;
}

/** A path is kept whole. A list or an object may stand in its place. */
function extractPath(place: number): Value {
  const kind = TAPE.typeAt(place);
  return kind === ValueType.list || kind === ValueType.object
    ? extractArguments(place)
    : valueAt(TAPE, place);
}

/** The place itself; 0 where no object stands there. */
function objectOf(place = 0): number {
  return TAPE.typeAt(place) === ValueType.object ? place : 0;
}
