import { isArrayFileName } from "../../files/session-path.ts";
import { type Condition, isUpon, whereClause } from "../../filters/where.ts";
import type { Index } from "../../store/open.ts";
import {
  copyNameOf,
  FirstGroups,
  type Found,
  firstHitsOf,
  inOrder,
  unscored,
  type WordHits,
} from "../find/matches.ts";
import { timeSort } from "../find/word-search.ts";
import { NO_TIME } from "../fts/key-blocks.ts";
import type { SearchSort } from "../query/search-sort.ts";
import { candidatesOf, type ScannedEntry, SubstringEntries } from "./candidates.ts";
import { LineScanner } from "./line-scan.ts";
import { needleFinder } from "./needle.ts";
import { ScanAhead, type ScannableFile } from "./parallel-scan.ts";

/** The time of the latest entry is mostly one of two: that of the last entry, or when somebody last said something. */
const FILES = `SELECT s.file_id AS fileId, f.real_path AS realPath, f.size,
    max(s.modified_at, coalesce(last.timestamp, s.modified_at)) AS lastAt
  FROM sessions s JOIN files f ON f.id = s.file_id LEFT JOIN entries last ON last.key = s.leaf_key`;

/** Reads the table in its own order: with an SQL index by `file_id` each entry would be looked up by itself. */
const LATEST = `SELECT file_id, max(coalesce(timestamp, ${NO_TIME})) FROM entry_rows
  WHERE coalesce(timestamp, ${NO_TIME}) >= ? GROUP BY +file_id`;

interface ScannedFile extends ScannableFile {
  fileId: number;
}

/** Looks through the bytes of the session files, those written last first. */
export function scanFiles(index: Index, search: SubstringSearch): WordHits {
  const scan = new SubstringScan(index, search);
  const sort = timeSort(search.sort);
  const files = filesOf(index, search.conditions);
  const ahead = new ScanAhead(files, search.needle);
  const rest = new LaterFiles(index);
  const found: Found[] = [];
  const first = new FirstGroups(sort, search.limit);
  let isWhole = true;
  try {
    for (const [n, file] of files.entries()) {
      if (!rest.mayHold(file)) isWhole = false;
      else if (isArrayFileName(file.realPath) || ahead.mayHold(n)) {
        const more = scan.foundIn(file);
        for (const each of more) found.push(each);
        if (sort === "oldest" || !Number.isFinite(search.limit)) continue;
        first.add(more);
        rest.leaveOutBefore(first.last);
      }
    }
  } finally {
    ahead.close();
  }
  const hits = firstHitsOf(inOrder(found, sort), search.limit);
  return isWhole ? hits : { ...hits, totalIs: "atLeast" };
}

/** Only conditions upon sessions can exclude whole files. */
function filesOf(index: Index, conditions: Condition[]): ScannedFile[] {
  const where = whereClause(conditions.filter((condition) => !isUpon("e", condition)));
  const sql = `${FILES} ${where.sql} ORDER BY lastAt DESC, s.file_id DESC`;
  return index.database.prepare(sql).all(...where.values) as ScannedFile[];
}

/** Tells, once there are enough hits, which files may still hold an entry that belongs among them, or a copy of one. */
class LaterFiles {
  readonly #index: Index;
  #earliest = Number.NEGATIVE_INFINITY;
  /** By file, the time of its latest entry. */
  #latest: ReadonlyMap<number, number> | undefined;

  constructor(index: Index) {
    this.#index = index;
  }

  /** @param last the last hit that is wanted, or undefined where there are not enough yet */
  leaveOutBefore(last: Found | undefined): void {
    if (last === undefined) return;
    this.#earliest = last.timestamp ?? NO_TIME;
    this.#latest ??= new Map(
      this.#index.database.prepare(LATEST).raw().all(this.#earliest) as [number, number][],
    );
  }

  mayHold({ fileId }: ScannedFile): boolean {
    if (this.#latest === undefined) return true;
    const latest = this.#latest.get(fileId);
    return latest !== undefined && latest >= this.#earliest;
  }
}

class SubstringScan {
  readonly #entries: SubstringEntries;
  readonly #scanner = new LineScanner();

  constructor(index: Index, search: SubstringSearch) {
    this.#entries = new SubstringEntries(index, search);
  }

  foundIn(file: ScannedFile): Found[] {
    return isArrayFileName(file.realPath) ? this.#foundInArray(file) : this.#foundInLines(file);
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

export interface SubstringSearch {
  /** Exactly these characters. */
  needle: string;
  /** Upon `entries e`, `sessions s` and `files f`. */
  conditions: Condition[];
  /** Relevance is newest first. */
  sort: SearchSort;
  /** `Infinity`: all. */
  limit: number;
}

/** Finds a text of any characters: in the entries that hold its words; if it has no whole word, in all files. */
export function findBySubstring(index: Index, search: SubstringSearch): WordHits {
  const candidates = candidatesOf(index, search.needle);
  return candidates === null ? scanFiles(index, search) : findAmong(index, search, candidates);
}

function findAmong(index: Index, search: SubstringSearch, keys: number[]): WordHits {
  const entries = new SubstringEntries(index, search);
  const among = { sql: "e.key IN (SELECT value FROM json_each(?))", values: [JSON.stringify(keys)] };
  const places = new Map(entries.where(among).map((place) => [place.key, place]));
  const inTurn = inOrder([...places.values()].map(unscored), timeSort(search.sort));
  const found: Found[] = [];
  const groups = new Set<string>();
  for (const each of inTurn) {
    const place = places.get(each.key);
    if (place === undefined || !entries.holdsText(place)) continue;
    found.push(each);
    groups.add(copyNameOf(each));
    // One group more than wanted shows that the last wanted one has all its copies.
    if (groups.size > search.limit) break;
  }
  const hits = firstHitsOf(found, search.limit);
  return groups.size <= search.limit ? hits : { ...hits, totalIs: "atLeast" };
}
