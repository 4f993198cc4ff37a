import { onTestFinished } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { type Index, openIndex } from "../../src/store/open.ts";
import { indexIn } from "../helpers/open-index.ts";
import type { SessionBuilder } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** An index of the sessions below roots, rows and full text, open to the end of the running test. */
export function indexOf(...roots: string[]): Index {
  const index = openIndex(indexIn(tempDir()));
  onTestFinished(() => index.close());
  syncAll(index, roots);
  feedSearch(index);
  return index;
}

/** The same of these sessions, each in the place pi would give it. */
export function indexOfSessions(...sessions: SessionBuilder[]): Index {
  const root = tempDir();
  for (const session of sessions) session.writeBelow(root);
  return indexOf(root);
}
