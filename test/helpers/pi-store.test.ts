import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { importPeer, isMissing } from "./peers.ts";
import { type PiStore, writePiStore } from "./pi-store.ts";

interface PiReader {
  loadEntriesFromFile(path: string): { type: string; cwd?: string }[];
}

describe.skipIf(isMissing("piAgentModule", "piSessionManagerModule"))("a store written by pi", () => {
  const stores: PiStore[] = [];
  const write = (options: Parameters<typeof writePiStore>[0]) => {
    const store = writePiStore(options);
    stores.push(store);
    return store;
  };
  afterAll(() => {
    for (const store of stores) store.remove();
  });

  test("holds the sessions asked for, of every kind, each readable by the newer pi", async () => {
    const { loadEntriesFromFile } = await importPeer<PiReader>("piSessionManagerModule");
    const { sessions } = write({ sessions: 8, projects: 2 });
    expect(new Set(sessions.map(({ kind }) => kind)).size).toBe(8);
    for (const { file, cwd, marker } of sessions) {
      expect(loadEntriesFromFile(file)[0]).toMatchObject({ type: "session", cwd });
      expect(readFileSync(file, "utf8")).toContain(marker);
    }
  });

  test("is the same for the same seed", () => {
    const texts = () => {
      const { agentDir, sessions } = write({ sessions: 8, seed: 7 });
      return sessions.map(({ file }) =>
        readFileSync(file, "utf8").replaceAll(JSON.stringify(agentDir).slice(1, -1), ""),
      );
    };
    expect(texts()).toEqual(texts());
  });
});
