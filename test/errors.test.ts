import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unlessUnreadable } from "../src/errors.ts";
import { tempDir } from "./helpers/temp-dir.ts";

test("what cannot be read is undefined, and a bug is thrown as it is", () => {
  expect(unlessUnreadable(() => "read")).toBe("read");
  expect(unlessUnreadable(() => readFileSync(join(tempDir(), "nowhere")))).toBeUndefined();
  const bug = () => {
    throw new TypeError("a bug");
  };
  expect(() => unlessUnreadable(bug)).toThrow("a bug");
});
