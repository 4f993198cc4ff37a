import { isWithin } from "../../files/session-path.ts";
import { fateOf } from "../../indexing/missing-files.ts";
import type { LookAround } from "../../indexing/scan.ts";
import type { Finding } from "../../query/finding.ts";
import { groupedBy } from "../../query/grouped.ts";
import { formatCount } from "../../text/numbers.ts";

/** Session files that are gone, and of which the index keeps what it has: as when a disk is missing. */
export function checkVanished(look: LookAround, roots: readonly string[]): Finding[] {
  const { vanished } = fateOf(look, roots);
  return [...groupedBy(vanished, ({ path }) => outermost(roots, path))].map(([root, files]) => {
    const what = `${formatCount(files.length)} session files are gone, most of the folder at once; they are still part of every answer`;
    return { level: "warning", what, where: root, remedy: BRING_BACK };
  });
}

const BRING_BACK =
  "Bring the folder back, or mount its disk; if they were deleted, sessiondb sync --rebuild removes them from the index";

/** Of roots that lie in each other, the one that all of a file's are in. */
function outermost(roots: readonly string[], path: string): string {
  return roots.filter((root) => isWithin(root, path)).toSorted((a, b) => a.length - b.length)[0] ?? path;
}
