import { existsSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Appender, type FileMark } from "../../src/file/append.ts";
import { canLimitFileSize, withFileSizeLimit } from "./file-size-limit.ts";
import { fileWith, markOf, textOf } from "./marked-file.ts";

function appendLine(path: string, line: string, known: FileMark): FileMark {
  const appender = new Appender(path, known);
  try {
    appender.append(line);
    return appender.mark;
  } finally {
    appender.close();
  }
}

describe("Appender", () => {
  test("adds a line and tells where it ends", () => {
    const path = fileWith("one\n");
    const mark = appendLine(path, "two\n", markOf(path));
    expect(appendLine(path, "drei é\n", mark)).toEqual(markOf(path));
    expect(textOf(path)).toBe("one\ntwo\ndrei é\n");
  });

  test("begins a new line after a torn one", () => {
    const path = fileWith('one\n{"to');
    appendLine(path, "two\n", { ...markOf(path), end: "one\n".length });
    expect(textOf(path)).toBe('one\n{"to\ntwo\n');
  });

  test("goes on after what somebody else has appended", () => {
    const path = fileWith("one\n");
    const mark = markOf(path);
    writeFileSync(path, "theirs\n", { flag: "a" });
    appendLine(path, "two\n", mark);
    expect(textOf(path)).toBe("one\ntheirs\ntwo\n");
  });

  test("refuses another file, a shorter one, an empty one and a folder, and writes nothing", () => {
    const path = fileWith("one\ntwo\n");
    const mark = markOf(path);
    renameSync(path, `${path}.old`);
    writeFileSync(path, "one\ntwo\nthree\n");
    expect(() => appendLine(path, "x\n", mark)).toThrow("Another file has taken the place");
    const known = markOf(path);
    truncateSync(path, 4);
    expect(() => appendLine(path, "x\n", known)).toThrow("has become shorter");
    expect(textOf(path)).toBe("one\n");
    truncateSync(path, 0);
    expect(() => appendLine(path, "x\n", { ...known, end: 0 })).toThrow("has become shorter");
    expect(textOf(path)).toBe("");
  });

  test("fails where the file is gone", () => {
    const path = fileWith("one\n");
    const mark = markOf(path);
    renameSync(path, `${path}.old`);
    expect(() => appendLine(path, "two\n", mark)).toThrow(expect.objectContaining({ code: "ENOENT" }));
    expect(existsSync(path)).toBe(false);
  });

  test.skipIf(!canLimitFileSize)("B21: leaves the file as it was when only a part could be written", () => {
    const line = "a line of 19 bytes\n";
    for (let room = 0; room < line.length; room++) {
      const path = fileWith("one\n");
      const mark = markOf(path);
      const append = () => withFileSizeLimit(4 + room, () => appendLine(path, line, mark));
      expect(append, `room for ${room} bytes`).toThrow(
        expect.objectContaining({ code: room === 0 ? "EFBIG" : "io" }),
      );
      expect(textOf(path)).toBe("one\n");
      appendLine(path, line, mark);
      expect(textOf(path)).toBe(`one\n${line}`);
    }
  });
});
