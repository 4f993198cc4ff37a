import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { isMissing, peers, peersDir } from "../helpers/peers.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";

const LIBRARY = join(import.meta.dirname, "..", "..", "dist", "src", "index.js");

const dir = sharedTempDir();
let evenings = 0;

/** What pi's agent and the SessionManager of a module say, step by step. */
function evening(module: string, ...library: string[]): string[] {
  const script = join(peersDir, "pi", "evening.mjs");
  // Of the same length: tokens are counted by characters, and the model is told of the folder.
  const argv = [script, module, join(dir, String(evenings++)), ...library];
  return execFileSync(process.execPath, argv, { encoding: "utf8", maxBuffer: 1e9 }).split("\n");
}

describe.skipIf(isMissing("piAgentModule", "piAiModule", "piSessionManagerModule"))(
  "an evening with pi's agent: prompts, tools, steering, interruptions, branches, summaries, compactions, extensions",
  () => {
    let theirs: string[];
    beforeAll(() => {
      theirs = evening(peers.piSessionManagerModule);
    });

    test("holds what it is meant to", () => {
      expect(theirs.filter((line) => line.includes('"error":')).map((line) => line.split('"')[1])).toEqual([
        "a label of nothing",
        "to nowhere",
        "a new session with a bad id",
      ]);
    });

    test.each([
      ["without an index", []],
      ["through an index", [LIBRARY]],
    ])("goes on our SessionManager as on pi's, %s", (_how, library) => {
      const own = evening(LIBRARY, ...library);
      const at = theirs.findIndex((line, place) => line !== own[place]);
      expect(own[at]).toBe(theirs[at]);
      expect(own).toHaveLength(theirs.length);
    });
  },
);
