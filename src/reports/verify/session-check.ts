import { unlessUnreadable } from "../../errors.ts";
import type { Line } from "../../files/lines.ts";
import { isPackedName } from "../../files/session-path.ts";
import { type FileStat, sameFile, statFile } from "../../files/stat.ts";
import { isContextBoundary } from "../../format/entry.ts";
import type { EntryUsage } from "../../format/usage.ts";
import type { Index } from "../../store/open.ts";
import { inOneState, prepared } from "../../store/statements.ts";
import { runColumns } from "../../store/tables/subagent-rows.ts";
import { Differences } from "./difference.ts";
import type { FileLines, FileNow } from "./file-lines.ts";
import type { FullTextCheck } from "./full-text-check.ts";
import {
  BOUNDARIES_OF_FILE,
  CHECKED_FILE,
  EntryIds,
  EntryRows,
  LABELS_OF_FILE,
  MALFORMED_OF_FILE,
  type Row,
  RUNS_OF_FILE,
  restOf,
} from "./indexed-rows.ts";
import { ReadBills, ReadRollUp } from "./read-money.ts";
import type { ReadEntry, ReadSession } from "./read-session.ts";
import { SessionReading } from "./session-reading.ts";
import { ReadCalls } from "./tool-calls.ts";

/** What was compared, and what differs. */
export interface SessionCheck {
  /** The file is a session, or the index has one of it. */
  isSession: boolean;
  entries: number;
  /** US dollars that the file states. */
  cost: number;
  differences: string[];
}

const GONE: SessionCheck = {
  isSession: true,
  entries: 0,
  cost: 0,
  differences: ["it is not in the index any more"],
};

/** What reads session files, and the full text to compare them with, if there is one. */
export interface CheckTools {
  lines: FileLines;
  fullText: FullTextCheck | null;
}

/**
 * Compares all the index has of one file with the file, read anew: every entry with its place and its words, every usage,
 * every label, all that is added up from them, and the totals again with what pi itself computes.
 */
export function checkSession(index: Index, tools: CheckTools, fileId: number): SessionCheck {
  // One state of the index, whoever writes to it meanwhile.
  return inOneState(index.database, () => new SessionCheckRun(index, tools, fileId).run());
}

class SessionCheckRun {
  readonly #index: Index;
  readonly #tools: CheckTools;
  readonly #fileId: number;
  readonly #differences = new Differences();
  readonly #reading = new SessionReading();
  readonly #ids = new EntryIds();
  readonly #calls = new ReadCalls();
  readonly #bills = new ReadBills();
  readonly #rollUp = new ReadRollUp();
  /** The entries on which the context of those after them depends, by their offsets. */
  readonly #boundaries = new Map<string, { line: number }>();
  /** Runs of sub-agents, by the offset of the entry that tells of them and their number. */
  readonly #runs = new Map<string, ReturnType<typeof runColumns>>();
  #flawed = false;
  #stated = 0;

  constructor(index: Index, tools: CheckTools, fileId: number) {
    this.#index = index;
    this.#tools = tools;
    this.#fileId = fileId;
  }

  run(): SessionCheck {
    const { database } = this.#index;
    const file = prepared(database, CHECKED_FILE).get(this.#fileId) as Row | undefined;
    if (file === undefined) return GONE;
    const rows = new EntryRows(database, this.#fileId);
    try {
      this.#compare(file, rows);
    } finally {
      rows.close();
    }
    const { session } = this.#reading;
    return {
      isSession: session !== null || file.sessionFile !== null,
      entries: session?.entryCount ?? 0,
      cost: this.#stated,
      differences: this.#differences.list(),
    };
  }

  #compare(file: Row, rows: EntryRows): void {
    const { lines, fullText } = this.#tools;
    const take = (line: Line, number: number) => this.#line(line, number, rows);
    const now = lines.read(String(file.realPath), Number(file.size), take);
    fullText?.finish(this.#differences);
    const stat = this.#statOf(now);
    if (stat === null) return;
    for (const row of rows.before(Number.POSITIVE_INFINITY)) this.#extra(row);
    this.#checkFile(file, stat);
    this.#checkSession(file, stat);
    this.#checkRows();
  }

  #line(line: Line, number: number, rows: EntryRows): boolean {
    for (const entry of this.#reading.take(line, number)) {
      for (const row of rows.before(entry.offset)) this.#extra(row);
      const row = rows.at(entry.offset);
      if (row === undefined) this.#differences.add(`line ${number}: the entry is not in the index`);
      else this.#entry(entry, row);
    }
    // If the first line shows that the file is no session, the rest does not matter.
    return this.#reading.file.status !== "not_session";
  }

  #extra({ line, offset }: Row): void {
    this.#differences.add(`line ${line}: the index has an entry at byte ${offset} that is not in the file`);
  }

  #entry(read: ReadEntry, row: Row): void {
    const { line, length, record } = read;
    const { attributes, spoken, usage } = record;
    this.#calls.take(read);
    this.#tools.fullText?.take(Number(row.key), line, read.entry, this.#differences);
    const where = `line ${line}: `;
    const parentKey = this.#ids.take(attributes, row.key);
    this.#differences.compare(
      where,
      { line, length, ...attributes, parentKey, recovered: read.recovered, text: spoken || null },
      row,
    );
    if (isContextBoundary(attributes.type)) this.#boundaries.set(String(read.offset), { line });
    for (const [run, told] of record.subagents.entries()) {
      this.#runs.set(`${read.offset} ${run}`, runColumns(told, this.#reading.session?.cwd ?? ""));
    }
    if (usage !== null) this.#usage(read, usage, row);
    else if (row.usageFile !== null)
      this.#differences.add(`${where}the index has a usage that is not in the file`);
  }

  #usage({ line, record, givenId }: ReadEntry, usage: EntryUsage, row: Row): void {
    const { timestamp: spentAt, id } = record.attributes;
    const { provider: usageProvider, model: usageModel, ...numbers } = usage;
    const bill = this.#bills.take(record);
    const names = {
      usageProvider,
      usageModel,
      usageFile: this.#fileId,
      givenId: id === null ? givenId : null,
      bill,
    };
    this.#differences.compare(`line ${line}: `, { ...numbers, ...names, spentAt }, row);
    this.#flawed ||= usage.flawed;
    this.#stated += usage.cost;
    const at = spentAt ?? this.#reading.session?.createdAt ?? 0;
    const rest = restOf(this.#index.database, row);
    if (rest !== null) this.#rollUp.take({ ...usage, ...rest }, { at, counted: row.counted !== 0 });
    this.#reading.piTotals.lessen(usage, rest);
  }

  /** Null where there is no file to compare with. */
  #statOf(now: FileNow): FileStat | null {
    if (now.kind === "gone") this.#differences.add("the file is gone");
    if (now.kind === "unreadable") this.#differences.add(`the file cannot be read (${now.code})`);
    return now.kind === "there" ? now.stat : null;
  }

  #checkFile(file: Row, stat: FileStat): void {
    // To an archived session its path leads only through the archive.
    const path = String(isPackedName(String(file.realPath)) ? file.realPath : file.path);
    const onPath = unlessUnreadable(() => statFile(path)) ?? null;
    if (onPath === null || !sameFile(onPath, stat)) {
      this.#differences.add(`its path leads elsewhere, the file is ${file.realPath}`);
    }
    if (stat.size < Number(file.size)) {
      this.#differences.add(`the file has ${stat.size} bytes, the index has read ${file.size}`);
    }
    this.#differences.compare("", { ...this.#reading.file }, file);
    // All of it has been read.
    if (stat.size === file.size) this.#differences.compare("", { overtakes: 0 }, file);
  }

  #checkSession(file: Row, { mtimeMs }: FileStat): void {
    const { session, title, models, piTotals } = this.#reading;
    if (session === null) {
      if (file.sessionFile !== null) this.#differences.add("the file is not a session");
      return;
    }
    if (file.sessionFile === null) {
      this.#differences.add("the session is not in the index");
      return;
    }
    this.#differences.compare("", { ...session, title, models }, file);
    const { isOdd: walkByText, leaves: branchCount } = this.#ids;
    const modifiedAt = modifiedAtOf(session, mtimeMs);
    this.#differences.compare("", { project: null, walkByText, branchCount, modifiedAt }, file);
    this.#checkTotals(file);
    if (!this.#flawed) piTotals.compare(file, this.#differences);
  }

  #checkTotals(file: Row): void {
    this.#differences.compare("", { ...this.#rollUp.sums("all") }, file);
    const copies = Object.entries(this.#rollUp.sums("copies"));
    const inherited = copies.map(([name, sum]) => [
      `inherited${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      sum,
    ]);
    this.#differences.compare("", Object.fromEntries(inherited), file);
  }

  /** The rows of other tables. */
  #checkRows(): void {
    const { database } = this.#index;
    const { labels, malformed } = this.#reading;
    const compare = (what: string, inFile: ReadonlyMap<string, object>, inIndex: ReadonlyMap<string, Row>) =>
      this.#differences.compareRows(what, inFile, inIndex);
    compare("the label of", labels, this.#rowsBy("targetId", LABELS_OF_FILE));
    compare("the malformed line at byte", malformed, this.#rowsBy("offset", MALFORMED_OF_FILE));
    this.#calls.compare(database, this.#fileId, this.#differences);
    this.#rollUp.compare(database, this.#fileId, this.#differences);
    compare("the run at byte", this.#runs, this.#rowsBy("at", RUNS_OF_FILE));
    const boundaries = this.#rowsBy("offset", BOUNDARIES_OF_FILE);
    compare("the compaction or change of settings at byte", this.#boundaries, boundaries);
  }

  #rowsBy(name: string, sql: string): Map<string, Row> {
    const rows = prepared(this.#index.database, sql).all(this.#fileId) as Row[];
    return new Map(rows.map((row) => [String(row[name]), row]));
  }
}

/** pi's rule: the last thing a person or model said, else the header's time, else the file's. */
function modifiedAtOf({ lastActivityAt, createdAt }: ReadSession, mtimeMs: number): number {
  return lastActivityAt || (createdAt ?? Math.round(mtimeMs));
}
