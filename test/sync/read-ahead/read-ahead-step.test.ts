import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { STEP_BYTES } from "../../../src/file/lines.ts";
import type { AheadStep } from "../../../src/sync/read-ahead/read-ahead-step.ts";
import { type SessionBuilder, session } from "../../helpers/session-builder.ts";
import { sharedTempDir } from "../../helpers/temp-dir.ts";
import { stepsAhead } from "./steps-ahead.ts";

const path = join(sharedTempDir(), "session.jsonl");
const talk = () => session({ id: "s1" }).user("question").assistant({ text: "answer" });

/** All steps to be had of a file. */
function stepsOf(content: string | Uint8Array | SessionBuilder): AheadStep[] {
  if (typeof content === "string" || content instanceof Uint8Array) writeFileSync(path, content);
  else content.write(path);
  return stepsAhead(path);
}

/** Three entries, of which no two fit into one step. */
function longTalk(): SessionBuilder {
  const built = session({ id: "s1" });
  for (let entry = 0; entry < 3; entry++) built.user("x".repeat(STEP_BYTES * 0.75));
  return built;
}

const text = (built: SessionBuilder) => Buffer.from(built.bytes()).toString();

describe("a file read ahead", () => {
  test("gives its header and a digest of each entry with its place", () => {
    const [step, ...more] = stepsOf(talk());
    const [header = "", question = ""] = talk().lines();
    expect(more).toEqual([]);
    expect(step).toMatchObject({ header: { id: "s1", version: 3 }, atEnd: true });
    expect(step?.entries.map(({ digest }) => digest.spoken)).toEqual(["question", "answer"]);
    expect(step?.entries[0]).toMatchObject({ offset: header.length + 1, length: question.length });
  });

  test("says how it was found, and covers every byte", () => {
    const [step] = stepsOf(talk());
    const { ino, mtimeMs, size } = statSync(path);
    expect(step).toMatchObject({
      stat: { inode: ino, mtimeMs, size },
      before: { length: 0 },
      after: { length: size },
    });
  });

  test("comes in steps that join", () => {
    const steps = stepsOf(longTalk());
    expect(steps.map(({ entries }) => entries.length)).toEqual([1, 1, 1]);
    expect(steps.slice(1).map(({ before }) => before)).toEqual(steps.slice(0, -1).map(({ after }) => after));
    expect(steps.map(({ header }) => header !== null)).toEqual([true, false, false]);
  });

  test("of version 2 has its old roles renamed", () => {
    const built = session({ id: "s1", version: 2 });
    const old = { type: "message", id: "a", parentId: null, message: { role: "hookMessage", content: "x" } };
    const [step] = stepsOf(`${text(built)}${JSON.stringify(old)}\n`);
    expect(step?.entries[0]?.digest.facts.role).toBe("custom");
  });

  test.each<[string, () => string]>([
    ["is empty", () => ""],
    ["is of version 1", () => text(session({ id: "s1", version: 1 }).user("question"))],
    ["begins with something else", () => `{"type":"note"}\n${text(talk())}`],
    ["begins with a byte order mark", () => `\ufeff${text(talk())}`],
    [
      "has a header with an object where a text belongs",
      () => `{"type":"session","id":"s","version":3,"cwd":{}}\n`,
    ],
    ["has a blank line", () => `${text(talk())}\n`],
    ["has a second header", () => text(talk()) + text(talk())],
    ["has a line that does not parse", () => `${text(talk())}{"type":\n`],
    ["has a line that is no object", () => `${text(talk())}5\n`],
    ["ends in the middle of a line", () => text(talk()).slice(0, -1)],
    [
      "has a line longer than a step",
      () => text(session({ id: "s1" }).user("x".repeat(STEP_BYTES + 100_000))),
    ],
  ])("is left to the one whose turn it is where it %s", (_what, content) => {
    expect(stepsOf(content()).flatMap(({ entries }) => entries)).toEqual([]);
  });

  test("is left where it stops being plain", () => {
    const steps = stepsOf(`${text(longTalk())}no json\n`);
    expect(steps.map(({ entries, atEnd }) => [entries.length, atEnd])).toEqual([
      [1, false],
      [1, false],
    ]);
  });
});
