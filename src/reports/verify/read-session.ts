import type { JsonObject } from "../../format/json.ts";
import type { EntryRecord } from "../../format/record.ts";

/** An entry as it is read from its file. */
export interface ReadEntry {
  line: number;
  offset: number;
  length: number;
  record: EntryRecord;
  /** What it is called where it has no id. */
  givenId: string;
  /** It stands within a damaged line. */
  recovered: boolean;
  /** As version 3 has it; null for one too long to be decoded. */
  entry: JsonObject | null;
}

/** What the index has read of a file. */
export interface FileState {
  status: "session" | "not_session" | "empty";
  offset: number;
  provisionalLength: number;
  lines: number;
  malformedLines: number;
  /** Why it could not be read. */
  error: null;
}

/** What a session's entries come to, added up in the simplest way. */
export interface ReadSession {
  sessionId: string;
  cwd: string;
  version: number;
  createdAt: number | null;
  lastActivityAt: number | null;
  name: string | null;
  entryCount: number;
  messageCount: number;
  leafId: string | null;
  /** Where the entries begin: bytes of the file. */
  leafAt: number | null;
  firstMessageAt: number | null;
  irregular: boolean;
  parentSession: string | null;
  parentPath: string | null;
  /** Whether it holds what was said before it was created. */
  copied: boolean;
  lastProvider: string | null;
  lastModel: string | null;
}

/** A label an entry carries, since when, and where the file says so. */
export interface ReadLabel {
  label: string;
  timestamp: number | null;
  at: number;
}
