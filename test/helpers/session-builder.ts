import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentMessage } from "../../src/format/messages.ts";
import { sampleUsage } from "./sample-usage.ts";
import * as Parts from "./session-parts.ts";

type Content = Parts.Content;
type EntryOptions = Parts.EntryOptions;
type Fields = Record<string, unknown>;

/** Begins a session file: `session().user("hi").assistant({ text: "hello" }).write(path)`. */
export function session(options: Parts.SessionOptions = {}): SessionBuilder {
  return new SessionBuilder(options);
}

/**
 * Builds the text of one session file, entry by entry. Ids follow from the session id and the entry's number, the
 * clock starts at the header's time and gains a second with each entry, so the same calls give the same bytes.
 * Every method that adds an entry takes `EntryOptions` last: `{ id: "aaaa0001" }`, or any further field.
 */
export class SessionBuilder {
  readonly id: string;
  readonly header: Parts.Header;
  /** The entries so far, as objects, without raw lines. */
  readonly entries: Fields[] = [];
  readonly #version: 1 | 2 | 3;
  readonly #lines: (string | Uint8Array)[];
  #tail: string | Uint8Array = "";
  #leaf: string | null = null;
  #lastUser: { id: string | null; index: number } = { id: null, index: 1 };
  #toolCall: Parts.ToolCallPart | null = null;
  #now: number;

  constructor(options: Parts.SessionOptions) {
    this.header = Parts.headerOf(options);
    this.id = this.header.id;
    this.#version = options.version ?? 3;
    this.#now = Date.parse(this.header.timestamp);
    this.#lines = [JSON.stringify(this.header)];
  }

  /** The id of the newest entry, the parent of the next one; null at the start and in v1. */
  get lastId(): string | null {
    return this.#leaf;
  }

  user(content: Content, options?: EntryOptions): this {
    this.message({ role: "user", content, timestamp: this.#messageTime() }, options);
    this.#lastUser = { id: this.#leaf, index: this.entries.length };
    return this;
  }

  /** By default with the text "ok" and a usage with cost; `usage: null` leaves the usage out. */
  assistant(parts: Parts.AssistantParts = {}, options?: EntryOptions): this {
    const { text, thinking, toolCalls, content: given, usage, ...rest } = parts;
    const content = given ?? Parts.assistantContent({ text, thinking, toolCalls }, this.entries.length);
    this.#toolCall = Parts.lastToolCallOf(content) ?? this.#toolCall;
    return this.message(
      {
        role: "assistant",
        content,
        api: "anthropic-messages",
        provider: "anthropic",
        model: "claude-sonnet-4-5",
        ...Parts.usageField(usage === undefined ? sampleUsage(this.entries.length) : usage),
        stopReason: content.some((block) => block.type === "toolCall") ? "toolUse" : "stop",
        timestamp: this.#messageTime(),
        ...rest,
      },
      options,
    );
  }

  /** Answers the newest tool call unless `toolCallId` and `toolName` say otherwise. */
  toolResult(content: Content, parts: Parts.ToolResultParts = {}, options?: EntryOptions): this {
    const { id: toolCallId = "call_0", name: toolName = "bash" } = this.#toolCall ?? {};
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const fixed = { role: "toolResult", toolCallId, toolName, content: blocks, isError: false };
    return this.message({ ...fixed, timestamp: this.#messageTime(), ...parts }, options);
  }

  bash(command: string, output = "", parts: Fields = {}, options?: EntryOptions): this {
    const result = { exitCode: 0, cancelled: false, truncated: false };
    const timestamp = this.#messageTime();
    return this.message({ role: "bashExecution", command, output, ...result, timestamp, ...parts }, options);
  }

  system(content: Content, parts: Fields = {}, options?: EntryOptions): this {
    return this.message({ role: "system", content, timestamp: this.#messageTime(), ...parts }, options);
  }

  /** An extension's message as pi wrote it before `custom_message` entries: role `hookMessage` up to v2. */
  hookMessage(customType: string, content: Content, options?: EntryOptions): this {
    const role = this.#version < 3 ? "hookMessage" : "custom";
    const timestamp = this.#messageTime();
    return this.message({ role, customType, content, display: true, timestamp }, options);
  }

  /** Any message, exactly as given. */
  message(message: AgentMessage | Fields, options?: EntryOptions): this {
    return this.entry("message", { message }, options);
  }

  /** By default keeps the entries from the newest user message on; `firstKept` is an id, in v1 a line index. */
  compaction(summary: string, parts: Parts.CompactionParts = {}, options?: EntryOptions): this {
    const { firstKept, ...rest } = parts;
    const kept =
      this.#version === 1
        ? { firstKeptEntryIndex: firstKept ?? this.#lastUser.index }
        : { firstKeptEntryId: firstKept ?? this.#lastUser.id };
    return this.entry("compaction", { summary, ...kept, tokensBefore: 150_000, ...rest }, options);
  }

  branchSummary(summary: string, parts: Fields = {}, options?: EntryOptions): this {
    return this.entry("branch_summary", { fromId: this.#leaf ?? "root", summary, ...parts }, options);
  }

  /** Without a text it clears the label. */
  label(targetId: string, label?: string, options?: EntryOptions): this {
    return this.entry("label", { targetId, ...Parts.withoutUndefined({ label }) }, options);
  }

  /** Without a name it clears the name. */
  name(name?: string, options?: EntryOptions): this {
    return this.entry("session_info", Parts.withoutUndefined({ name }), options);
  }

  usage(kind: string, parts: Parts.UsageParts = {}, options?: EntryOptions): this {
    const { usage = sampleUsage(this.entries.length), ...rest } = parts;
    const model = { provider: "anthropic", model: "claude-haiku-4-5" };
    return this.entry("usage", { kind, ...model, ...Parts.usageField(usage), ...rest }, options);
  }

  modelChange(provider: string, modelId: string, options?: EntryOptions): this {
    return this.entry("model_change", { provider, modelId }, options);
  }

  thinkingLevel(thinkingLevel: string, options?: EntryOptions): this {
    return this.entry("thinking_level_change", { thinkingLevel }, options);
  }

  custom(customType: string, data?: unknown, options?: EntryOptions): this {
    return this.entry("custom", { customType, ...Parts.withoutUndefined({ data }) }, options);
  }

  customMessage(customType: string, content: Content, parts: Fields = {}, options?: EntryOptions): this {
    return this.entry("custom_message", { customType, content, display: true, ...parts }, options);
  }

  /** `null` leaves the target out of the context, content replaces its content. */
  contextEdit(targetId: string, content: Content | null, options?: EntryOptions): this {
    const replacement = content === null ? null : { content };
    return this.entry("context_edit", { targetId, replacement }, options);
  }

  /** An entry of any type. All methods above call this one. */
  entry(type: string, fields: Fields, options: EntryOptions = {}): this {
    this.#now += 1000;
    const { id = this.#nextId(), parentId = this.#leaf, timestamp = this.#iso(), ...extra } = options;
    const base = this.#version === 1 ? { type, timestamp } : { type, id, parentId, timestamp };
    const entry = { ...base, ...fields, ...extra };
    this.entries.push(entry);
    this.#lines.push(JSON.stringify(entry));
    if (this.#version !== 1) this.#leaf = id;
    return this;
  }

  /** A line exactly as given (without its newline); it becomes no entry's parent. */
  raw(line: string | Uint8Array): this {
    this.#lines.push(line);
    return this;
  }

  /** Bytes after the last newline, such as a writer leaves that has died. To be called last. */
  torn(tail: string | Uint8Array): this {
    this.#tail = tail;
    return this;
  }

  /** The next entry's parent is `id`, or a new root for null. */
  branchFrom(id: string | null): this {
    this.#leaf = id;
    return this;
  }

  /** Sets the time of the next entry. */
  at(time: string | number): this {
    this.#now = new Date(time).getTime() - 1000;
    return this;
  }

  /**
   * A fork as pi makes it: the lines so far, byte for byte, under a header of its own; more entries can be added.
   * By default it begins an hour after this session's newest entry; `timestamp` sets another time.
   */
  fork(options: Parts.SessionOptions & { id: string }): SessionBuilder {
    const timestamp = new Date(this.#now + 3_600_000).toISOString();
    const copy = new SessionBuilder({ cwd: this.header.cwd, version: this.#version, timestamp, ...options });
    copy.entries.push(...this.entries);
    copy.#lines.push(...this.#lines.slice(1));
    copy.#leaf = this.#leaf;
    copy.#lastUser = this.#lastUser;
    copy.#toolCall = this.#toolCall;
    return copy;
  }

  /** Header and entries, one string each, without newlines. */
  lines(): string[] {
    return this.#lines.map((line) => Buffer.from(line).toString());
  }

  /** The file's bytes: every line with its newline, then the bytes given to `torn`. */
  bytes(newline = "\n"): Buffer {
    const parts = this.#lines.flatMap((line) => [Buffer.from(line), Buffer.from(newline)]);
    return Buffer.concat([...parts, Buffer.from(this.#tail)]);
  }

  /** The same entries as one flat JSON array, the `.json` form of the format. */
  arrayBytes(): Buffer {
    return Buffer.from(JSON.stringify([this.header, ...this.entries], null, 2));
  }

  /** Writes the file, with its folders, and returns its path. */
  write(path: string): string {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, path.endsWith(".json") ? this.arrayBytes() : this.bytes());
    return path;
  }

  /** Writes the file where pi would put it below a sessions root, and returns its path. */
  writeBelow(root: string): string {
    return this.write(join(root, Parts.piPath(this.header)));
  }

  #nextId(): string {
    return createHash("sha1").update(`${this.id} ${this.entries.length}`).digest("hex").slice(0, 8);
  }

  #iso(): string {
    return new Date(this.#now).toISOString();
  }

  /** The time of a message, a little before that of its entry. */
  #messageTime(): number {
    return this.#now + 1000 - 7;
  }
}
