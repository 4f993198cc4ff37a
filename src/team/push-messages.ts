import { SessionDbError } from "../errors.ts";
import type { Index } from "../store/open.ts";
import { maskSecrets } from "../text/secrets.ts";
import type { PushCursor } from "./push-cursor.ts";
import { PIECE_CHARS, PIECE_ROWS, type PushPiece, pushPiecesOf, type ReadTexts } from "./push-pieces.ts";
import type { PushableFile, PushPlan, PushRules } from "./push-plan.ts";

/** What is pushed, and by whom. */
export interface PushOptions {
  rules: PushRules;
  /** What the device is called. */
  label: string;
  cursor: PushCursor;
  readTexts: ReadTexts;
  /** Sends everything again, whatever was sent. */
  all?: boolean;
  signal?: AbortSignal;
}

/** What is sent in one call of a function, to the byte. */
export interface PushMessage {
  call: "hello_v1" | "tombstone_v1" | "push_sessions_v1";
  json: string;
}

/** Pieces that go together. */
export interface PushBatch extends PushMessage {
  pieces: { piece: PushPiece; file: PushableFile }[];
}

/** Files that are taken out in one call. */
const REMOVALS = 500;
/** Says that the device is there. */
export function helloOf({ changed }: PushPlan, { cursor, label, rules }: PushOptions): PushMessage {
  const { device } = cursor;
  return messageOf("hello_v1", {
    device,
    label,
    client: rules.client,
    level: rules.level,
    waiting: changed.length,
  });
}

function messageOf(call: PushMessage["call"], payload: object): PushMessage {
  return { call, json: JSON.stringify(payload, acceptable) };
}

/** Characters of what is compared and indexed there; PostgreSQL's indexes end at 2,704 bytes. */
const LONGEST_NAME = 500;
const WHOLE_TEXTS = ["text", "words", "models"];
/** What whoever made it has called as they liked. Texts, titles and names are masked where they are read. */
const CALLED = new Set([
  "project",
  "agent",
  "provider",
  "model",
  "models",
  "last_model",
  "tool",
  "tool_name",
]);

/** PostgreSQL takes neither U+0000 nor half a character, nor names of megabytes. */
function acceptable(name: string, value: unknown): unknown {
  if (typeof value !== "string") return value;
  const whole = CALLED.has(name) ? maskSecrets(value) : value;
  const text = WHOLE_TEXTS.includes(name) ? whole : whole.slice(0, LONGEST_NAME);
  return text.replaceAll("\0", "").toWellFormed();
}

/** Takes files out. */
export function* removalsOf(files: readonly string[], device: string): Generator<PushMessage> {
  for (let at = 0; at < files.length; at += REMOVALS)
    yield messageOf("tombstone_v1", { device, files: files.slice(at, at + REMOVALS) });
}

export interface BatchOptions extends PushOptions {
  /** Told of a file that cannot be read now. */
  leave: (file: PushableFile, error: SessionDbError) => void;
}

/** Pieces of many files, as much at a time as one transaction should take. */
export function* batchesOf(index: Index, plan: PushPlan, options: BatchOptions): Generator<PushBatch> {
  let pieces: PushBatch["pieces"] = [];
  let [rows, chars] = [0, 0];
  for (const changed of plan.changed) {
    for (const piece of readablePieces(index, changed, options)) {
      pieces.push({ piece, file: changed.file });
      rows += 1 + piece.usage.length;
      chars += (piece.texts ?? []).reduce((sum, { text, words }) => sum + text.length + words.length, 0);
      if (rows < PIECE_ROWS && chars < PIECE_CHARS) continue;
      yield batchOf(pieces, options);
      [pieces, rows, chars] = [[], 0, 0];
    }
  }
  if (pieces.length > 0) yield batchOf(pieces, options);
}

export function batchOf(pieces: PushBatch["pieces"], { cursor: { device } }: PushOptions): PushBatch {
  return { ...messageOf("push_sessions_v1", { device, pieces: pieces.map(({ piece }) => piece) }), pieces };
}

/** The pieces of a file, until it turns out to have changed. */
function* readablePieces(
  index: Index,
  changed: PushPlan["changed"][number],
  options: BatchOptions,
): Generator<PushPiece> {
  const { rules, readTexts, leave } = options;
  try {
    yield* pushPiecesOf(index.database, changed, { level: rules.level, readTexts });
  } catch (error) {
    if (!(error instanceof SessionDbError) || error.code !== "io") throw error;
    leave(changed.file, error);
  }
}
