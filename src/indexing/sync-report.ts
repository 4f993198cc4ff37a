/** The shapes of what a sync answers, in the library and in `--json`, key for key. */

/** What a sync did. */
export interface SyncReport {
  files: {
    /**
     * Below the roots. Each is in one of the other counts but `removed`; in none where it is still to be read, because
     * the sync is not complete.
     */
    seen: number;
    /** What the index has of them stays as it was. */
    unchanged: number;
    /** New sessions, and those of which something was taken in or out. */
    indexed: number;
    /** Taken out of the index: gone, or excluded. They are not among those seen. */
    removed: number;
    /** New or changed, and without a session in them. The next time they are unchanged. */
    notSessions: number;
    /** Could not be read, or not be taken in; what the index has of them stays. */
    failed: number;
  };
  entries: { added: number; malformed: number };
  bytesRead: number;
  durationMs: number;
}

/** A file the last sync could not take in whole, and why. */
export interface FileTrouble {
  path: string;
  /** `unreadable` and `failed` name an error code in `detail`; `malformed` says how many lines. */
  kind: "unreadable" | "failed" | "malformed" | "not_session" | "vanished";
  detail: string;
}
