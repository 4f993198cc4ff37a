import { describe, expect, test } from "vitest";
import { questionIn, titleOf } from "../../src/text/title.ts";
import { fc } from "../helpers/drawn.ts";

const SKILL = (name: string, body = "# Steps\n\nOne by one.") =>
  `<skill name="${name}" location="/home/ada/.pi/agent/skills/${name}/SKILL.md">\nReferences are relative to /home/ada/.pi/agent/skills/${name}.\n\n${body}\n</skill>`;
const FILE = (path: string, content = "a line\n") => `<file name="${path}">\n${content}\n</file>\n`;
const FENCE = (label: string, fields: object) =>
  `${label}\n\`\`\`json\n${JSON.stringify(fields, null, 2)}\n\`\`\`\n\n`;
const REMINDER = "<system-reminder>\nToday is Monday.\n</system-reminder>\n";

const MACHINE: [string, string][] = [
  ["a skill", `${SKILL("release")}\n\n`],
  ["several skills", `${SKILL("release")}\n\n${SKILL("changelog")}\n\n`],
  ["a skill about skills", `${SKILL("meta", `Write:\n\n${SKILL("inner")}\n\nand stop.`)}\n\n`],
  ["a skill without a place", '<skill name="x">\nbody\n</skill>\n\n'],
  ["an attached file", FILE("/home/ada/notes.md")],
  ["several attached files", FILE("/a/one.ts") + FILE("/a/two.ts")],
  ["an attached picture", '<file name="/a/b.png"></file>\n'],
  ["a picture that was left out", '<file name="/a/b.png">[Image omitted: too large.]</file>\n'],
  ["a file that holds attached files", FILE("/a/log.txt", `before\n${FILE("/b/c")}after`)],
  ["a file that only closes", FILE("/a/log.txt", "before\n</file>\nafter")],
  ["a file that only opens", FILE("/a/log.txt", 'before\n<file name="x">\nafter')],
  ["a file with a fence", FILE("/a/log.md", "```json\n{}\n```")],
  ["who has sent it", FENCE("Sender (untrusted metadata):", { label: "Ada", id: "12" })],
  [
    "a conversation and its sender",
    FENCE("Conversation info (untrusted metadata):", { message_id: "7" }) +
      FENCE("Sender (untrusted metadata):", { name: "Ada" }),
  ],
  ["what it replies to", FENCE("Replied message (untrusted, for context):", { body: "```no" })],
  ["a fence without a label", FENCE("", { chat_id: 4, text: "x" }).trimStart()],
  ["a fence of its own language", "```metadata\nfrom = ada\n```\n"],
  ["an envelope", "[Telegram Ada (@ada) id:12 +5m] "],
  ["the time it was sent", "[Tue 2026-02-17 21:30 UTC] "],
  ["the time and the speaker", "[2025-11-26 10:44:00+01:00] [ada]: "],
  [
    "events",
    "System: [2026-01-12 12:19:17 PST] Node connected.\nSystem: [2026-01-12 12:20:00 PST] Gone.\n\n",
  ],
  ["a reminder", REMINDER],
  ["several reminders", `${REMINDER}\n${REMINDER}`],
  ["an environment", "<environment_context>\n  <cwd>/a</cwd>\n</environment_context>\n\n"],
  ["an element on lines of its own", '<slack from="ada">\nx\n</slack>\n'],
  ["a one-line reminder", "<system-reminder>Be brief.</system-reminder>\n"],
  ["front matter", "---\nfrom: Ada\nchannel: mail\n---\n"],
  ["the headers of a letter", "From: Ada <ada@example.org>\nSubject: again\n\n"],
];

const QUESTIONS = [
  "cut a release of 0.4",
  "why does <Button> not render?",
  "résumé 🍐\nand more",
  "[x] or not",
];

describe("the question is what follows", () => {
  test.each(MACHINE)("%s", (_name, before) => {
    for (const question of QUESTIONS) expect(questionIn(before + question)).toBe(question);
  });

  test("any of these after one another", () => {
    const befores = fc.array(fc.constantFrom(...MACHINE), { maxLength: 4 });
    fc.assert(
      fc.property(befores, fc.constantFrom(...QUESTIONS), (parts, question) => {
        const before = parts.map(([, text]) => (text.endsWith("\n") ? text : `${text}\n`)).join("");
        expect(questionIn(before + question)).toBe(question);
      }),
    );
  });
});

test.each([
  ["fix this", "fix this\n\n<system-reminder>\nx\n</system-reminder>"],
  ["what is it?", `what is it?\n${FILE("/a/b")}`],
  ["read these", "read these\n<slack_attachments>\n/a/b\n</slack_attachments>"],
  ["fix the parser", "<user_query>\nfix the parser\n</user_query>"],
  ["fix the parser", "<additional_data>\nx\n</additional_data>\n<user_query>\nfix the parser\n</user_query>"],
  ["hello", '<channel source="telegram" user="ada">hello</channel>'],
  ["hello", `<message from="ada">\n${REMINDER}hello\n</message>`],
  ["/skill:release", SKILL("release")],
  ["", FILE("/a/b")],
  ["", REMINDER],
  ["", FENCE("Sender (untrusted metadata):", {})],
])("the question is %j in %j", (question, text) => {
  expect(questionIn(text)).toBe(question);
});

test.each([
  "plain words",
  "[line 12] is wrong",
  'how do I mark untrusted input:\n```json\n{ "a": 1 }\n```\nlike this?',
  "[signal handler] is never called",
  "[email validation] accepts a@b",
  "[Teams] does not log in",
  "<Button> does not render",
  "<b>bold</b> is not bold here",
  "<div class='a'>x</div> overflows, why?",
  'Here is my config:\n```json\n{ "port": 1 }\n```\nwhy is it refused?',
  "```ts\nconst a = 1;\n```\nwhat does this do?",
  "[link](https://example.org) is dead",
  "[WIP] finish it",
  "- one\n- two",
  "--- a/file\n+++ b/file\napply it",
  "Time: it takes too long",
  "a message: it says <file name",
  "To do:\n\n- all",
])("what a person wrote stays whole: %j", (text) => {
  expect(questionIn(text)).toBe(text);
});

test("any text has an answer, and soon", () => {
  const parts = fc.constantFrom(
    '<skill name="a">',
    "</skill>",
    '<file name="b">',
    "</file>",
    "\n",
    "```",
    "---",
    ": ",
    "[",
    "]",
    "From: a\n",
    "x",
    "(untrusted metadata):\n",
    "<a-b>",
    " ",
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 60 }), (made) => {
      const text = made.join("");
      expect(text).toContain(questionIn(text).replace(/^\/skill:.*$/, ""));
    }),
  );
  for (const unit of ['<file name="b">\n', "</file>\n", "a: b\n", "<a-b> ", " ", "[x]", "```\n"]) {
    questionIn(`<file name="a">\n${unit.repeat(100_000)}`);
    questionIn(`---\n${unit.repeat(100_000)}`);
    questionIn(`\`\`\`json\nfrom: ${unit.repeat(100_000)}`);
  }
});

describe("a session whose first message is a program's is called", () => {
  test.each<[string, string[]]>([
    ["go on", [REMINDER, "go on"]],
    ["go on", [FILE("/a/b"), FILE("/a/c"), "go on", "and on"]],
    ["/skill:release", [SKILL("release"), "go on"]],
    ["@notes.md @plan.md", [FILE("/a/notes.md") + FILE("C:\\b\\plan.md")]],
    ["<system-reminder> Today is Monday. </system-reminder>", [REMINDER]],
  ])("%s", (title, said) => {
    expect(titleOf(null, said)).toBe(title);
  });
});

describe("what nobody can see is no title:", () => {
  test.each<[string, string | null, string[], string]>([
    ["a message of a space without width", null, ["\u200b", "go on"], "go on"],
    ["joiners and fillers alone", null, ["\u200d\u3164 \u2060"], "(no messages)"],
    ["a name", "\u200b", ["go on"], "go on"],
  ])("%s", (_what, name, said, title) => {
    expect(titleOf(name, said)).toBe(title);
  });

  test("an emoji or a sign is seen", () => {
    for (const text of ["👍", "?", "की", "\ue0b0"]) expect(titleOf(null, [text])).toBe(text);
  });
});
