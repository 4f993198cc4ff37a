import { describe, expect, test } from "vitest";
import { blocksOf, messageText, previewOf, stringsIn } from "../../src/format/content.ts";
import type { JsonObject, JsonValue } from "../../src/format/json.ts";
import { foldedLine } from "../../src/text/preview.ts";
import { titleOf } from "../../src/text/title.ts";
import { fc } from "../helpers/drawn.ts";

const text = (words: string) => ({ type: "text", text: words });

describe("the text of a message", () => {
  test("is its content when that is a string", () => {
    expect(messageText({ content: "hello" })).toBe("hello");
  });

  test("is its text blocks with a space between, others left out", () => {
    const content = [
      text("a"),
      { type: "image", data: "AAAA" },
      text("b"),
      { type: "thinking", thinking: "c" },
    ];
    expect(messageText({ content })).toBe("a b");
  });

  test.each([undefined, null, 5, {}, [null, 5, "x", ["y"], { type: "text", text: 7 }]])(
    "is empty when there is none in %j",
    (content) => {
      expect(messageText({ content })).toBe("");
    },
  );
});

test("content blocks are the objects of a list", () => {
  expect(blocksOf([text("a"), null, "b", [], 3])).toEqual([text("a")]);
});

describe("the preview of", () => {
  const message = (fields: JsonObject): JsonObject => ({ type: "message", message: fields });
  test.each<[string, JsonObject, string]>([
    ["a message is its text", message({ role: "user", content: "Which\n tree?" }), "Which tree?"],
    ["a command is the command", message({ role: "bashExecution", command: "ls", output: "x" }), "ls"],
    ["a summary message is the summary", message({ role: "branchSummary", summary: "Trees." }), "Trees."],
    [
      "a message of tool calls is the calls with what they were given",
      message({
        role: "assistant",
        content: [
          { type: "toolCall", name: "read", arguments: { path: "/a" } },
          { type: "toolCall", name: "bash", arguments: { command: "ls", deep: [1, { x: "y" }] } },
        ],
      }),
      "→ read /a → bash ls 1 y",
    ],
    [
      "an edit is the file, not what is written there",
      message({
        role: "assistant",
        content: [
          {
            type: "toolCall",
            name: "edit",
            arguments: { path: "/a", edits: [{ oldText: "b", newText: "c" }] },
          },
        ],
      }),
      "→ edit /a",
    ],
    [
      "a nameless tool call is a tool",
      message({ role: "assistant", content: [{ type: "toolCall" }] }),
      "→ tool",
    ],
    [
      "a message that only failed is the failure",
      message({ role: "assistant", content: [], errorMessage: "overloaded" }),
      "overloaded",
    ],
    ["a message that is none is empty", { type: "message", message: 7 }, ""],
    ["a compaction is its summary", { type: "compaction", summary: "S" }, "S"],
    ["a branch summary is its summary", { type: "branch_summary", summary: "S" }, "S"],
    ["an extension's message is its text", { type: "custom_message", content: [text("C")] }, "C"],
    ["an extension's state is its type", { type: "custom", customType: "todo", data: "secret" }, "todo"],
    ["a label is the label", { type: "label", label: "L" }, "L"],
    ["a label taken away is empty", { type: "label" }, ""],
    ["a name is the name", { type: "session_info", name: "N" }, "N"],
    ["a model change is provider and model", { type: "model_change", provider: "p", modelId: "m" }, "p/m"],
    ["a model change without provider is the model", { type: "model_change", modelId: "m" }, "m"],
    ["a thinking level is the level", { type: "thinking_level_change", thinkingLevel: "high" }, "high"],
    ["a usage entry is its note", { type: "usage", kind: "cache_warm", note: "idle" }, "idle"],
    ["a usage entry without a note is its kind", { type: "usage", kind: "cache_warm" }, "cache_warm"],
    ["an unknown entry is empty", { type: "hologram", text: "T" }, ""],
  ])("%s", (_name, entry, preview) => {
    expect(previewOf(entry)).toBe(preview);
  });

  test("a long text is its first 80 characters", () => {
    expect(previewOf({ type: "compaction", summary: "ab ".repeat(1_000_000) })).toBe(
      "ab ".repeat(27).slice(0, 80),
    );
  });
});

describe("the strings inside a value", () => {
  test("are its strings and numbers in order, without keys", () => {
    expect(stringsIn({ a: "x", b: [1, { c: "y" }, null, true], d: "z" }, 100)).toEqual(["x", "1", "y", "z"]);
  });

  test("stop after so many characters", () => {
    expect(stringsIn(["abc", "def", "ghi"], 5)).toEqual(["abc", "de"]);
  });

  test("A30: are found 100,000 levels deep", () => {
    let deep: JsonValue = "bottom";
    for (let level = 0; level < 100_000; level++) deep = level % 2 ? [deep] : { next: deep };
    expect(stringsIn(deep, 100)).toEqual(["bottom"]);
  });

  test("are found in a list of a million", () => {
    expect(stringsIn(new Array(1_000_000).fill("ab"), 3)).toEqual(["ab", "a"]);
  });

  test.each([undefined, null, true, [], {}])("are none in %j", (value) => {
    expect(stringsIn(value, 100)).toEqual([]);
  });
});

describe("one line of a text", () => {
  test("has its white space folded and its ends trimmed", () => {
    expect(foldedLine("  a \n\t b\u00a0c  ", 80)).toBe("a b c");
  });

  test("never splits a character of two units", () => {
    expect(foldedLine("ab🍐", 3)).toBe("ab");
  });

  test("is found behind a stretch of white space", () => {
    expect(foldedLine(`${" ".repeat(500)}here`, 80)).toBe("here");
  });

  test("is the beginning of the text as a regular expression folds it, whatever the white space", () => {
    const units = fc.constantFrom(
      ..." \t\n\v\f\r\u00a0\u1680\u2003\u2028\u202f\u205f\u3000\ufeff\u200b\u0085ab",
    );
    const texts = fc.array(units, { maxLength: 60 }).map((each) => each.join(""));
    fc.assert(
      fc.property(texts, fc.integer({ min: 2, max: 70 }), (text, length) => {
        expect(foldedLine(text, length)).toBe(text.replace(/\s+/g, " ").trim().slice(0, length));
      }),
    );
  });
});

describe("the title of a session is", () => {
  test.each<[string, string | null, string | null, string]>([
    ["its name", "The name", "first", "The name"],
    ["its first message where it has no name", null, "first\nmessage", "first message"],
    ["a note where it has neither", null, null, "(no messages)"],
    ["a note where the first message is white space", null, " \n ", "(no messages)"],
  ])("%s", (_name, name, first, title) => {
    expect(titleOf(name, first === null ? [] : [first])).toBe(title);
  });
});
