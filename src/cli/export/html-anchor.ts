import { isArrayFileName } from "../../file/names.ts";
import type { EntryNode } from "../../store/tables/entry-nodes.ts";

/** What an entry is linked to by within a page: its line or, as an array may stand on one, its first byte. */
export function anchorOf({ realPath, line, offset }: EntryNode): string {
  return isArrayFileName(realPath) ? `B${offset}` : `L${line}`;
}
