import { type Visit, visitSessionFiles } from "../../files/locate.ts";
import { type IsExcluded, NOTHING_EXCLUDED } from "../../files/session-path.ts";
import { type Condition, inRoots, whereClause } from "../../filters/where.ts";
import { GarbageBound } from "../../runtime/garbage.ts";
import type { Index } from "../../store/open.ts";
import { rankIn, SAME_BILL_STATED } from "../../store/tables/usage-rows.ts";
import { type Finding, REBUILD } from "../finding.ts";
import { addUp } from "../usage/figures.ts";
import { sumUsage } from "../usage/usage-report.ts";
import { FamilyCheck } from "./family-check.ts";
import { FileLines } from "./file-lines.ts";
import { FullTextCheck } from "./full-text-check.ts";
import { type CheckTools, checkSession } from "./session-check.ts";

/** A file that can be checked. */
export interface CheckedFile {
  fileId: number;
  path: string;
  /** Bytes. */
  size: number;
}

export interface Verification {
  /** Sessions and entries that were compared. */
  checked: number;
  entries: number;
  /** US dollars that all the files state, copies in forks included: these were compared. */
  statedCost: number;
  /** What of them counts: `usage` says the same. */
  cost: number;
  /** Where the index is not what the session files say: `where` is the file. */
  differences: Finding[];
}

/**
 * The files of the index below the roots, in the order of their paths; also those that it takes for no sessions, because
 * that is checked, too.
 */
export function checkedFiles(index: Index, roots?: string[]): CheckedFile[] {
  const where = whereClause(inRoots(roots));
  return index.database
    .prepare(`SELECT f.id AS fileId, f.path, f.size FROM files f ${where.sql} ORDER BY f.path`)
    .all(...where.values) as CheckedFile[];
}

/**
 * Checks sessions one by one, so that the caller can show how far it is and stop in between. Entries that are not
 * searchable yet are not looked for in the full text. Whoever makes one closes it.
 */
export class Verifier {
  readonly result: Verification = {
    checked: 0,
    entries: 0,
    statedCost: 0,
    cost: 0,
    differences: [],
  };
  readonly #index: Index;
  readonly #tools: CheckTools;
  readonly #garbage = new GarbageBound();

  constructor(index: Index) {
    this.#index = index;
    this.#tools = { lines: new FileLines(), fullText: FullTextCheck.of(index) };
  }

  close(): void {
    this.#tools.fullText?.close();
  }

  /** Whether the index has of the file what it says. */
  file({ fileId, path }: Pick<CheckedFile, "fileId" | "path">): boolean {
    this.#garbage.check();
    const { isSession, entries, cost, differences } = checkSession(this.#index, this.#tools, fileId);
    if (isSession) this.result.checked++;
    this.result.entries += entries;
    this.result.statedCost += cost;
    this.result.differences.push(...differences.map((what) => difference(path, what)));
    return differences.length === 0;
  }

  /** Checks which copy of a bill counts: of each identity one, in the session that was created first. */
  counted(files?: readonly CheckedFile[]): void {
    const among = files && new Set(files.map(({ fileId }) => fileId));
    const where = whereClause(among === undefined ? [] : [billsOf([...among])]);
    const rows = this.#index.database.prepare(wronglyCounted(where.sql)).all(...where.values);
    for (const { fileId, path, line, counted } of rows as WronglyCounted[]) {
      if (among !== undefined && !among.has(fileId)) continue;
      const what =
        counted === 1
          ? "is counted here, and belongs to the session it was copied from"
          : "is not counted here, where it belongs";
      this.result.differences.push(difference(path, `line ${line}: what it cost ${what}`));
    }
  }

  /** Adds up what counts in a report on all below the roots, or on these files. */
  spent(roots: string[], files?: readonly CheckedFile[]): void {
    if (files === undefined) {
      this.result.cost = sumUsage(this.#index, { by: "source", timezone: "UTC", roots }).totals.cost;
      return;
    }
    const { rows } = sumUsage(this.#index, { by: "session", own: true, timezone: "UTC" });
    const among = new Set(files.map(({ path }) => path));
    this.result.cost = addUp(rows.filter(({ path = "" }) => among.has(path))).cost;
  }

  /** Checks families of sessions, and what counts of the results that state what sub-agents have spent. */
  families(files?: readonly CheckedFile[]): void {
    const among = files && new Set(files.map(({ path }) => path));
    for (const { path, what } of new FamilyCheck(this.#index.database).run()) {
      if (among === undefined || among.has(path)) this.result.differences.push(difference(path, what));
    }
  }

  /** Checks that every session file is in the index, as it is now. */
  presence(roots: string[], isExcluded: IsExcluded = NOTHING_EXCLUDED): void {
    const known = new Map(this.#index.database.prepare(KNOWN).raw().all() as [string, number][]);
    const visit: Visit = (path, realPath, { size }) => {
      const knownSize = known.get(realPath);
      const behind = knownSize === undefined ? 0 : size - knownSize;
      if (knownSize === undefined)
        this.result.differences.push(difference(path, "the file is not in the index"));
      else if (behind > 0)
        this.result.differences.push(difference(path, `${behind} bytes are not in the index yet`));
    };
    const { unreadable } = visitSessionFiles(roots, visit, { isExcluded });
    for (const { path, code } of unreadable) {
      this.result.differences.push(difference(path, `it cannot be read (${code})`));
    }
  }
}

function difference(path: string, what: string): Finding {
  return { level: "error", what, where: path, remedy: REBUILD };
}

const KNOWN = "SELECT real_path, size FROM files";

/** The usage of some files, with all its copies in others: looking at all usage takes seconds in a large index. */
function billsOf(fileIds: readonly number[]): Condition {
  const sql = `u.entry_key IN (SELECT t.entry_key FROM usage_rows u JOIN usage_rows t ON ${SAME_BILL_STATED}
    WHERE u.file_id IN (SELECT value FROM json_each(?)))`;
  return { sql, values: [JSON.stringify(fileIds)] };
}

const RANK = rankIn("s", "p", "u.entry_key");

/** What a file that is read only in part will take over from copies is not decided yet. */
const wronglyCounted = (where: string) => `SELECT r.file_id AS fileId, f.path, e.line, r.counted FROM (
    SELECT u.entry_key, u.file_id, u.counted, row_number() OVER (
      PARTITION BY u.bill, u.total_tokens ORDER BY ${RANK}) AS place,
      max(p.overtakes) OVER (PARTITION BY u.bill, u.total_tokens) AS undecided
    FROM usage_rows u JOIN sessions s ON s.file_id = u.file_id JOIN files p ON p.id = u.file_id ${where}) r
  JOIN files f ON f.id = r.file_id JOIN entries e ON e.key = r.entry_key
  WHERE (r.place = 1) <> r.counted AND NOT r.undecided ORDER BY f.path, e.line`;

interface WronglyCounted {
  fileId: number;
  path: string;
  line: number;
  counted: number;
}
