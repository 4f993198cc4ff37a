import { Cleaner, type Exported } from "../render/exported-session.ts";
import type { Session } from "../reports/answers.ts";
import type { Index } from "../store/open.ts";
import { inOneState } from "../store/statements.ts";
import { assertFileReadable } from "../store/tables/entry-bodies.ts";
import { readSessionNodes } from "../store/tables/entry-nodes.ts";
import type { SessionRef } from "../store/tables/session-ref.ts";
import { entryCosts } from "../store/tables/usage-rows.ts";

export interface ExportOptions {
  reveal: boolean;
  timezone: string;
  home: string;
}

/**
 * A session, ready to be written in any format.
 *
 * @param branch names an entry: the branch it is on is exported alone
 * @throws SessionDbError `io` where its file cannot be read; `not_found`, `ambiguous` for `branch`
 */
export function readExported(
  index: Index,
  { ref, session }: { ref: SessionRef; session: Session },
  { branch, reveal, timezone, home }: ExportOptions & { branch?: string | undefined },
): Exported {
  assertFileReadable(ref);
  return inOneState(index.database, () => {
    const nodes = readSessionNodes(index, ref);
    return {
      session,
      realPath: ref.realPath,
      nodes,
      branch: branch === undefined ? undefined : nodes.named(branch),
      costs: entryCosts(index, ref),
      clean: new Cleaner({ reveal }),
      timezone,
      home,
    };
  });
}
