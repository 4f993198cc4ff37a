import { SessionDbError } from "../errors.ts";
import { INDEXED } from "../format/searchable.ts";
import { textsIn } from "../format/tape/line-texts.ts";
import { Tape } from "../format/tape/tape.ts";
import { readRun, runFrom, type WantedEntry } from "../search/feed/pending.ts";
import type { Database } from "../store/native.ts";
import { prepared } from "../store/statements.ts";
import { loadCursor } from "../store/tables/cursors.ts";
import { maskSecrets } from "../text/secrets.ts";
import type { ReadTexts, TextRow } from "./push-pieces.ts";
import type { PushableFile } from "./push-plan.ts";
import { toVectors } from "./words.ts";

const ENTRIES = `SELECT key, offset, length, entry_id AS entryId, timestamp, type, role, tool_name AS toolName
  FROM entries WHERE file_id = ? AND offset >= ? ORDER BY key`;

type Entry = WantedEntry & { role: string | null; toolName: string | null };

/** Reads texts back from session files, masked, with their words. @throws SessionDbError `io` where a file has changed since it was indexed */
export function textReader(database: Database): ReadTexts {
  return function* (file, from) {
    const entries = entriesOf(database, file, from);
    const reading = { tape: new Tape(), limits: INDEXED };
    for (let at = 0; at < entries.length; ) {
      const run = runFrom(entries, at) as Entry[];
      const read = readRun(run, loadCursor(database, file.realPath));
      if (read === null) throw changed(file);
      for (const entry of run) {
        const line = read(entry);
        const texts = line === null ? null : textsIn(line, entry, reading);
        if (texts !== null && texts.length > 0) yield* rowsOf(entry, texts);
      }
      reading.tape.release();
      at += run.length;
    }
  };
}

function entriesOf(database: Database, { fileId, realPath, version }: PushableFile, from: number): Entry[] {
  const rows = prepared(database, ENTRIES).all(fileId, from) as Omit<
    Entry,
    "fileId" | "realPath" | "version"
  >[];
  return rows.map((row) => ({ ...row, fileId, realPath, version }));
}

/** Texts stand alone, one behind the other: a phrase never spans two of them. */
function* rowsOf(entry: Entry, texts: readonly string[]): Generator<TextRow> {
  const { offset, entryId, type, role, toolName, timestamp } = entry;
  let part = 0;
  for (const { text, words } of toVectors(texts.map(maskSecrets))) {
    yield {
      place: offset,
      part,
      entry_id: entryId ?? "",
      type,
      role,
      tool_name: toolName,
      timestamp,
      text,
      words,
    };
    part++;
  }
}

function changed({ path }: PushableFile): SessionDbError {
  return new SessionDbError("io", `${path} has changed while it was read`, { hint: "Push again." });
}
