import type { Index } from "../store/open.ts";
import { prepared } from "../store/statements.ts";
import type { EntryNode } from "../store/tables/entry-nodes.ts";

/** What somebody asked, on whichever branch. `preview` is as it stands in the index. */
export type Prompt = Pick<EntryNode, "line" | "place" | "preview">;

const PROMPTS = `SELECT line, preview, place, together FROM (
    SELECT e.key, e.line, e.preview, k.role, row_number() OVER (PARTITION BY e.line ORDER BY e.key) AS place,
      count(*) OVER (PARTITION BY e.line) AS together
    FROM entries e CROSS JOIN entry_kinds k ON k.id = e.kind WHERE e.file_id = ?)
  WHERE role = 'user' ORDER BY key`;

/** The prompts of a session, in the order of its file, without reading its other entries. */
export function readPrompts(index: Index, fileId: number): Prompt[] {
  const rows = prepared(index.database, PROMPTS).all(fileId) as (Required<Prompt> & { together: number })[];
  return rows.map(({ line, preview, place, together }) => ({
    line,
    preview,
    ...(together > 1 && { place }),
  }));
}
