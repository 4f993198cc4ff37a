import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findMostRecentSession } from "../../src/session/header.ts";
import { importPeer } from "../helpers/peers.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { describeWithEachPi } from "./pi.ts";

const MIB = 1024 * 1024;

describeWithEachPi("A17: a header of", (release) => {
  test.each([4095, 4096, 4097, 32_768, 262_145, MIB - 1, MIB, MIB + 1])(
    "%i bytes is found as by pi, whatever follows it",
    async (bytes) => {
      const pi = await importPeer<{ findMostRecentSession: typeof findMostRecentSession }>(release.peer);
      const [header = "", entry = ""] = session().user("hello").lines();
      const long = `${header.slice(0, -1)},"pad":""}`.replace(
        /"}$/,
        `${"x".repeat(bytes - header.length - 9)}"}`,
      );
      expect(long.length).toBe(bytes);
      for (const text of [long, `${long}\n`, `${long}\n${entry}\n`, `\n${long}\n`, `${entry}\n${long}\n`]) {
        const dir = tempDir();
        writeFileSync(join(dir, "session.jsonl"), text);
        expect(findMostRecentSession(dir)).toBe(pi.findMostRecentSession(dir));
      }
    },
  );
});
