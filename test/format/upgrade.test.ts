import { describe, expect, test } from "vitest";
import { upgradeEntry, versionOf } from "../../src/format/upgrade.ts";

const anywhere = { name: "v1-9", previousId: "v1-8" };

describe("the version a header states", () => {
  test.each([
    [{ version: 3 }, 3],
    [{ version: 2 }, 2],
    [{ version: 9 }, 9],
    [{ version: 2.7 }, 2],
    [{}, 1],
    [{ version: "3" }, 1],
    [{ version: null }, 1],
    [{ version: Number.POSITIVE_INFINITY }, 1],
    [{ version: 2 ** 60 }, 1],
  ])("%j is %i", (header, version) => {
    expect(versionOf(header)).toBe(version);
  });
});

describe("A18: an entry of version 1", () => {
  test("is named after its place and hangs on the entry before it", () => {
    const entry = { type: "message", message: { role: "user", content: "hi" } };
    expect(upgradeEntry(entry, 1, anywhere)).toEqual({ ...entry, id: "v1-9", parentId: "v1-8" });
  });

  test("keeps an id that it has all the same, and no parent", () => {
    expect(upgradeEntry({ type: "x", id: "own", parentId: "p" }, 1, anywhere)).toEqual({
      type: "x",
      id: "own",
      parentId: "v1-8",
    });
  });

  test("is a root when it is the first", () => {
    expect(upgradeEntry({ type: "x" }, 1, { name: "v1-2", previousId: null })).toMatchObject({
      parentId: null,
    });
  });

  test("has a hookMessage renamed as well", () => {
    const entry = { type: "message", message: { role: "hookMessage", content: "hi" } };
    expect(upgradeEntry(entry, 1, anywhere)).toMatchObject({ message: { role: "custom", content: "hi" } });
  });
});

describe("an entry of version 2", () => {
  test("keeps its id and parent", () => {
    const entry = { type: "message", id: "a", parentId: "b", message: { role: "user" } };
    expect(upgradeEntry(entry, 2, anywhere)).toBe(entry);
  });

  test("has the role hookMessage renamed to custom, its other fields kept", () => {
    const message = { role: "hookMessage", customType: "weather", display: true };
    expect(upgradeEntry({ type: "message", id: "a", message }, 2, anywhere)).toEqual({
      type: "message",
      id: "a",
      message: { role: "custom", customType: "weather", display: true },
    });
  });

  test.each([{ type: "message", message: 5 }, { type: "custom", message: { role: "hookMessage" } }, {}])(
    "is untouched when it holds no message: %j",
    (entry) => {
      expect(upgradeEntry(entry, 2, anywhere)).toBe(entry);
    },
  );
});

test.each([3, 4, 9])("an entry of version %i passes through untouched", (version) => {
  const entry = { type: "message", message: { role: "hookMessage" } };
  expect(upgradeEntry(entry, version, anywhere)).toBe(entry);
});

test("upgrading changes nothing in what was given", () => {
  const entry = { type: "message", message: { role: "hookMessage" } };
  upgradeEntry(entry, 1, anywhere);
  expect(entry).toEqual({ type: "message", message: { role: "hookMessage" } });
});
