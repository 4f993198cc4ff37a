import { isUtf8 } from "node:buffer";
import { INDEXED, searchableTexts, type TextLimits } from "../searchable.ts";
import { type ExpectedEntry, expectedEntry } from "../upgrade.ts";
import { FieldFinder } from "./field-finder.ts";
import { parseLongLine } from "./parse-long.ts";
import { type Tape, ValueType } from "./tape.ts";
import { idAt, repeatedAt, valueAt } from "./tape-values.ts";

/** How many fields an object of arguments may have; one with more is left to be parsed. */
const MOST_FIELDS = 24;
const [ZERO, NINE] = [0x30, 0x39];
/** The most characters that JavaScript writes for a number, however the line has it. */
const LONGEST_NUMBER = 25;

/** The places found in the current line. */
const FOUND: number[] = [];

const ENTRY = { type: 0, message: 1, content: 2, replacement: 3, summary: 4, label: 5, name: 6, note: 7 };
const ENTRY_FIELDS = new FieldFinder(ENTRY);

/**
 * The places on the tape of the texts that `searchableTexts` gives for the line's entry, in its order: texts and numbers,
 * none of them empty. Null where places cannot say it: where a text would be cut or put together of several, or where
 * an object of arguments has many fields. Texts that are read where they stand leave nothing else to be collected.
 *
 * The list is valid until the next call.
 */
export function textPlaces(tape: Tape): readonly number[] | null {
  FOUND.length = 0;
  return addEntry(tape) ? FOUND : null;
}

/** As the functions below: adds places to `FOUND`; false for an entry that has to be parsed. */
function addEntry(tape: Tape): boolean {
  const places = ENTRY_FIELDS.placesIn(tape, 0);
  switch (repeatedAt(tape, places[ENTRY.type])) {
    case "message":
      return addMessage(tape, places[ENTRY.message]);
    case "custom_message":
      return addContent(tape, places[ENTRY.content]);
    case "context_edit":
      return addReplacement(tape, places[ENTRY.replacement]);
    case "compaction":
    case "branch_summary":
      return addText(tape, places[ENTRY.summary]);
    case "label":
      return addText(tape, places[ENTRY.label]);
    case "session_info":
      return addText(tape, places[ENTRY.name]);
    case "usage":
      return addText(tape, places[ENTRY.note]);
    default:
      return true;
  }
}

const MESSAGE = {
  ...{ role: 0, content: 1, errorMessage: 2, toolName: 3, command: 4, output: 5, summary: 6 },
  nestedCalls: 7,
};
const MESSAGE_FIELDS = new FieldFinder(MESSAGE);

function addMessage(tape: Tape, message = 0): boolean {
  if (tape.typeAt(message) !== ValueType.object || message === 0) return true;
  const places = MESSAGE_FIELDS.placesIn(tape, message);
  switch (repeatedAt(tape, places[MESSAGE.role])) {
    case "assistant":
      return addAnswer(tape, places[MESSAGE.content]) && addText(tape, places[MESSAGE.errorMessage]);
    case "toolResult":
      // Few results have nested calls; those are left to be parsed.
      if (places[MESSAGE.nestedCalls]) return false;
      return addText(tape, places[MESSAGE.toolName]) && addOutput(tape, places[MESSAGE.content]);
    case "bashExecution":
      return addText(tape, places[MESSAGE.command]) && addText(tape, places[MESSAGE.output], INDEXED.output);
    case "branchSummary":
    case "compactionSummary":
      return addText(tape, places[MESSAGE.summary]);
    case "system":
      return true;
    default:
      return addContent(tape, places[MESSAGE.content]);
  }
}

const REPLACEMENT = { content: 0 };
const REPLACEMENT_FIELDS = new FieldFinder(REPLACEMENT);

function addReplacement(tape: Tape, replacement = 0): boolean {
  if (tape.typeAt(replacement) !== ValueType.object || replacement === 0) return true;
  const places = REPLACEMENT_FIELDS.placesIn(tape, replacement);
  return addContent(tape, places[REPLACEMENT.content]);
}

const BLOCK = { type: 0, text: 1, thinking: 2, name: 3, arguments: 4, argumentsError: 5 };
const BLOCK_FIELDS = new FieldFinder(BLOCK);

/** A text, or blocks that each have one, whatever type of block they say they are. */
function addContent(tape: Tape, content = 0): boolean {
  return addBlocks(tape, content, (block) => {
    const places = BLOCK_FIELDS.placesIn(tape, block);
    return addText(tape, places[BLOCK.text]);
  });
}

/** The output of a tool is one text, even if it came in several blocks. */
function addOutput(tape: Tape, content = 0): boolean {
  let count = 0;
  return addBlocks(
    tape,
    content,
    (block) => {
      const places = BLOCK_FIELDS.placesIn(tape, block);
      if (repeatedAt(tape, places[BLOCK.type]) !== "text" || !isText(tape, places[BLOCK.text])) return true;
      return ++count === 1 && addText(tape, places[BLOCK.text], INDEXED.output);
    },
    INDEXED.output,
  );
}

function addAnswer(tape: Tape, content = 0): boolean {
  return addBlocks(tape, content, (block) => {
    const places = BLOCK_FIELDS.placesIn(tape, block);
    switch (repeatedAt(tape, places[BLOCK.type])) {
      case "text":
        return addText(tape, places[BLOCK.text]);
      case "thinking":
        return addText(tape, places[BLOCK.thinking]);
      case "toolCall":
        return (
          addText(tape, places[BLOCK.name]) &&
          addArguments(tape, places[BLOCK.arguments]) &&
          addText(tape, places[BLOCK.argumentsError])
        );
      default:
        return true;
    }
  });
}

/** @param most the most bytes that `content` may have where it is a text */
function addBlocks(
  tape: Tape,
  content: number,
  add: (block: number) => boolean,
  most: number = INDEXED.text,
): boolean {
  if (content === 0 || tape.typeAt(content) !== ValueType.list) return addText(tape, content, most);
  for (let at = tape.within(content); at < tape.after(content); at = tape.after(at)) {
    if (tape.typeAt(at) === ValueType.object && !add(at)) return false;
  }
  return true;
}

function addArguments(tape: Tape, value = 0): boolean {
  if (value === 0) return true;
  const before = FOUND.length;
  if (!addValues(tape, value)) return false;
  let length = 0;
  for (let at = before; at < FOUND.length; at++) length += lengthAt(tape, FOUND[at]);
  return length <= INDEXED.callArguments;
}

/** Texts and numbers in a tool call's arguments. */
function addValues(tape: Tape, value: number): boolean {
  switch (tape.typeAt(value)) {
    case ValueType.list:
      for (let at = tape.within(value); at < tape.after(value); at = tape.after(at)) {
        if (!addValues(tape, at)) return false;
      }
      return true;
    case ValueType.object:
      return addFields(tape, value);
    case ValueType.number:
      FOUND.push(value);
      return true;
    default:
      return addText(tape, value);
  }
}

/** Fields in the order of the line: `JSON.parse` has another one where names are numbers, or where two are the same. */
function addFields(tape: Tape, object: number): boolean {
  let count = 0;
  for (let name = tape.within(object); name < tape.after(object); ) {
    if (++count > MOST_FIELDS || !isPlainName(tape, name) || stoodBefore(tape, object, name)) return false;
    const value = tape.after(name);
    if (!addValues(tape, value)) return false;
    name = tape.after(value);
  }
  return true;
}

function isPlainName(tape: Tape, name: number): boolean {
  const first = tape.line[tape.startAt(name)] ?? 0;
  return tape.typeAt(name) === ValueType.text && (first < ZERO || first > NINE);
}

/** Whether an earlier field of the object has the same name. */
function stoodBefore(tape: Tape, object: number, name: number): boolean {
  for (let other = tape.within(object); other < name; other = tape.after(tape.after(other))) {
    if (areSameTexts(tape, other, name)) return true;
  }
  return false;
}

function areSameTexts(tape: Tape, one: number, other: number): boolean {
  const length = lengthAt(tape, one);
  if (length !== lengthAt(tape, other)) return false;
  const [start, otherStart] = [tape.startAt(one), tape.startAt(other)];
  for (let at = 0; at < length; at++) if (tape.line[start + at] !== tape.line[otherStart + at]) return false;
  return true;
}

/** Adds a text; a value that is none is passed over. */
function addText(tape: Tape, place = 0, most: number = INDEXED.text): boolean {
  if (!isText(tape, place)) return true;
  const length = lengthAt(tape, place);
  if (length > 0) FOUND.push(place);
  return length <= most;
}

function isText(tape: Tape, place = 0): boolean {
  return place > 0 && tape.isTextAt(place);
}

/** In bytes: a text has at least as many of them as UTF-16 units. */
function lengthAt(tape: Tape, place = 0): number {
  return tape.isTextAt(place) ? tape.endAt(place) - tape.startAt(place) : LONGEST_NUMBER;
}

const IDENTITY = { type: 0, id: 1 };
const IDENTITY_FIELDS = new FieldFinder(IDENTITY);

/** With what a line is read, and how far. */
export interface TextReading {
  /** It holds the line afterwards. */
  tape: Tape;
  limits: TextLimits;
}

/**
 * The texts of an entry that search looks into, as `searchableTexts` gives them, from its line; null where that holds
 * another entry. Mostly they are found where they stand, and nothing else of the line is made a value.
 */
export function textsIn(line: Buffer, wanted: ExpectedEntry, { tape, limits }: TextReading): string[] | null {
  const found = holds(line, wanted, tape) ? textsOnTape(tape) : null;
  if (found !== null) return found;
  const entry = expectedEntry(line, wanted, (bytes) => parseLongLine(bytes, tape, limits.text));
  return entry && searchableTexts(entry, limits);
}

/** The texts of the line on a tape; null where it has to be parsed. */
export function textsOnTape(tape: Tape): string[] | null {
  // Invalid bytes become other characters.
  if (!isUtf8(tape.line)) return null;
  return textPlaces(tape)?.map((place) => wellFormedAt(tape, place)) ?? null;
}

/** Half of a character can only be written by its number: the bytes are known to be valid. */
function wellFormedAt(tape: Tape, place: number): string {
  const text = String(valueAt(tape, place));
  return tape.typeAt(place) === ValueType.numbered ? text.toWellFormed() : text;
}

/** Whether a line is plainly that of an entry; then it is on the tape. */
function holds(line: Buffer, { version, type, entryId }: ExpectedEntry, tape: Tape): boolean {
  if (!tape.scan(line)) return false;
  const places = IDENTITY_FIELDS.placesIn(tape, 0);
  // Version 1 has no ids.
  const isSame = version < 2 || idAt(tape, places[IDENTITY.id]) === entryId;
  return isSame && repeatedAt(tape, places[IDENTITY.type]) === type;
}
