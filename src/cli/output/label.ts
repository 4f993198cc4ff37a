import { oneLine } from "../../text/sanitise.ts";
import { cut } from "../../text/width.ts";

/** Columns of a space and two brackets. */
const FRAME = 3;
/** In columns: a label with less room is left out. */
const LEAST = 3;

/** A label in brackets, for the end of a line with `room` columns left. */
export function shownLabel(label: string, room: number): string {
  return label === "" || room < FRAME + LEAST ? "" : ` [${cut(oneLine(label), room - FRAME)}]`;
}
