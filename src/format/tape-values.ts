/** The values at places of a tape. Place 0, the line itself, stands for a field that is not there. */
import { beginningAt, longTextAt } from "./beginning.ts";
import { isoTimeAt } from "./iso-time.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { numberAt } from "./json-number.ts";
import { KIND, type LineTape } from "./line-tape.ts";
import { RepeatedTexts } from "./repeated-texts.ts";

export type Value = JsonValue | undefined;

/** Stand for lists and objects whose contents are not needed. */
const SOME_LIST: JsonValue[] = [];
const SOME_OBJECT: JsonObject = {};
Object.freeze(SOME_LIST);
Object.freeze(SOME_OBJECT);

const REPEATED = new RepeatedTexts();
/** Kept apart, because ids would drive out all other texts. */
const IDS = new RepeatedTexts();

/** The value at a place; a list or an object without what it holds. */
export function valueAt(tape: LineTape, place = 0): Value {
  switch (place === 0 ? 0 : tape.kindAt(place)) {
    case KIND.text:
    case KIND.escaped:
    case KIND.numbered:
      return tape.textAt(place);
    case KIND.number:
      return numberAt(tape.line, tape.startAt(place), tape.endAt(place));
    case KIND.true:
      return true;
    case KIND.false:
      return false;
    case KIND.null:
      return null;
    case KIND.list:
      return SOME_LIST;
    case KIND.object:
      return SOME_OBJECT;
    default:
      return undefined;
  }
}

/** The same, but a text that comes again and again is made once. */
export function repeatedAt(tape: LineTape, place = 0): Value {
  return tape.isTextAt(place) ? REPEATED.at(tape, place) : valueAt(tape, place);
}

/** The same for an id, which comes once more in the next entry, as its parent. */
export function idAt(tape: LineTape, place = 0): Value {
  return tape.isTextAt(place) ? IDS.at(tape, place) : valueAt(tape, place);
}

/** The same, but a time is given in Unix ms. */
export function timeAt(tape: LineTape, place = 0): Value {
  if (!tape.isTextAt(place)) return valueAt(tape, place);
  return isoTimeAt(tape.line, tape.startAt(place), tape.endAt(place)) ?? valueAt(tape, place);
}

/** The same, but a text that is too long to be kept is cut to a beginning that is too long, too. */
export function keptAt(tape: LineTape, place = 0): Value {
  return tape.isTextAt(place) ? longTextAt(tape, place) : valueAt(tape, place);
}

/** The same, but a long text is cut to a beginning that has the same preview. */
export function shownAt(tape: LineTape, place = 0): Value {
  return tape.isTextAt(place) ? beginningAt(tape, place) : valueAt(tape, place);
}
