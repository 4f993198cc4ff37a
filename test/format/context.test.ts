import { describe, expect, test } from "vitest";
import {
  buildContextEntries,
  buildSessionContext,
  buildSessionProjection,
  type ContextView,
  contextOf,
  getLatestCompactionEntry,
} from "../../src/format/context.ts";
import { projectContextEntry, sessionEntryToContextMessages } from "../../src/format/context-messages.ts";
import { parseSessionEntries } from "../../src/format/parse.ts";
import type { ContextEditEntry, FileEntry, SessionEntry } from "../../src/format/types.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";

function entriesOf(built: SessionBuilder): SessionEntry[] {
  const isEntry = (entry: FileEntry): entry is SessionEntry => entry.type !== "session";
  return parseSessionEntries(built.bytes().toString()).filter(isEntry);
}

/** A long conversation with settings, a compaction, an edit and things the model never sees. */
const compacted = session()
  .thinkingLevel("high", { id: "thinking" })
  .user("first", { id: "first" })
  .assistant({ text: "answer", model: "opus" }, { id: "answer" })
  .custom("state", { big: "x".repeat(100) }, { id: "state" })
  .system("be brief", {}, { id: "system" })
  .user("kept", { id: "kept" })
  .label("kept", "here", { id: "label" })
  .assistant({ text: "kept too", model: "sonnet" }, { id: "kept-too" })
  .compaction(
    "summary",
    { firstKept: "kept", systemMessage: { role: "system", content: "all", timestamp: 1 } },
    { id: "cut" },
  )
  .name("named", { id: "name" })
  .contextEdit("kept", "edited", { id: "edit" })
  .user("last", { id: "last" });

const texts = (messages: readonly object[]) =>
  messages.map((message) => {
    if ("summary" in message) return message.summary;
    const content: unknown = "content" in message ? message.content : null;
    return Array.isArray(content) ? content.map((block) => block.text).join() : content;
  });

describe("the context of a compacted branch", () => {
  const entries = entriesOf(compacted);

  test("is the compaction, what it kept without system messages, and what follows", () => {
    const ids = buildContextEntries(entries).map((entry) => entry.id);
    expect(ids).toEqual(["cut", "kept", "label", "kept-too", "name", "edit", "last"]);
  });

  test("may hold all of it, from its first entry on, or nothing from before the compaction", () => {
    const ids = (firstKept: string) => {
      const built = session().user("a", { id: "a" }).user("b", { id: "b" });
      built.compaction("s", { firstKept }, { id: "cut" }).user("c", { id: "c" });
      return buildContextEntries(entriesOf(built)).map((entry) => entry.id);
    };
    expect([ids("a"), ids("b"), ids("nobody")]).toEqual([
      ["cut", "a", "b", "c"],
      ["cut", "b", "c"],
      ["cut", "c"],
    ]);
  });

  test("becomes messages: the system message in force, the summary, the edited entry, the rest", () => {
    const { messages, thinkingLevel, model } = buildSessionContext(entries);
    expect(texts(messages)).toEqual(["all", "summary", "edited", "kept too", "last"]);
    expect(thinkingLevel).toBe("high");
    expect(model).toEqual({ provider: "anthropic", modelId: "sonnet" });
  });

  test("of an earlier leaf is what it was then", () => {
    expect(texts(buildSessionContext(entries, "answer").messages)).toEqual(["first", "answer"]);
    expect(texts(buildSessionContext(entries, "answer", null).messages)).toEqual(["first", "answer"]);
    expect(buildSessionContext(entries, "answer").model?.modelId).toBe("opus");
    expect(buildSessionContext(entries, null)).toEqual({ messages: [], thinkingLevel: "off", model: null });
  });

  test("names the entry each message comes from", () => {
    const projection = buildSessionProjection(entries);
    const speaking = projection.entries.filter((entry) => entry.messages.length > 0);
    expect(speaking.map((entry) => entry.sourceEntry.id)).toEqual(["cut", "kept", "kept-too", "last"]);
    expect(projection.messages).toEqual(buildSessionContext(entries).messages);
  });

  test("is decided without the bodies of entries that say nothing in it", () => {
    const read: string[] = [];
    const rows = entries.map(({ id, type }) => ({ id, type }));
    const bodies = new Map(entries.map((entry) => [entry.id, entry]));
    const view: ContextView<{ id: string; type: string }> = {
      id: (row) => row.id,
      type: (row) => row.type,
      role: (row) => {
        const entry = bodies.get(row.id);
        return entry?.type === "message" ? entry.message.role : "";
      },
      firstKeptEntryId: () => "kept",
      read: (wanted) => {
        read.push(...wanted.map((row) => row.id));
        return wanted.map((row) => bodies.get(row.id)).filter((entry) => entry !== undefined);
      },
    };
    expect(contextOf(rows, view)).toEqual(buildSessionContext(entries));
    expect(read).toEqual(["cut", "kept", "kept-too", "edit", "last", "thinking", "kept-too"]);
  });
});

describe("edits", () => {
  test("the latest of a target counts; null leaves it out", () => {
    const built = session().user("a", { id: "a" }).assistant({}, { id: "b" }).contextEdit("a", null);
    expect(texts(buildSessionContext(entriesOf(built)).messages)).toEqual(["ok"]);
    const again = entriesOf(built.contextEdit("a", "again").contextEdit("b", "plain"));
    expect(texts(buildSessionContext(again).messages)).toEqual(["again", "plain"]);
  });

  test("a model's message gets its text as a block", () => {
    const built = session().assistant({}, { id: "b" }).contextEdit("b", "plain");
    const [message] = buildSessionContext(entriesOf(built)).messages;
    expect(message).toMatchObject({ role: "assistant", content: [{ type: "text", text: "plain" }] });
  });

  test("of another branch does not count", () => {
    const built = session().user("a", { id: "a" }).contextEdit("a", null).branchFrom("a").assistant();
    expect(texts(buildSessionContext(entriesOf(built)).messages)).toEqual(["a", "ok"]);
  });
});

describe("one entry's messages", () => {
  test("missing content becomes empty", () => {
    const built = session()
      .message({ role: "user", content: null })
      .message({ role: "system" })
      .entry("custom_message", { customType: "x", display: true });
    const messages = entriesOf(built).flatMap(sessionEntryToContextMessages);
    expect(messages.map((message) => "content" in message && message.content)).toEqual([[], "", []]);
  });

  test("a branch summary without text, settings and unknown types say nothing", () => {
    const built = session().branchSummary("").modelChange("p", "m").entry("hologram", {}).name("n");
    expect(entriesOf(built).flatMap(sessionEntryToContextMessages)).toEqual([]);
  });
});

test("one entry alone says what it says in the context, with the edit that applies to it", () => {
  const built = session().user("a", { id: "a" }).contextEdit("a", null).contextEdit("a", "b");
  const [said, left, replaced] = entriesOf(built);
  const withEdit = (edit: SessionEntry | undefined) =>
    texts(projectContextEntry(said as SessionEntry, edit as ContextEditEntry | undefined));
  expect([undefined, left, replaced].map(withEdit)).toEqual([["a"], [], ["b"]]);
});

test("the latest compaction is the last in the list", () => {
  const entries = entriesOf(session().user("a").compaction("one").user("b").compaction("two"));
  expect(getLatestCompactionEntry(entries)?.summary).toBe("two");
  expect(getLatestCompactionEntry([])).toBeNull();
});
