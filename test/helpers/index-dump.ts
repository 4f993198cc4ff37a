import type { Index } from "../../src/store/open.ts";

/** The rows of each table as text, sorted. A rebuild must give the same. */
export type IndexDump = Record<string, string[]>;

/** Entries are named by their place in a file: keys, file ids and generations differ from one index to the next. */
const PLACE = (key: string) =>
  `(SELECT p.path || '@' || x.offset FROM entries x JOIN files p ON p.id = x.file_id WHERE x.key = ${key})`;

const TABLES: Record<string, string> = {
  files: `SELECT path, real_path, status, error, offset, provisional_length, lines, head_fingerprint,
      tail_fingerprint, whole_fingerprint, malformed_lines, overtakes FROM files`,
  sessions: `SELECT f.path, s.session_id, s.cwd, s.version, s.created_at, s.modified_at, s.last_activity_at, s.name,
      s.title, ${PLACE("s.first_message_key")}, s.message_count, s.entry_count, s.branch_count, ${PLACE("s.leaf_key")},
      s.leaf_id, s.walk_by_text, s.irregular, s.parent_session, s.origin, s.last_provider, s.last_model, s.models, s.input,
      s.output, s.cache_read, s.cache_write, s.total_tokens, s.cost, s.requests, s.inherited_input,
      s.inherited_output, s.inherited_cache_read, s.inherited_cache_write, s.inherited_total_tokens,
      s.inherited_cost, s.inherited_requests FROM sessions s JOIN files f ON f.id = s.file_id`,
  entries: `SELECT f.path, e.offset, e.line, e.length, e.entry_id, e.parent_id, ${PLACE("e.parent_key")}, e.type,
      e.role, e.timestamp, e.provider, e.model, e.tool_name, e.is_error, e.has_image, e.custom_type, e.target_id,
      e.preview FROM entries e JOIN files f ON f.id = e.file_id`,
  turning_entries: `SELECT ${PLACE("t.key")} FROM turning_entries t`,
  messages: `SELECT ${PLACE("entry_key")}, role, text FROM messages`,
  tool_calls: `SELECT ${PLACE("call_key")}, ${PLACE("result_key")}, call_id, name, path, is_error, duration_ms,
      row_number() OVER (PARTITION BY call_key ORDER BY key) FROM tool_calls`,
  usage: `SELECT ${PLACE("entry_key")}, f.path, u.entry_id, u.timestamp, u.source, u.provider, u.model, u.stop_reason,
      u.input, u.output, u.cache_read, u.cache_write, u.cache_write_1h, u.reasoning, u.total_tokens, u.cost_input,
      u.cost_output, u.cost_cache_read, u.cost_cache_write, u.cost, u.flawed, u.counted
      FROM usage u JOIN files f ON f.id = u.file_id`,
  usage_quarters: `SELECT f.path, q.quarter, q.provider, q.model, q.source, q.counted, q.input, q.output,
      q.cache_read, q.cache_write, q.total_tokens, q.cost, q.requests, q.unpriced, q.priced_input, q.priced_cache, q.cost_input,
      q.cost_cache_read, q.cost_cache_write
      FROM usage_quarters q JOIN files f ON f.id = q.file_id`,
  labels: `SELECT f.path, l.target_id, l.label, ${PLACE("l.label_key")}, l.timestamp
      FROM labels l JOIN files f ON f.id = l.file_id`,
  malformed_lines: `SELECT f.path, m.line, m.offset, m.length FROM malformed_lines m JOIN files f ON f.id = m.file_id`,
};

/** Everything the index holds, by natural keys, the full text word by word: equal for equal session files. */
export function dumpIndex(index: Index): IndexDump {
  const dump: IndexDump = {};
  for (const [name, sql] of Object.entries(TABLES)) {
    const rows = index.database.prepare(sql).raw().all();
    dump[name] = rows.map((row) => JSON.stringify(row)).sort();
  }
  dump.entry_text = dumpWords(index);
  return dump;
}

function dumpWords(index: Index): string[] {
  index.search.exec(
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab(main, entry_text, instance)",
  );
  const words = index.search.prepare("SELECT doc, col, offset, term FROM temp.words").raw().all() as Word[];
  const place = index.database.prepare(`SELECT ${PLACE("?")}`).pluck();
  const places = new Map<number, unknown>();
  for (const [doc] of words) if (!places.has(doc)) places.set(doc, place.get(doc));
  return words.map(([doc, ...word]) => JSON.stringify([places.get(doc), ...word])).sort();
}

type Word = [doc: number, column: string, offset: number, term: string];
