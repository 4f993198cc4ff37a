import type { Index } from "../../db/open.ts";
import { inOneState } from "../../db/prepared.ts";
import type { Line } from "../../file/lines.ts";
import { isTurning } from "../../format/entry.ts";
import type { Sums } from "../results.ts";
import { addUp } from "../usage/sums.ts";
import { Differences, sameDollars } from "./compare.ts";
import type { FileLines, FileNow } from "./file-lines.ts";
import type { FullTextCheck } from "./full-text.ts";
import { type PiTotals, type ReadEntry, type ReadSession, SessionReading } from "./session-reading.ts";
import { ReadCalls } from "./tool-calls.ts";

const FILE = `SELECT f.real_path AS realPath, f.offset + f.provisional_length AS read, f.malformed_lines AS malformedLines,
  s.session_id AS sessionId, s.cwd, s.version, s.created_at AS createdAt, s.name, s.entry_count AS entryCount,
  s.message_count AS messageCount, s.leaf_id AS leafId, s.input, s.output, s.cache_read AS cacheRead,
  s.cache_write AS cacheWrite, s.total_tokens AS totalTokens, s.cost, s.requests,
  s.inherited_input, s.inherited_output, s.inherited_cache_read, s.inherited_cache_write, s.inherited_total_tokens,
  s.inherited_cost, s.inherited_requests
  FROM files f JOIN sessions s ON s.file_id = f.id WHERE f.id = ?`;

const ENTRIES = `SELECT e.key, e.line, e.offset, e.length, e.entry_id AS id, e.parent_id AS parentId,
  e.parent_key AS parentKey, k.type, k.role, e.timestamp, k.provider, k.model, k.tool_name AS toolName,
  k.is_error AS isError, k.has_image AS hasImage, k.custom_type AS customType, e.target_id AS targetId, e.preview,
  m.text, u.entry_id AS billId, u.source, u.provider AS usageProvider, u.model AS usageModel, u.stop_reason AS stopReason,
  u.input, u.output, u.cache_read AS cacheRead, u.cache_write AS cacheWrite, u.cache_write_1h AS cacheWrite1h,
  u.reasoning, u.total_tokens AS totalTokens, u.cost_input AS costInput, u.cost_output AS costOutput,
  u.cost_cache_read AS costCacheRead, u.cost_cache_write AS costCacheWrite, u.cost, u.flawed, u.counted
  FROM entries e CROSS JOIN entry_kinds k ON k.id = e.kind
  LEFT JOIN message_rows m ON m.entry_key = e.key LEFT JOIN usage u ON u.entry_key = e.key
  WHERE e.file_id = ? ORDER BY e.key`;

const LABELS = "SELECT target_id, label FROM labels WHERE file_id = ? ORDER BY target_id";

const TURNING =
  "SELECT e.line FROM turning_entries t LEFT JOIN entries e ON e.key = t.key WHERE t.file_id = ? ORDER BY t.key";

const SUMS = `input, output, cache_read AS cacheRead, cache_write AS cacheWrite, total_tokens AS totalTokens, cost, requests`;
const ROLL_UP = `SELECT counted, ${SUMS} FROM usage_quarters WHERE file_id = ?`;

type Row = Record<string, unknown>;

/** What was compared, and what differs. */
export interface SessionCheck {
  entries: number;
  cost: number;
  differences: string[];
}

/** What reads session files, and the full text to compare them with, if there is one. */
export interface CheckTools {
  lines: FileLines;
  fullText: FullTextCheck | null;
}

/**
 * Compares all the index has of one session with its file, read anew: every entry with its place and its words, every
 * usage, the totals, and the totals again with what pi itself computes.
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
  /** Keys of the ids seen so far, to find parents by. */
  readonly #keys = new Map<string, unknown>();
  readonly #calls = new ReadCalls();
  /** Lines of the entries on which the context of those after them depends. */
  readonly #turning: number[] = [];
  readonly #spent: Sums[] = [];
  readonly #inherited: Sums[] = [];
  #flawed = false;

  constructor(index: Index, tools: CheckTools, fileId: number) {
    this.#index = index;
    this.#tools = tools;
    this.#fileId = fileId;
  }

  run(): SessionCheck {
    const { database } = this.#index;
    const { lines, fullText } = this.#tools;
    const file = database.prepare(FILE).get(this.#fileId) as Row | undefined;
    if (file === undefined) return { entries: 0, cost: 0, differences: ["it is not in the index any more"] };
    const rows = new Rows(database.prepare(ENTRIES).iterate(this.#fileId) as Iterable<Row>);
    const end = Number(file.read);
    const now = lines.read(String(file.realPath), end, (line, number) => this.#line(line, number, rows));
    fullText?.finish(this.#differences);
    if (this.#checkFile(now, end)) {
      for (const row of rows.before(Number.POSITIVE_INFINITY)) this.#extra(row);
      this.#checkTotals(file);
    }
    rows.close();
    const { cost } = addUp(this.#spent);
    const entries = this.#reading.session?.entryCount ?? 0;
    return { entries, cost, differences: this.#differences.list() };
  }

  #line(line: Line, number: number, rows: Rows): void {
    const entry = this.#reading.take(line, number);
    if (entry === null) return;
    for (const row of rows.before(line.offset)) this.#extra(row);
    const row = rows.at(line.offset);
    if (row === undefined) this.#differences.add(`line ${number}: the entry is not in the index`);
    else this.#entry(entry, row);
  }

  #extra({ line, offset }: Row): void {
    this.#differences.add(`line ${line}: the index has an entry at byte ${offset} that is not in the file`);
  }

  #entry(entry: ReadEntry, row: Row): void {
    const { line, length, facts, usage, text } = entry;
    this.#calls.take(entry);
    this.#tools.fullText?.take(Number(row.key), line, entry.entry, this.#differences);
    const where = `line ${line}: `;
    this.#differences.compare(where, { line, length }, row);
    if (facts === null) return;
    // An empty id is nobody's, as for pi.
    const parentKey = facts.parentId ? (this.#keys.get(facts.parentId) ?? null) : null;
    this.#differences.compare(where, { ...facts, parentKey, text }, row);
    if (facts.id !== null) this.#keys.set(facts.id, row.key);
    if (isTurning(facts.type)) this.#turning.push(line);
    if (usage === null) {
      if (row.source !== null) this.#differences.add(`${where}the index has a usage that is not in the file`);
      return;
    }
    const { provider: usageProvider, model: usageModel, ...numbers } = usage;
    this.#differences.compare(where, { ...numbers, usageProvider, usageModel, billId: entry.billId }, row);
    this.#flawed ||= usage.flawed;
    const sums = { ...usage, requests: 1 };
    this.#spent.push(sums);
    if (row.counted === 0) this.#inherited.push(sums);
  }

  /** Whether there is a file to compare totals with. */
  #checkFile(now: FileNow, end: number): boolean {
    if (now.kind === "gone") this.#differences.add("the file is gone");
    if (now.kind === "unreadable") this.#differences.add(`the file cannot be read (${now.code})`);
    if (now.kind !== "there") return false;
    if (now.size < end) this.#differences.add(`the file has ${now.size} bytes, the index has read ${end}`);
    if (this.#reading.session === null) this.#differences.add("the file is not a session");
    return this.#reading.session !== null;
  }

  #checkTotals(file: Row): void {
    const { session, malformedLines, piTotals } = this.#reading;
    if (session === null) return;
    const { labels, ...facts }: ReadSession = session;
    const all = addUp(this.#spent);
    this.#differences.compare("", { ...facts, malformedLines, ...all }, file);
    this.#differences.compare("", named("inherited_", addUp(this.#inherited)), file);
    this.#checkLabels(labels);
    this.#calls.compare(this.#index.database, this.#fileId, this.#differences);
    this.#checkTurning();
    this.#checkRollUp();
    if (!this.#flawed) this.#checkAgainstPi(piTotals, file);
  }

  #checkLabels(labels: Map<string, string>): void {
    const rows = this.#index.database.prepare(LABELS).raw().all(this.#fileId) as [string, string][];
    this.#differences.compare("label of ", Object.fromEntries(labels), Object.fromEntries(rows));
    for (const [target] of rows) {
      if (!labels.has(target))
        this.#differences.add(`the index has a label of ${target} that is not in the file`);
    }
  }

  #checkTurning(): void {
    const lines = this.#index.database.prepare(TURNING).pluck().all(this.#fileId);
    if (lines.join() === this.#turning.join()) return;
    this.#differences.add(
      `compactions and changes of settings are lines ${this.#turning}, in the index ${lines}`,
    );
  }

  /** The roll-up by quarters of an hour adds up to the same. */
  #checkRollUp(): void {
    const rows = this.#index.database.prepare(ROLL_UP).all(this.#fileId) as (Sums & { counted: number })[];
    const inherited = addUp(this.#inherited);
    this.#differences.compare("roll-up: ", { ...addUp(this.#spent) }, { ...addUp(rows) });
    const copies = addUp(rows.filter(({ counted }) => counted === 0));
    this.#differences.compare("roll-up of copies: ", { ...inherited }, { ...copies });
  }

  /** Tokens to the last one, money to the cent. */
  #checkAgainstPi({ cost, ...tokens }: PiTotals, file: Row): void {
    for (const [name, count] of Object.entries(tokens)) {
      if (Number.isNaN(count) || sameDollars(count, Number(file[name]))) continue;
      this.#differences.add(`${name} is ${file[name]} in the index, and pi counts ${count}`);
    }
    if (Number.isNaN(cost) || Math.abs(cost - Number(file.cost)) < 0.005) return;
    this.#differences.add(`cost is ${file.cost} in the index, and pi counts ${cost}`);
  }
}

/** The rows of a session, taken as far as the file has been read. */
class Rows {
  readonly #rows: Iterator<Row>;
  #next: Row | undefined;

  constructor(rows: Iterable<Row>) {
    this.#rows = rows[Symbol.iterator]();
    this.#advance();
  }

  /** Those that stand before a byte of the file. */
  *before(offset: number): Generator<Row> {
    for (let row = this.#next; row !== undefined && Number(row.offset) < offset; row = this.#next) {
      this.#advance();
      yield row;
    }
  }

  at(offset: number): Row | undefined {
    const row = this.#next;
    if (row?.offset !== offset) return undefined;
    this.#advance();
    return row;
  }

  /** A statement that is not read to its end would hold its connection. */
  close(): void {
    this.#rows.return?.();
  }

  #advance(): void {
    const next = this.#rows.next();
    this.#next = next.done ? undefined : next.value;
  }
}

function named(prefix: string, sums: Sums): Record<string, unknown> {
  const entries = Object.entries(sums).map(([name, value]) => {
    return [prefix + name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value];
  });
  return Object.fromEntries(entries);
}
