import type { Index } from "../../db/open.ts";
import { isWithin } from "../../file/names.ts";
import { fateOf } from "../../sync/disappearance.ts";
import { lookAround } from "../../sync/survey.ts";
import type { Context } from "../command.ts";
import { isExcludedBy } from "../exclusions.ts";
import { formatCount } from "../output/numbers.ts";
import type { Finding } from "./finding.ts";

/** Session files that are gone, and of which the index keeps what it has: as when a disk is missing. */
export function checkVanished({ config }: Context, index: Index): Finding[] {
  const { roots } = config;
  const look = lookAround(index.database, roots, { isExcluded: isExcludedBy(config) });
  const { vanished } = fateOf(look, roots);
  return roots.flatMap((root) => {
    const count = vanished.filter(({ path }) => isWithin(root, path)).length;
    if (count === 0) return [];
    const what = `${formatCount(count)} session files, most of the folder, are gone, and still part of every answer`;
    return [{ level: "warning", what, where: root, remedy: BRING_BACK }];
  });
}

const BRING_BACK =
  "Bring the folder back, or mount its disk; if they were deleted, sessiondb sync --rebuild forgets them";
