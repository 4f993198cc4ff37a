import { isUtf8 } from "node:buffer";
import { FieldFinder } from "./field-finder.ts";
import { KIND, type LineTape } from "./line-tape.ts";
import { parseLongLine } from "./parse-long.ts";
import { searchableTexts, type TextLimits } from "./searchable.ts";
import { idAt, repeatedAt, valueAt } from "./tape-values.ts";
import { textPlaces } from "./text-places.ts";
import { type ExpectedEntry, expectedEntry } from "./upgrade.ts";

const IDENTITY = { type: 0, id: 1 };
const IDENTITY_FIELDS = new FieldFinder(IDENTITY);

/** With what a line is read, and how far. */
export interface TextReading {
  /** It holds the line afterwards. */
  tape: LineTape;
  limits: TextLimits;
}

/**
 * The texts of an entry that search looks into, as `searchableTexts` gives them, from its line; null where that holds
 * another entry. Mostly they are found where they stand, and nothing else of the line is made a value.
 */
export function textsIn(line: Buffer, wanted: ExpectedEntry, { tape, limits }: TextReading): string[] | null {
  const places = placesIn(line, wanted, tape);
  if (places !== null) return places.map((place) => wellFormedAt(tape, place));
  const entry = expectedEntry(line, wanted, (bytes) => parseLongLine(bytes, tape, limits.text));
  return entry && searchableTexts(entry, limits);
}

/** Half of a character can only be written by its number: the bytes are known to be valid. */
function wellFormedAt(tape: LineTape, place: number): string {
  const text = String(valueAt(tape, place));
  return tape.kindAt(place) === KIND.numbered ? text.toWellFormed() : text;
}

/** Where they stand, as `textPlaces` gives it; null where the line has to be parsed. */
export function placesIn(
  line: Buffer,
  { version, type, entryId }: ExpectedEntry,
  tape: LineTape,
): readonly number[] | null {
  // Invalid bytes become other characters.
  if (!isUtf8(line) || !tape.scan(line)) return null;
  const places = IDENTITY_FIELDS.placesIn(tape, 0);
  // Version 1 has no ids.
  const isSame = version < 2 || idAt(tape, places[IDENTITY.id]) === entryId;
  return isSame && repeatedAt(tape, places[IDENTITY.type]) === type ? textPlaces(tape) : null;
}
