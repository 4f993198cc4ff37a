import type { COLUMNS } from "../tables/columns.ts";

/** A sentence for a table or view, and one for each of its columns that needs another than `COLUMNS_OF_MANY` has. */
export interface Described {
  about: string;
  columns: Record<string, string>;
}

/** Sentences for a declared table: a column without a sentence is a type error. */
interface Notes<Column extends string> {
  about: string;
  columns: Record<Exclude<Column, keyof typeof COLUMNS_OF_MANY>, string> & Partial<Record<Column, string>>;
}

type Columns = typeof COLUMNS;

type ColumnOf<Name extends keyof Columns> = Extract<Columns[Name][keyof Columns[Name]], string>;

/** Columns that mean the same wherever they stand. */
export const COLUMNS_OF_MANY = {
  file_id: "The file: files.id.",
  entry_key: "The entry: entries.key.",
  entry_id: "Id of the entry in its file, unique within that file only.",
  session_id: "Id in the session's header; copies of a file share it.",
  path: "Path of the session file, as reached through its root.",
  cwd: "Working directory the session was started in.",
  name: "Name the user gave it, if any.",
  title: "The name, else the beginning of the first question that a person has asked.",
  timestamp: "When, in Unix milliseconds.",
  provider: "Provider of the model; empty or NULL where the file does not say.",
  model: "Name of the model; empty or NULL where the file does not say.",
  source:
    "What the tokens were spent on: assistant, tool, compaction, branch_summary, or a usage entry's kind.",
  counted: "1 where the money is counted, 0 in copies that forks made.",
  input: "Input tokens.",
  output: "Output tokens, reasoning included.",
  cache_read: "Tokens read from the prompt cache.",
  cache_write: "Tokens written to the prompt cache.",
  total_tokens: "All tokens.",
  cost: "US dollars, as the file states them.",
  requests: "Places that hold usage, which is calls of a model.",
  unpriced: "The part of requests that states tokens and no cost: not free, but not priced.",
  cost_input: "US dollars for input.",
  cost_cache_read: "US dollars for cache_read.",
  cost_cache_write: "US dollars for cache_write.",
  sessions: "Number of sessions.",
  line: "1-based line in the file.",
  offset: "Byte offset of the line in the file.",
  length: "Bytes of the line without its end.",
  type: "Type of the entry, as in the file.",
  role: "Role of the message, for entries of type message.",
  preview: "The first 80 characters, white space folded.",
  label: "Text of the label.",
  target_id: "Id of the entry it is about.",
  version: "Format version of the file.",
  origin:
    "interactive, fork (it holds copies of its parent), handoff (its parent is only named) or subagent.",
  parent_session: "Path of the session it was forked from.",
  message_count: "Messages of all roles.",
  entry_count: "Entries, the header not counted.",
  branch_count: "Leaves of the tree: 1 for a conversation that never branched.",
  leaf_id: "Id of the last entry, where the conversation continues.",
  models: "Models that answered, as a JSON array.",
  is_error: "1 where it failed.",
  flawed: "1 where a number in the file made no sense and counts 0.",
  stop_reason: "Why the model stopped.",
  tool_name: "Tool of a tool result.",
  has_image: "1 where its content holds an image.",
  custom_type: "Type an extension gave to its own entry.",
  parent_key: "Key of the entry before it in the tree, for recursive queries; NULL at a root.",
  cache_write_1h: "The part of cache_write that is kept for an hour.",
  reasoning: "The part of output that was reasoning.",
  cost_output: "US dollars for output.",
  bill: "What copies of one request share; with stated_tokens it tells a bill from all others.",
  stated_tokens: "All tokens, as the file states them.",
  accounted:
    "How much of it sessions of sub-agents account for, so that it does not count here: 0 nothing, 1 a part, 2 all.",
  cost_from_provider:
    "US dollars that the provider itself has stated; NULL where it was worked out from prices.",
  duration_ms: "How long it took, in milliseconds; NULL where nobody has measured it.",
  thinking_level: "How much the model was asked to think; NULL where the file does not say.",
  recovered: "1 for an entry that was found within a damaged line.",
  parent_path:
    "Path of the session it comes from: its parent's in the index, else the one its header states.",
  root_path: "Path of the session of a person that it belongs to: its own, unless it is a sub-agent's.",
  agent: "Name of the sub-agent whose session it is; NULL for sessions of people.",
  subagents: "Number of sessions of sub-agents that belong to it.",
  project: "The directory of its project, by whichever name it was held there.",
  text: "The text; images and tool output are not in it.",
  cache_hit_rate: "The share of all input that was read from the prompt cache, 0 to 1.",
  inherited_input: "The part of input that is copied from another session.",
  inherited_output: "The part of output that is copied from another session.",
  inherited_cache_read: "The part of cache_read that is copied from another session.",
  inherited_cache_write: "The part of cache_write that is copied from another session.",
  inherited_total_tokens: "The part of total_tokens that is copied from another session.",
  inherited_cost: "The part of cost that is copied from another session and counted there.",
  inherited_requests: "The part of requests that is copied from another session.",
} as const satisfies Record<string, string>;

/** What people ask, in the order in which it is shown. All other tables are how the index stores this, or works. */
export const PUBLIC_TABLES: readonly (keyof Columns)[] = [
  "sessions",
  "entries",
  "messages",
  "tool_calls",
  "usage",
  "usage_quarters",
  "labels",
  "files",
  "subagents",
  "projects",
  "malformed_lines",
];

export const TABLES: { [Name in keyof Columns]: Notes<ColumnOf<Name>> } = {
  meta: {
    about: "Facts about the index itself.",
    columns: { name: "Name of the fact.", value: "Its value." },
  },
  files: {
    about:
      "One row for each *.jsonl or *.json file found below a sessions folder, and how far the index has read it.",
    columns: {
      id: "Number of the file in this index.",
      real_path:
        "The same without symbolic links, and of an archived session its packed file; the file's identity.",
      device: "Device number.",
      inode: "Inode number.",
      size: "Bytes that were looked at.",
      mtime_ms: "Time of the last change, Unix milliseconds with a fraction.",
      ctime_ms: "Time of the last change of its state, Unix milliseconds with a fraction.",
      settled: "0 while it was written so recently that an equal time proves nothing.",
      status: "session, not_session, empty, unreadable or failed.",
      error: "Why it could not be read, if so.",
      offset: "End of the last complete line in the index, in bytes.",
      provisional_length: "Bytes of a last line that is in the index although its end is missing.",
      lines: "Complete lines in the index, blank and malformed ones included.",
      head_fingerprint: "CRC-32 of the first 4,096 bytes that are in the index.",
      tail_fingerprint: "CRC-32 of the last 4,096 bytes that are in the index.",
      whole_fingerprint: "CRC-32 of all bytes that are in the index.",
      generation: "Grows by one each time the file turns out to have been rewritten.",
      malformed_lines: "Complete lines that are not entries.",
      indexed_at: "When the row was last written, in Unix milliseconds.",
      overtakes:
        "1 while it is read only in part and holds usage that will count in place of copies elsewhere once it is read to its end.",
    },
  },
  sessions: {
    about: "One row for each session: the header, and totals over its entries.",
    columns: {
      created_at: "Time in the header, in Unix milliseconds.",
      modified_at: "Last time a person or model said something, in Unix milliseconds.",
      last_activity_at: "As modified_at, but NULL where nobody said anything.",
      first_message_key: "The first user message: messages.entry_key.",
      leaf_key: "The last entry: entries.key.",
      walk_by_text:
        "1 where ids repeat or are missing, or parents stand below: walk by parent_id, not by parent_key.",
      irregular: "1 where a line is not as pi writes it; such a session is listed and opened from its file.",
      parent_path: "Path of the session it comes from, as the header states it.",
      parent_file_id: "The session it comes from, if the index has it: files.id.",
      root_file_id:
        "The session of a person that it belongs to, itself unless it is a sub-agent's: files.id.",
      copied: "1 where it holds entries from before it was created.",
      last_provider: "Provider of the model in use at the end.",
      last_model: "The model in use at the end.",
    },
  },
  entries: {
    about:
      "One row for each entry, in file order by key; the entry itself is in the file at offset. A view of entry_rows.",
    columns: {
      key: "Number of the entry in this index; never used twice.",
      parent_id: "Id of the entry before it in the tree; NULL at a root.",
      kind: "What it shares with other entries: entry_kinds.id.",
    },
  },
  entry_rows: {
    about: "Entries as they are stored; the view entries shows them in full.",
    columns: {
      key: "Number of the entry in this index; never used twice.",
      unknown_parent: "Id of a parent that the file does not hold.",
      kind: "What it shares with other entries: entry_kinds.id.",
      preview: "The same as in entries; NULL where it is how its message begins.",
    },
  },
  entry_kinds: {
    about: "What entries have in common, each combination once.",
    columns: { id: "Number of the combination." },
  },
  turning_entries: {
    about: "Compactions and changes of model or thinking level: what comes after them depends on them.",
    columns: { key: "The entry: entries.key." },
  },
  messages: {
    about:
      "The text of user and assistant messages, its first 2 million characters; of data in it, such as base64, a beginning. A view of message_rows.",
    columns: { role: "user or assistant." },
  },
  message_rows: { about: "Messages as they are stored; the view messages adds their role.", columns: {} },
  tool_calls: {
    about: "One row for each tool call, with the result that answered it.",
    columns: {
      key: "Number of the call in this index.",
      call_id: "Id the model gave the call; may repeat.",
      name: "Name of the tool.",
      path: "The file it is about, where the tool takes one.",
      call_key: "The assistant message that made the call, or the result of the tool that did: entries.key.",
      result_key:
        "The tool result: entries.key; NULL where none came. Equal to call_key for a call by a tool.",
      duration_ms:
        "How long the tool ran, in milliseconds; from call to result where pi has not measured it.",
    },
  },
  usage: {
    about:
      "What counts of each place that holds usage; add up rows with counted = 1 only. A view of usage_rows, without what sessions of sub-agents account for.",
    columns: { kind: "What it shares with other usage: usage_kinds.id." },
  },
  usage_rows: {
    about: "Usage as the files state it; the view usage has what counts of it.",
    columns: {
      given_id: "Id made up for an entry that has none.",
      kind: "What it shares with other usage: usage_kinds.id.",
    },
  },
  unaccounted_usage: {
    about: "What counts of a tool result that sessions of sub-agents account for in part.",
    columns: {},
  },
  subagents: {
    about: "Runs of sub-agents that tool results and messages of extensions tell of.",
    columns: {
      run: "Number of the run within its entry, from 0 on.",
      agent: "Name of the sub-agent, if it is told.",
      session_file: "Path of its session, as it is told, made absolute.",
      session_id: "Id of its session, where that path ends with one.",
      child_file_id: "Its session, if the index has it: files.id.",
    },
  },
  usage_kinds: {
    about: "What places that hold usage have in common, each combination once.",
    columns: { id: "Number of the combination." },
  },
  usage_quarters: {
    about: "Usage added up by quarter of an hour, from which days of any time zone can be made.",
    columns: {
      quarter: "Unix time divided by 900 seconds.",
      priced_input: "The part of input whose cost is stated.",
      cost_from_provider: "The part of cost that the provider itself has stated, in US dollars.",
      timed_requests: "The part of requests of which is known how long they took.",
      timed_output: "The output of those.",
      duration_ms: "How long those took together, in milliseconds.",
      priced_cache:
        "The part of cache_read and cache_write that belongs to requests that state the parts of their cost.",
    },
  },
  projects: {
    about: "Which project each working directory is, as far as anybody has looked at it.",
    columns: {
      cwd: "A working directory, as sessions state it.",
      project:
        "The directory that stands for the project, by whichever of its names a session was held in it.",
      place: "Where the working directory lies by itself: links, linked worktrees and aliases followed.",
      remote: "Remote of its git repository, as host/path; NULL where there is none.",
      inside: "Where it lies below the top of the repository's work tree; empty at the top.",
      alias: "What the setting aliases makes of it; NULL where that says nothing.",
      looked_at: "When the directory was looked at last, in Unix milliseconds.",
    },
  },
  labels: {
    about: "The label an entry carries now.",
    columns: { label_key: "The entry that set the label: entries.key." },
  },
  malformed_lines: { about: "Lines that are not entries, up to 1,000 for each file.", columns: {} },
  removed_keys: {
    about: "Keys of entries that are gone, for the full text to forget, until a purge.",
    columns: {
      seq: "Number of the removal.",
      first_key: "First key that is gone.",
      last_key: "Last key that is gone.",
    },
  },
  key_lots: {
    about:
      "Keys of entries that were handed out together, until a purge: by them the full text knows its index again.",
    columns: {
      first_key: "First of the keys; the last is the one before the next lot.",
      token: "A random number.",
    },
  },
};

/** These views are declared by the migrations alone; a test finds what is not described. */
export const VIEWS: Record<string, Described> = {
  session_summary: {
    about: "Sessions with their files, times as text and cost, own and inherited.",
    columns: {
      created: "ISO 8601 UTC.",
      modified: "ISO 8601 UTC.",
      size_bytes: "Size of the file.",
      own_cost: "cost without inherited_cost.",
    },
  },
  usage_hourly: { about: "Usage by hour, UTC.", columns: { hour: "2026-11-03T14:00Z" } },
  usage_daily: { about: "Usage by day, UTC.", columns: { day: "2026-11-03" } },
  usage_weekly: { about: "Usage by week, UTC.", columns: { week: "The Monday it begins with: 2026-11-02" } },
  usage_monthly: { about: "Usage by month, UTC.", columns: { month: "2026-11" } },
  usage_over_time: {
    about: "Usage by quarter of an hour, session, model and source: a series for dashboards.",
    columns: {
      time: "When the quarter began, in Unix seconds.",
      project: "projects.project, else the working directory.",
    },
  },
  usage_by_session: { about: "Usage by session, copies in it left out.", columns: {} },
  usage_by_family: { about: "Usage by session of a person, with that of its sub-agents.", columns: {} },
  usage_by_agent: {
    about: "Usage by sub-agent: of their sessions, and of results that name one; all other usage is none.",
    columns: { agent: "Name of the sub-agent, or none." },
  },
  usage_by_thinking: {
    about: "Usage by how much the model was asked to think.",
    columns: { thinking: "The level, or unknown." },
  },
  usage_by_project: {
    about: "Usage by project: worktrees, clones and former places of a directory are one.",
    columns: { project: "projects.project, else the working directory." },
  },
  usage_by_model: {
    about: "Usage by provider and model.",
    columns: {
      cache_savings:
        "US dollars the prompt cache saved, at the price the files state for input; NULL where they state none.",
    },
  },
  usage_by_provider: { about: "Usage by provider.", columns: {} },
  usage_by_source: { about: "Usage by what it was spent on.", columns: {} },
  usage_by_tool: {
    about: "Usage that tool results hold (nested calls of models), by tool; all other usage is none.",
    columns: { tool: "Name of the tool, or none." },
  },
  usage_by_label: {
    about: "Usage by the label it stands under: its entry's own, else the nearest one above it in the tree.",
    columns: { label: "Text of the label, or none." },
  },
  usage_by_branch: {
    about: "Usage on the branches sessions end in, and on those that were abandoned.",
    columns: { branch: "current or abandoned." },
  },
  usage_abandoned: {
    about:
      "Usage on abandoned branches, one row per entry: neither it nor a copy is on the way to a session's leaf.",
    columns: { time: "ISO 8601 UTC." },
  },
  usage_copies: { about: "What copies in forks hold, and the other usage views leave out.", columns: {} },
  entries_under_label: { about: "Entries with the label they stand under, if any.", columns: {} },
  labelled_entries: {
    about: "Entries that carry a label.",
    columns: { labelled: "Since when, ISO 8601 UTC." },
  },
  tool_stats: {
    about: "Calls of each tool.",
    columns: {
      tool: "Name of the tool.",
      calls: "Number of calls.",
      answered: "Number of calls that have a result.",
      errors: "Number of results that are errors.",
      average_ms: "Mean of tool_calls.duration_ms, in milliseconds.",
      longest_ms: "Longest time to the result, in milliseconds.",
    },
  },
  file_touches: {
    about: "Tool calls that were about a file.",
    columns: { file: "The path given to the tool.", tool: "Name of the tool.", time: "ISO 8601 UTC." },
  },
};
