import type { Filter } from "../../filters/filter.ts";
import { PROJECT } from "../../filters/where.ts";
import type { Index } from "../../store/open.ts";
import { requestRows } from "./request-rows.ts";
import { ROWS } from "./source.ts";

/** One request that counts, with all that is known of it but what was said. */
export interface LoggedRequest {
  /** Of the session at the head of the family: sub-agents stand below the one that has called them. */
  root: SessionName;
  session: SessionName;
  project: string;
  /** The sub-agent's name; null where the session is none of a sub-agent. */
  agent: string | null;
  /** Null in files of v1. */
  entryId: string | null;
  line: number;
  /** When the answer was there, Unix ms. */
  at: number;
  /** In ms; null where nobody has measured it. */
  durationMs: number | null;
  source: string;
  /** Both empty where the file does not say. */
  provider: string;
  model: string;
  stopReason: string | null;
  thinkingLevel: string | null;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Part of `output`. */
  reasoning: number;
  /** US dollars, as the file states them. */
  cost: number;
}

interface SessionName {
  id: string;
  path: string;
}

const COLUMNS = `s.root_file_id,
  (SELECT r.session_id FROM sessions r WHERE r.file_id = s.root_file_id),
  (SELECT g.path FROM files g WHERE g.id = s.root_file_id),
  s.session_id, f.path, ${PROJECT}, iif(s.origin = 'subagent', coalesce(s.agent, ''), NULL),
  e.entry_id, e.line, ${ROWS.time}, u.duration_ms, u.source, ${ROWS.provider}, ${ROWS.model}, u.stop_reason,
  u.thinking_level, u.input, u.output, u.cache_read, u.cache_write, u.reasoning, u.cost`;

type Row = [
  ...[rootKey: number, rootId: string, rootPath: string, id: string, path: string],
  ...[project: string, agent: string | null, entryId: string | null, line: number],
  ...[at: number, durationMs: number | null, source: string, provider: string, model: string],
  ...[stopReason: string | null, thinkingLevel: string | null],
  ...[input: number, output: number, cacheRead: number, cacheWrite: number, reasoning: number, cost: number],
];

/** The requests that count, family by family, each in the order of its files. */
export function* familiesOfRequests(
  index: Index,
  options: { roots: string[]; filter: Filter },
): Generator<LoggedRequest[]> {
  const asked = { ...options, columns: COLUMNS, order: "s.root_file_id, u.file_id, u.entry_key" };
  let family: LoggedRequest[] = [];
  let key: number | undefined;
  for (const row of requestRows(index, asked) as Iterable<Row>) {
    if (row[0] !== key && family.length > 0) {
      yield family;
      family = [];
    }
    key = row[0];
    family.push(toRequest(row));
  }
  if (family.length > 0) yield family;
}

function toRequest([
  ,
  rootId,
  rootPath,
  id,
  path,
  project,
  agent,
  entryId,
  line,
  ...rest
]: Row): LoggedRequest {
  const [at, durationMs, source, provider, model, stopReason, thinkingLevel, ...tokens] = rest;
  const [input, output, cacheRead, cacheWrite, reasoning, cost] = tokens;
  return {
    root: { id: rootId, path: rootPath },
    session: { id, path },
    ...{ project, agent, entryId, line, at, durationMs, source, provider, model, stopReason, thinkingLevel },
    ...{ input, output, cacheRead, cacheWrite, reasoning, cost },
  };
}
