import { compareTexts } from "../../runtime/collections.ts";
import type { Index } from "../../store/open.ts";
import { inOneState, prepared } from "../../store/statements.ts";
import { addTo, zeroSums } from "../../store/tables/usage-buckets.ts";
import { boundsOf } from "../usage/bounds.ts";
import { requestsOf } from "./counted-requests.ts";
import { shareOf, WasteCount } from "./waste-count.ts";
import { WasteFinder } from "./waste-finder.ts";
import type { WastefulSession, WasteOptions, WasteReport } from "./waste-shapes.ts";

/**
 * What was spent in vain: on abandoned branches, for input that had been cached, for compactions of what was summed up
 * before, and for requests that failed. Copies in forks are left out, and sub-agents stand under their session.
 *
 * @throws SQLite's errors
 */
export function findWaste(index: Index, options: WasteOptions): WasteReport {
  return inOneState(index.database, () => find(index, options));
}

function find(index: Index, options: WasteOptions): WasteReport {
  const { timezone, filter = {}, limit = 0 } = options;
  const all = new WasteCount();
  const sessions = new Map<number, WasteCount>();
  const totals = zeroSums();
  const finder = new WasteFinder(index);
  for (const request of requestsOf(index, options)) {
    addTo(totals, request);
    const wastes = finder.wastesOf(request);
    if (wastes.length === 0) continue;
    all.add(wastes);
    const ofSession = sessions.get(request.root) ?? new WasteCount();
    sessions.set(request.root, ofSession);
    ofSession.add(wastes);
  }
  const wasteful = sessionsOf(index, sessions);
  return {
    timezone,
    ...boundsOf(filter, timezone),
    rows: all.rows(totals.cost),
    wasted: { ...all.once, share: shareOf(all.once, totals.cost) },
    totals,
    sessions: limit === 0 ? wasteful : wasteful.slice(0, limit),
    sessionCount: wasteful.length,
  };
}

const SESSION = `SELECT s.session_id AS key, s.title AS label, f.path FROM sessions s JOIN files f ON f.id = s.file_id
  WHERE s.file_id = ?`;

/** The dearest first; where nothing has a price, by tokens. */
function sessionsOf(index: Index, counts: ReadonlyMap<number, WasteCount>): WastefulSession[] {
  const sessions = [...counts].map(([fileId, { once, kinds }]) => {
    const session = prepared(index.database, SESSION).get(fileId) as Pick<
      WastefulSession,
      "key" | "label" | "path"
    >;
    return { ...session, ...once, kinds };
  });
  return sessions.sort(
    (a, b) =>
      b.cost - a.cost ||
      b.totalTokens - a.totalTokens ||
      compareTexts(a.key, b.key) ||
      compareTexts(a.path, b.path),
  );
}
