import { fateOf } from "../../indexing/missing-files.ts";
import type { Due, LookAround } from "../../indexing/scan.ts";
import type { Finding } from "../../query/finding.ts";
import type { Index } from "../../store/open.ts";
import { loadCursor } from "../../store/tables/cursors.ts";
import { plural } from "../../text/numbers.ts";

/** Whether the index knows the session files as they are now: what else is said of them comes from the index. */
export function checkUnread(index: Index, look: LookAround, roots: readonly string[]): Finding[] {
  const { gone } = fateOf(look, roots);
  const unread = look.survey.due.filter((due) => isOther(index, due)).length + gone.length;
  if (unread === 0) return [];
  const [is, has] = unread === 1 ? ["is", "has"] : ["are", "have"];
  return [
    {
      level: "note",
      what: `${plural(unread, "session file")} ${is} new, ${has} changed or ${is} gone since the index was brought up to date: what is listed here about session files is as of then`,
      where: "",
      remedy: "Run sessiondb sync, then sessiondb doctor again",
    },
  ];
}

/** A file that was read the moment it was written has to be read again, and is most often the same. */
function isOther({ database }: Index, { realPath, mtimeMs }: Due): boolean {
  return loadCursor(database, realPath)?.stat.mtimeMs !== mtimeMs;
}
