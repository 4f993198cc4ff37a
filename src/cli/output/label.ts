import { oneLine } from "./sanitise.ts";
import { cut } from "./width.ts";

/** A space and two brackets. */
const FRAME = 3;
/** A label of which less could be read is left out. */
const LEAST = 3;

/** A label in brackets, behind a line with so many columns left. */
export function shownLabel(label: string, room: number): string {
  return label === "" || room < FRAME + LEAST ? "" : ` [${cut(oneLine(label), room - FRAME)}]`;
}
