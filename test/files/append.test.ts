import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { APPENDING, Appender, type FileMark, markOfRead, writeAtOnce } from "../../src/files/append.ts";
import { toFileStat } from "../../src/files/stat.ts";
import { canLimit, withFileSizeLimit } from "../helpers/limits.ts";
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

const AS_IT_WAS = expect.stringContaining("The file is as it was.");
const LEFT_TORN = expect.stringContaining("The next entry starts on a line of its own.");

describe("Appender", () => {
  test("adds a line and tells where it ends", () => {
    const path = fileWith("one\n");
    const mark = appendLine(path, "two\n", markOf(path));
    expect(appendLine(path, "drei é\n", mark)).toMatchObject(markOf(path));
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
    expect(appendLine(path, "two\n", mark)).toMatchObject(markOf(path));
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
    const folder = dirname(path);
    expect(() => appendLine(folder, "x\n", markOf(folder))).toThrow("Another file has taken the place");
  });

  test("refuses another file, a longer one too, in the place of the one it has open", () => {
    const path = fileWith("one\n");
    const appender = new Appender(path, markOf(path));
    appender.append("two\n");
    renameSync(fileWith("theirs, which is longer\n"), path);
    expect(() => appender.append("three\n")).toThrow("Another file has taken the place");
    appender.close();
    expect(textOf(path)).toBe("theirs, which is longer\n");
  });

  test("refuses a file that was given the number of the one it knows", () => {
    const path = fileWith("one\n");
    const known = { ...markOf(path), bornAt: 1 };
    writeFileSync(path, "theirs\n");
    expect(() => appendLine(path, "two\n", known)).toThrow("Another file has taken the place");
    expect(textOf(path)).toBe("theirs\n");
  });

  describe("G13: refuses a file that was rewritten in place, and writes nothing:", () => {
    const known = (path: string) =>
      markOfRead(toFileStat(statSync(path)), statSync(path).size, crc32(textOf(path)));
    const REWRITTEN = "was rewritten by another program";

    test.each([
      ["to the same length", "ONE\ntwo\n"],
      ["and longer", "other\nlines\nhere\n"],
    ])("%s, before the first line", (_how, text) => {
      const path = fileWith("one\ntwo\n");
      const mark = known(path);
      writeFileSync(path, text);
      expect(() => appendLine(path, "x\n", mark)).toThrow(REWRITTEN);
      expect(textOf(path)).toBe(text);
    });

    test.each(["one\ntwo\nxxx\n", "one\ntwo\nxxx\nmore\n", "oNe\ntwo\nx1\nmore\n"])(
      "between two lines, in the same moment or later: %j",
      (text) => {
        const path = fileWith("one\ntwo\n");
        const appender = new Appender(path, known(path));
        appender.append("x1x\n");
        writeFileSync(path, text);
        expect(() => appender.append("y\n")).toThrow(REWRITTEN);
        expect(() => appender.append("z\n")).toThrow(REWRITTEN);
        appender.close();
        expect(textOf(path)).toBe(text);
      },
    );

    test("and not one that was touched, or that others have appended to", () => {
      const path = fileWith("one\n");
      const appender = new Appender(path, known(path));
      appender.append("two\n");
      utimesSync(path, new Date(), new Date(1));
      appender.append("three\n");
      for (let n = 0; n < 3; n++) {
        writeFileSync(path, "theirs\n", { flag: "a" });
        appender.append("mine\n");
      }
      appender.close();
      expect(textOf(path)).toBe(`one\ntwo\nthree\n${"theirs\nmine\n".repeat(3)}`);
    });
  });

  test("fails where the file is gone", () => {
    const path = fileWith("one\n");
    const mark = markOf(path);
    renameSync(path, `${path}.old`);
    expect(() => appendLine(path, "two\n", mark)).toThrow(expect.objectContaining({ code: "ENOENT" }));
    expect(existsSync(path)).toBe(false);
  });

  test.skipIf(!canLimit)("B21: leaves the file as it was when only a part could be written", () => {
    const line = "a line of 19 bytes\n";
    for (let room = 0; room < line.length; room++) {
      const path = fileWith("one\n");
      const mark = markOf(path);
      const append = () => withFileSizeLimit(4 + room, () => appendLine(path, line, mark));
      const failure = room === 0 ? { code: "EFBIG" } : { code: "io", hint: AS_IT_WAS };
      expect(append, `room for ${room} bytes`).toThrow(expect.objectContaining(failure));
      expect(textOf(path)).toBe("one\n");
      appendLine(path, line, mark);
      expect(textOf(path)).toBe(`one\n${line}`);
    }
  });
});

describe.skipIf(!canLimit)("B21: a line of which only a part could be written", () => {
  /** Writes "two\n", of which a byte does not fit, to the file at a path as it was before `meanwhile`. */
  function writeTwo(path: string, meanwhile: () => void): () => void {
    const before = statSync(path);
    const fd = openSync(path, APPENDING);
    meanwhile();
    return () => {
      try {
        withFileSizeLimit(textOf(path).length + 3, () => writeAtOnce(fd, path, "two\n", before));
      } finally {
        closeSync(fd);
      }
    };
  }

  test("stays where somebody else has written before it", () => {
    const path = fileWith("one\n");
    const write = writeTwo(path, () => appendFileSync(path, "theirs\n"));
    expect(write).toThrow(expect.objectContaining({ code: "io", hint: LEFT_TORN }));
    expect(textOf(path)).toBe("one\ntheirs\ntwo");
  });

  test("stays in a file whose place another one has taken", () => {
    const path = fileWith("one\n");
    const write = writeTwo(path, () => {
      renameSync(path, `${path}.old`);
      writeFileSync(path, "new\n");
    });
    expect(write).toThrow(expect.objectContaining({ code: "io", hint: LEFT_TORN }));
    expect([textOf(`${path}.old`), textOf(path)]).toEqual(["one\ntwo", "new\n"]);
  });
});
