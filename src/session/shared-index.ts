import { indexIn } from "../config/config.ts";
import { defaultAgentDir } from "../config/pi.ts";
import { isSqliteError, isSystemError, SessionDbError } from "../errors.ts";
import { statFile } from "../files/stat.ts";
import type { IndexLocation } from "../store/location.ts";
import { type Index, openIndex } from "../store/open.ts";

/** How long to wait for a locked index before the file is read instead: a program that embeds pi is waiting. */
const BUSY_TIMEOUT_MS = 50;

interface Shared {
  index: Index;
  /** Identifies the file: the index may be deleted and made anew at any moment. */
  inode: number;
}

/**
 * One read-only connection for all sessions of this process: pi's `SessionManager` has no `close`, and a
 * connection for each would use up the descriptors of a program that opens many.
 */
const shared = new Map<string, Shared>();

/** The index beside pi's sessions; null when there is none or it cannot be read now, for whatever reason. */
export function sharedIndex(location: IndexLocation = defaultIndexLocation()): Index | null {
  try {
    const stat = statFile(location.indexPath);
    if (stat === null) return null;
    const known = shared.get(location.indexPath);
    // If a newer program has taken it over meanwhile, opening it again fails.
    const isSame = known?.inode === stat.inode && known.index.isCurrent();
    return isSame ? known.index : share(location, stat.inode);
  } catch (error) {
    if (error instanceof SessionDbError || isSqliteError(error) || isSystemError(error)) return null;
    throw error;
  }
}

function share(location: IndexLocation, inode: number): Index {
  const index = openIndex(location, { readonly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  // The earlier one is not closed: sessions that were opened through it may still read from it.
  shared.set(location.indexPath, { index, inode });
  return index;
}

export function defaultIndexLocation(): IndexLocation {
  return indexIn(defaultAgentDir());
}
