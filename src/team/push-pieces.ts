import type { PushLevel } from "../config/push-settings.ts";
import type { Database } from "../store/native.ts";
import { prepared } from "../store/statements.ts";
import { columnOf, propertiesOf } from "../store/tables/row-sql.ts";
import { QUARTER_MS } from "../store/tables/usage-buckets.ts";
import type { PushableFile } from "./push-plan.ts";

/** A part of a session file as it is sent: bytes `from` (included) to `to`. */
export interface PushPiece {
  file: string;
  content: string;
  from: number;
  to: number;
  level: PushLevel;
  session: PushableFile["session"];
  usage: UsageRow[];
  tools?: unknown[];
  texts?: TextRow[];
}

/** Without what is nothing: columns of `sessiondb_data.usage`. */
type UsageRow = Record<string, string | number> & { place: number };

/** Columns of `sessiondb_data.entry_text`. */
export interface TextRow {
  place: number;
  part: number;
  entry_id: string;
  type: string;
  role: string | null;
  tool_name: string | null;
  timestamp: number | null;
  text: string;
  words: string;
}

/** Reads the texts of a file from a byte on, in file order. */
export type ReadTexts = (file: PushableFile, from: number) => Iterable<TextRow>;

/** How much a piece holds at most, but for a single entry that is larger. */
export const PIECE_ROWS = 2000;
export const PIECE_CHARS = 2_000_000;

const COUNTED_NUMBERS = propertiesOf("unaccounted_usage", ["entryKey"])
  .map((name) => columnOf("unaccounted_usage", name))
  .map((name) => `CASE u.accounted WHEN 0 THEN u.${name} WHEN 1 THEN n.${name} END AS ${name}`)
  .join(", ");

/** What counts of each place that holds usage; of one that sub-agents' sessions account for, nothing, so that copies know. */
const USAGE = `SELECT e.offset AS place, coalesce(u.given_id, e.entry_id, '') AS entry_id, u.timestamp,
    CAST(floor(coalesce(u.timestamp, @createdAt, 0) / ${QUARTER_MS}.0) AS INTEGER) AS quarter,
    k.source, k.provider, k.model, k.stop_reason, k.thinking_level,
    CASE WHEN @isNamed = 1 AND k.source = 'tool' THEN (SELECT t.tool_name FROM entry_kinds t WHERE t.id = e.kind) END AS tool_name,
    CASE WHEN @isNamed = 1 THEN (SELECT a.agent FROM subagents a WHERE a.entry_key = e.key ORDER BY a.run LIMIT 1) END AS agent,
    ${COUNTED_NUMBERS},
    CASE u.accounted WHEN 0 THEN u.cost_from_provider END AS cost_from_provider, u.duration_ms, u.bill, nullif(u.total_tokens, CASE u.accounted WHEN 0 THEN u.total_tokens END) AS stated_tokens, u.accounted
  FROM entry_rows e CROSS JOIN usage_rows u ON u.entry_key = e.key JOIN usage_kinds k ON k.id = u.kind
  LEFT JOIN unaccounted_usage n ON n.entry_key = u.entry_key
  WHERE e.file_id = @fileId AND e.offset >= @from ORDER BY e.key`;

const TOOLS = `SELECT name AS tool, count(*) AS calls, count(result_key) AS answered, total(is_error) AS errors,
    count(duration_ms) AS timed, coalesce(sum(duration_ms), 0) AS duration_ms, max(duration_ms) AS longest_ms
  FROM tool_calls WHERE file_id = ? GROUP BY name ORDER BY name`;

/** What is to be sent of a file from a byte on. There is one piece at least, which says what is known of the session. */
export function* pushPiecesOf(
  database: Database,
  { file, from }: { file: PushableFile; from: number },
  { level, readTexts }: { level: PushLevel; readTexts: ReadTexts },
): Generator<PushPiece> {
  const { fileId, createdAt } = file;
  // Whose a request was, as `usage tool` and `usage agent` have it.
  const isNamed = level === "usage" ? 0 : 1;
  const usage = prepared(database, USAGE).all({ fileId, createdAt, from, isNamed }) as UsageRow[];
  const texts = level === "text" ? readTexts(file, from) : [];
  const tools = level === "usage" ? undefined : prepared(database, TOOLS).all(fileId);
  let start = from;
  for (const { rows, said, end } of portions(usage, texts, file.pushed)) {
    const { file: name, content, session } = file;
    const piece: PushPiece = {
      file: name,
      content,
      from: start,
      to: end,
      level,
      session,
      usage: rows.map(withoutNothing),
    };
    if (said.length > 0) piece.texts = said;
    // Once, with the last piece.
    if (end === file.pushed && tools !== undefined) piece.tools = tools;
    yield piece;
    start = end;
  }
}

interface Portion {
  rows: UsageRow[];
  said: TextRow[];
  end: number;
}

/** Rows and texts by their places, as much at a time as a piece holds. */
function* portions(usage: readonly UsageRow[], texts: Iterable<TextRow>, end: number): Generator<Portion> {
  let portion: Portion = { rows: [], said: [], end };
  let at = 0;
  let chars = 0;
  for (const text of texts) {
    const isFull = portion.rows.length >= PIECE_ROWS || chars >= PIECE_CHARS;
    // All of an entry goes in one piece.
    if (isFull && text.part === 0) {
      yield { ...portion, end: text.place };
      [portion, chars] = [{ rows: [], said: [], end }, 0];
    }
    for (let row = usage[at]; row !== undefined && row.place <= text.place; row = usage[++at])
      portion.rows.push(row);
    portion.said.push(text);
    chars += text.text.length + text.words.length;
  }
  for (let row = usage[at]; row !== undefined; row = usage[++at]) {
    if (portion.rows.length >= PIECE_ROWS) {
      yield { ...portion, end: row.place };
      portion = { rows: [], said: [], end };
    }
    portion.rows.push(row);
  }
  yield portion;
}

/** Where nothing is something: the first byte, and the first quarter of an hour of 1970, of what has no time. */
const PLACES = ["place", "quarter"];

function withoutNothing(row: UsageRow): UsageRow {
  const entries = Object.entries(row).filter(
    ([name, value]) => PLACES.includes(name) || (value !== null && value !== 0),
  );
  return Object.fromEntries(entries) as UsageRow;
}
