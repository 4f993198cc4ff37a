import { type JsonObject, type JsonValue, setField } from "../json.ts";
import { classifyObject, type ParsedLine, parseLine } from "../parse.ts";
import { longTextAt, type Tape, ValueType } from "./tape.ts";
import { valueAt } from "./tape-values.ts";

/**
 * Reads a line as `parseLine` does, but of a text longer than `most` UTF-16 units only a beginning that is longer, too. A
 * line of 60 MB with one text takes 200 MB to be parsed, in some cases more. The tape holds the line afterwards.
 */
export function parseLongLine(bytes: Buffer, tape: Tape, most: number): ParsedLine {
  if (bytes.length <= most || !tape.scan(bytes)) return parseLine(bytes);
  return classifyObject(new LongLine(tape, most).object(0));
}

/** The values of a line that has been scanned. */
class LongLine {
  readonly #tape: Tape;
  readonly #most: number;

  constructor(tape: Tape, most: number) {
    this.#tape = tape;
    this.#most = most;
  }

  object(place: number): JsonObject {
    const tape = this.#tape;
    const object: JsonObject = {};
    for (let name = tape.within(place); name < tape.after(place); ) {
      const value = tape.after(name);
      setField(object, tape.textAt(name), this.#value(value));
      name = tape.after(value);
    }
    return object;
  }

  #list(place: number): JsonValue[] {
    const tape = this.#tape;
    const list: JsonValue[] = [];
    for (let at = tape.within(place); at < tape.after(place); at = tape.after(at)) list.push(this.#value(at));
    return list;
  }

  #value(place: number): JsonValue {
    const kind = this.#tape.typeAt(place);
    if (kind === ValueType.object) return this.object(place);
    if (kind === ValueType.list) return this.#list(place);
    if (this.#tape.isTextAt(place)) return longTextAt(this.#tape, place, this.#most);
    return valueAt(this.#tape, place) ?? null;
  }
}
