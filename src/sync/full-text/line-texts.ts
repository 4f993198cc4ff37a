import { isUtf8 } from "node:buffer";
import { FieldFinder } from "../../format/field-finder.ts";
import { textsToIndex } from "../../format/indexed-text.ts";
import type { LineTape } from "../../format/line-tape.ts";
import { idAt, repeatedAt, valueAt } from "../../format/tape-values.ts";
import { textPlaces } from "../../format/text-places.ts";
import { type ExpectedEntry, expectedEntry } from "../../format/upgrade.ts";

const IDENTITY = { type: 0, id: 1 };
const IDENTITY_FIELDS = new FieldFinder(IDENTITY);

/** The texts in an entry's line that go into the full text, not yet respelt. None where the line holds another entry. */
export function textsIn(line: Buffer, wanted: ExpectedEntry, tape: LineTape): string[] {
  const places = placesIn(line, wanted, tape);
  if (places === null) return parsedTexts(line, wanted);
  return places.map((place) => String(valueAt(tape, place)).toWellFormed());
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

export function parsedTexts(line: Buffer, wanted: ExpectedEntry): string[] {
  const entry = expectedEntry(line, wanted);
  return entry === null ? [] : textsToIndex(entry);
}
