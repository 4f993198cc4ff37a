import type { Index } from "../../db/open.ts";
import { LineScanner } from "../../file/scan.ts";
import { needleFinder } from "../../format/json-needle.ts";
import { type Condition, whereClause } from "../conditions.ts";
import { type Found, groupCopies, inOrder, unscored } from "./found.ts";
import { ScanAhead, type ScannableFile } from "./scan-ahead.ts";
import { type ScannedEntry, SubstringEntries } from "./substring-entries.ts";
import type { SubstringHits, SubstringSearch } from "./substring-hits.ts";

/** The last entry is mostly later than what a session is sorted by elsewhere: the last word of a person or a model. */
const FILES = `SELECT s.file_id AS fileId, f.real_path AS realPath, f.size,
    max(s.modified_at, coalesce(last.timestamp, s.modified_at)) AS lastAt
  FROM sessions s JOIN files f ON f.id = s.file_id LEFT JOIN entries last ON last.key = s.leaf_key`;

interface ScannedFile extends ScannableFile {
  fileId: number;
  /** Unix ms; no entry is later. */
  lastAt: number;
}

/** Looks through the bytes of the session files, those written last first. */
export function scanFiles(index: Index, search: SubstringSearch): SubstringHits {
  const scan = new SubstringScan(index, search);
  const sort = search.sort === "oldest" ? "oldest" : "newest";
  const files = filesOf(index, search.conditions);
  const ahead = new ScanAhead(files, search.needle);
  const found: Found[] = [];
  let isTotalExact = true;
  try {
    for (const [n, file] of files.entries()) {
      isTotalExact = sort === "oldest" || !isEnough(found, search.limit, file);
      if (!isTotalExact) break;
      if (!isArray(file) && !ahead.mayHold(n)) continue;
      const more = scan.foundIn(file);
      for (const each of more) found.push(each);
      if (more.length > 0 && Number.isFinite(search.limit)) inOrder(found, sort);
    }
  } finally {
    ahead.close();
  }
  return { total: found.length, isTotalExact, groups: groupCopies(inOrder(found, sort), search.limit) };
}

/** Only what a condition says of sessions can keep a file from being looked at. */
function filesOf(index: Index, conditions: Condition[]): ScannedFile[] {
  const where = whereClause(conditions.filter(({ sql }) => !/\be\./.test(sql)));
  const sql = `${FILES} ${where.sql} ORDER BY lastAt DESC, s.file_id DESC`;
  return index.database.prepare(sql).all(...where.values) as ScannedFile[];
}

/**
 * Whether nothing that comes could be among the first, nor a copy of one: sessions come by the time of their last entry.
 * @param found newest first
 */
function isEnough(found: Found[], limit: number, next: ScannedFile): boolean {
  if (found.length < limit) return false;
  const last = groupCopies(found, limit)[limit - 1]?.[0];
  return last !== undefined && (last.timestamp ?? 0) > next.lastAt;
}

/** It has no lines. */
function isArray({ realPath }: ScannableFile): boolean {
  return realPath.endsWith(".json");
}

class SubstringScan {
  readonly #entries: SubstringEntries;
  readonly #scanner = new LineScanner();

  constructor(index: Index, search: SubstringSearch) {
    this.#entries = new SubstringEntries(index, search);
  }

  foundIn(file: ScannedFile): Found[] {
    return isArray(file) ? this.#foundInArray(file) : this.#foundInLines(file);
  }

  #foundInLines(file: ScannedFile): Found[] {
    const { needle } = this.#entries;
    const found: Found[] = [];
    let places: Map<number, ScannedEntry> | undefined;
    for (const { offset, bytes } of this.#scanner.lines(file.realPath, (read) =>
      needleFinder(read, needle),
    )) {
      places ??= new Map(this.#entriesIn(file).map((place) => [place.offset, place]));
      const place = places.get(offset);
      if (place && this.#entries.holdsTextIn(bytes.subarray(0, place.length), place))
        found.push(unscored(place));
    }
    return found;
  }

  #foundInArray(file: ScannedFile): Found[] {
    return this.#entriesIn(file).flatMap((place) =>
      this.#entries.holdsText(place) ? [unscored(place)] : [],
    );
  }

  #entriesIn({ fileId }: ScannedFile): ScannedEntry[] {
    return this.#entries.where({ sql: "e.file_id = ?", values: [fileId] });
  }
}
