import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  findNewline,
  isTooLong,
  type Line,
  LineReader,
  LONGEST_LINE,
  MOST_LINES,
  readFully,
  STEP_BYTES,
  type Step,
} from "../../src/files/lines.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";

const path = join(sharedTempDir(), "lines");
const MB = 1024 * 1024;
/** More than one step's buffer holds. */
const LONG = STEP_BYTES + MB;

/** A stretch of a file: bytes at an offset; what lies between stretches is a hole, read as NUL. */
type Stretch = [at: number, bytes: string | Uint8Array];

function withFile<T>(stretches: Stretch[], size: number, use: (fd: number) => T): T {
  const fd = openSync(path, "w+");
  try {
    for (const [at, bytes] of stretches) writeSync(fd, Buffer.from(bytes as string), 0, null, at);
    ftruncateSync(fd, size);
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

interface ReadLine extends Omit<Line, "bytes" | "head"> {
  text: string | null;
}

/** All steps to the end, their lines copied out of the buffer the reader reuses. */
function readAll(
  fd: number,
  size: number,
  from = 0,
): { lines: ReadLine[]; steps: Omit<Step, "lines" | "bytes">[] } {
  const reader = new LineReader();
  const lines: ReadLine[] = [];
  const steps: Omit<Step, "lines" | "bytes">[] = [];
  for (let at = from, atEnd = false; !atEnd; ) {
    const { lines: found, bytes: _, ...step } = reader.readStep(fd, at, size);
    for (const { bytes, head: _head, ...line } of found)
      lines.push({ ...line, text: bytes?.toString("latin1") ?? null });
    steps.push(step);
    expect(step.end > at || step.atEnd).toBe(true);
    [at, atEnd] = [step.end, step.atEnd];
  }
  return { lines, steps };
}

function linesOf(bytes: string | Uint8Array): ReadLine[] {
  const size = Buffer.from(bytes as string).length;
  return withFile([[0, bytes]], size, (fd) => readAll(fd, size).lines);
}

/** The shortest way: the file as one string of bytes, split. */
function naively(bytes: Uint8Array): ReadLine[] {
  const pieces = Buffer.from(bytes).toString("latin1").split("\n");
  let offset = 0;
  const lines = pieces.map((piece, index) => {
    const complete = index < pieces.length - 1;
    const text = piece.endsWith("\r") ? piece.slice(0, -1) : piece;
    const end = offset + piece.length + (complete ? 1 : 0);
    const line = { offset, length: text.length, end, complete, text };
    offset = end;
    return line;
  });
  return lines.filter((line) => line.complete || line.end > line.offset);
}

describe("A3: the lines of a file are those of a split at every newline byte", () => {
  const bytes = fc.array(
    fc.oneof(
      fc
        .constantFrom("\n", "\r\n", "\r", "\n\n", "{}", "é", "🍐", "\u2028", "\0")
        .map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 9 }).map((some) => Buffer.from(some)),
    ),
    { maxLength: 30 },
  );

  test("in small files of any bytes", () => {
    fc.assert(
      fc.property(bytes, (parts) => {
        const whole = Buffer.concat(parts);
        expect(linesOf(whole)).toEqual(naively(whole));
      }),
      { numRuns: runs(300) },
    );
  });

  test("in files of several steps, wherever the steps end", () => {
    const filling = fc.integer({ min: STEP_BYTES - 100, max: STEP_BYTES + 70_000 });
    fc.assert(
      fc.property(bytes, filling, bytes, filling, bytes, (a, n, b, m, c) => {
        const parts = [...a, Buffer.alloc(n, "x"), ...b, Buffer.alloc(m, "y"), ...c];
        const whole = Buffer.concat(parts);
        expect(linesOf(whole)).toEqual(naively(whole));
      }),
      { numRuns: runs(15) },
    );
  });
});

test("lines longer than a step are read one after the other, the longer and the shorter", () => {
  const lines = ["y", "x", "z"].map((letter, at) => letter.repeat(STEP_BYTES * (3 - at) + 100_000));
  expect(linesOf(`${lines.join("\n")}\n`).map(({ text }) => text === lines.shift())).toEqual([
    true,
    true,
    true,
  ]);
});

test("reading may begin at any line", () => {
  const size = withFile([[0, "one\ntwo\nthree\n"]], 14, (fd) =>
    readAll(fd, 14, 4).lines.map(({ text }) => text),
  );
  expect(size).toEqual(["two", "three"]);
});

test("what grew beyond the size that was looked at is left alone", () => {
  const lines = withFile([[0, "one\ntwo\nthree\n"]], 14, (fd) => readAll(fd, 10).lines);
  expect(lines.map(({ text, complete }) => [text, complete])).toEqual([
    ["one", true],
    ["two", true],
    ["th", false],
  ]);
});

test("B6: a file that became shorter than its stat said ends where it ends", () => {
  const lines = withFile([[0, "one\ntw"]], 6, (fd) => new LineReader().readStep(fd, 0, 50).lines.length);
  expect(lines).toBe(1);
});

test("an unfinished last line is given, and the end is before it", () => {
  const { lines, steps } = withFile([[0, "one\ntw"]], 6, (fd) => readAll(fd, 6));
  expect(lines.at(-1)).toEqual({ offset: 4, length: 2, end: 6, complete: false, text: "tw" });
  expect(steps.at(-1)?.end).toBe(4);
});

test("CRLF ends a line whose length leaves both out", () => {
  expect(linesOf("a\r\n\r\nb\r")).toEqual([
    { offset: 0, length: 1, end: 3, complete: true, text: "a" },
    { offset: 3, length: 0, end: 5, complete: true, text: "" },
    { offset: 5, length: 1, end: 7, complete: false, text: "b" },
  ]);
});

test("an empty file has no lines", () => {
  expect(linesOf("")).toEqual([]);
});

test("a step reads about its size and not the whole file", () => {
  const line = `${"x".repeat(99)}\n`;
  const bytes = line.repeat(200_000);
  const { steps } = withFile([[0, bytes]], bytes.length, (fd) => readAll(fd, bytes.length));
  const sizes = steps.map(({ end }, index) => end - (steps[index - 1]?.end ?? 0));
  expect(Math.max(...sizes)).toBeLessThan(STEP_BYTES + MB);
});

describe("a line longer than a step", () => {
  test("is one line", () => {
    const { lines } = withFile([[LONG, "\nnext\n"]], LONG + 6, (fd) => readAll(fd, LONG + 6));
    expect(lines.map(({ offset, length, complete }) => [offset, length, complete])).toEqual([
      [0, LONG, true],
      [LONG + 1, 4, true],
    ]);
  });

  test("is given unfinished while its newline is missing", () => {
    const { lines, steps } = withFile([[0, "first\n"]], LONG, (fd) => readAll(fd, LONG));
    expect(lines.at(-1)).toMatchObject({ offset: 6, length: LONG - 6, complete: false });
    expect(steps.at(-1)).toEqual({ end: 6, atEnd: true });
  });
});

describe("A29: a line too long to be decoded", () => {
  const end = LONGEST_LINE + 5 * MB;

  test("keeps its place and length, and the next line is read", () => {
    const { lines } = withFile(
      [
        [0, "a\n"],
        [end, "\nb\n"],
      ],
      end + 3,
      (fd) => readAll(fd, end + 3),
    );
    expect(lines).toEqual([
      { offset: 0, length: 1, end: 2, complete: true, text: "a" },
      { offset: 2, length: end - 2, end: end + 1, complete: true, text: null },
      { offset: end + 1, length: 1, end: end + 3, complete: true, text: "b" },
    ]);
  });

  test("gives its first bytes", () => {
    const [line] = withFile(
      [
        [0, "first"],
        [end, "\n"],
      ],
      end + 1,
      (fd) => new LineReader().readStep(fd, 0, end + 1).lines,
    );
    expect(line?.head?.subarray(0, 6)).toEqual(Buffer.from("first\0"));
  });

  test("has a length without its CRLF", () => {
    const { lines } = withFile([[end, "\r\n"]], end + 2, (fd) => readAll(fd, end + 2));
    expect(lines).toEqual([{ offset: 0, length: end, end: end + 2, complete: true, text: null }]);
  });

  test("is not there while its newline is missing", () => {
    const { lines, steps } = withFile([[0, "a\n"]], end, (fd) => readAll(fd, end));
    expect([lines.length, steps.at(-1)]).toEqual([1, { end: 2, atEnd: true }]);
  });

  test.each<[string, string]>([
    ["a newline", "\n"],
    ["CRLF", "\r\n"],
    ["nothing behind it", ""],
    ["a lone CR behind it", "\r"],
  ])("is one byte longer than what is decoded, with %s", (_, end) => {
    const decodable = (length: number) => {
      const size = length + end.length;
      const [line] = withFile([[length, end]], size, (fd) => new LineReader().readStep(fd, 0, size).lines);
      return line && [line.length, isTooLong(line), line.bytes !== null];
    };
    expect(decodable(LONGEST_LINE)).toEqual([LONGEST_LINE, false, true]);
    const longer = end.endsWith("\n") ? [LONGEST_LINE + 1, true, false] : undefined;
    expect(decodable(LONGEST_LINE + 1)).toEqual(longer);
  });
});

test.each([
  ["where it stands", MB, MB + 5, MB],
  ["nowhere beyond the size that was looked at", MB, MB, -1],
  ["nowhere in a file that became shorter", MB + 5, MB + 50, -1],
])("the next newline is %s", (_, at, size, found) => {
  const stretches: Stretch[] = at === MB ? [[at, "\n"]] : [];
  expect(withFile(stretches, MB + 5, (fd) => findNewline(fd, 0, size))).toBe(found);
});

test("reading fully stops at the end of the file", () => {
  const buffer = Buffer.alloc(10);
  expect(withFile([[0, "abcd"]], 4, (fd) => readFully(fd, buffer, 1, 9, 1))).toBe(3);
});

test("A32: of very short lines a step has no more than fit in memory, and none is lost", () => {
  const count = 2 * MOST_LINES + 1;
  const whole = withFile([[0, "\n".repeat(count)]], count, (fd) => readAll(fd, count));
  expect(whole.steps).toEqual([
    { end: MOST_LINES, atEnd: false },
    { end: 2 * MOST_LINES, atEnd: false },
    { end: count, atEnd: true },
  ]);
  expect(whole.lines.map(({ offset }) => offset)).toEqual(Array.from({ length: count }, (_, at) => at));
  const exact = withFile([[0, "\n".repeat(MOST_LINES)]], MOST_LINES, (fd) => readAll(fd, MOST_LINES));
  expect(exact.steps).toEqual([{ end: MOST_LINES, atEnd: true }]);
});
