import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { listSessions } from "../../src/reports/sessions.ts";
import { readStatus } from "../../src/reports/status.ts";
import { sumUsage } from "../../src/reports/usage/usage-report.ts";
import { USAGE_GROUPINGS, type UsageGrouping } from "../../src/reports/usage/usage-shapes.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { searchEntries } from "../../src/search/search.ts";
import { type Index, openIndex } from "../../src/store/open.ts";
import { type CountedSums, countFolder, type FolderCount } from "../helpers/independent-count.ts";
import { readSessionsFolder } from "../helpers/independent-read.ts";
import { findWord, textsOf } from "../helpers/independent-words.ts";
import { indexIn } from "../helpers/open-index.ts";
import { isMissing } from "../helpers/peers.ts";
import { writePiStore } from "../helpers/pi-store.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { writeMixedStore } from "../search/mixed-store.ts";
import { about, counted, inOrder, keyed } from "./usage/compared-sums.ts";

const samples = join(import.meta.dirname, "..", "samples", "agent", "sessions");

function writtenByPi(folder: string): string {
  return writePiStore({ sessions: 60, projects: 5, seed: 3, agentDir: folder }).sessionsDir;
}

function mixed(folder: string): string {
  writeMixedStore(folder);
  return folder;
}

const stores: [string, (folder: string) => string, boolean][] = [
  ["the samples", () => samples, false],
  ["sessions of every kind", mixed, false],
  ["60 sessions written by pi", writtenByPi, isMissing("piAgentModule")],
];

function sum(parts: CountedSums[]): CountedSums {
  const total = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: 0, requests: 0 };
  for (const part of parts) {
    for (const name of Object.keys(total) as (keyof CountedSums)[]) total[name] += part[name];
  }
  return total;
}

describe.each(stores)("an index of %s agrees with a plain count:", (name, make, missing) => {
  describe.skipIf(missing)(name, () => {
    const folder = sharedTempDir();
    let root = "";
    let index: Index;
    let count: FolderCount;

    beforeAll(() => {
      root = make(join(folder, "store"));
      index = openIndex(indexIn(folder));
      syncAll(index, [root]);
      feedSearch(index);
      count = countFolder(root);
    });
    afterAll(() => index.close());

    test("every session is listed with its entries, messages and sums", () => {
      const { total, sessions } = listSessions(index);
      const listed = sessions.map((each): [string, ...unknown[]] => {
        return [each.path, each.id, each.cwd, each.entryCount, each.messageCount, each.usage, each.inherited];
      });
      const counted = count.files.map((file): [string, ...unknown[]] => {
        const { id, cwd } = file.header;
        return [
          file.path,
          id,
          cwd,
          file.entryCount,
          file.messageCount,
          about(file.all),
          about(file.inherited),
        ];
      });
      expect(total).toBe(count.files.length);
      expect(inOrder(listed)).toEqual(inOrder(counted));
    });

    test("totals and copies are the same by every grouping", () => {
      for (const by of USAGE_GROUPINGS) {
        const { totals, copies } = sumUsage(index, { by, timezone: "UTC" });
        expect([by, totals, copies]).toEqual([by, about(count.totals), about(count.copies)]);
      }
    });

    const rowsBy = (by: UsageGrouping) => sumUsage(index, { by, timezone: "UTC" }).rows;

    test("models are the same", () => {
      expect(keyed(rowsBy("model"))).toEqual(counted(count.byModel));
    });

    test("sessions are the same, those without a counted request left out", () => {
      const rows = rowsBy("session").map((row) => ({ ...row, key: row.path ?? "" }));
      const files = count.files.filter((file) => file.own.requests > 0);
      expect(keyed(rows)).toEqual(counted(files.map((file) => [file.path, file.own])));
    });

    test("projects are the same", () => {
      const projects = new Map<string, CountedSums[]>();
      for (const { header, own } of count.files.filter((file) => file.own.requests > 0)) {
        const cwd = String(header.cwd) || "unknown";
        projects.set(cwd, [...(projects.get(cwd) ?? []), own]);
      }
      expect(keyed(rowsBy("project"))).toEqual(
        counted([...projects].map(([cwd, parts]) => [cwd, sum(parts)])),
      );
    });

    test("the status counts the same sessions, projects and entries", () => {
      expect(readStatus(index, { now: Date.now() })).toMatchObject({
        sessions: count.files.length,
        projects: new Set(count.files.map((file) => file.header.cwd)).size,
        entries: count.files.reduce((entries, file) => entries + file.entryCount, 0),
        index: { behind: 0 },
      });
    });

    test("no entry that holds a word is missed, and none without it is found", () => {
      for (const word of someWordsIn(root, 40)) {
        const { total, hits } = searchEntries(index, word, { limit: 0 });
        const places = hits.flatMap((hit) => [hit, ...hit.copies]);
        const found = places.map((place) => `${place.session.path}:${place.line}`);
        const expected = findWord(root, word).map((hit) => `${hit.path}:${hit.line}`);
        expect([word, expected.filter((place) => !found.includes(place))]).toEqual([word, []]);
        const holding = findPart(root, word);
        expect([word, found.filter((place) => !holding.has(place)), total]).toEqual([word, [], hits.length]);
      }
    });
  });
});

/** Words of four to twelve ASCII letters, spread over all there are. */
function someWordsIn(root: string, count: number): string[] {
  const words = new Set<string>();
  for (const { entries } of readSessionsFolder(root)) {
    for (const text of entries.flatMap(textsOf)) {
      for (const [word] of text.matchAll(/(?<![\p{L}\p{N}\p{M}])[A-Za-z]{4,12}(?![\p{L}\p{N}\p{M}])/gu)) {
        words.add(word.toLowerCase());
      }
    }
  }
  const sorted = [...words].sort();
  return sorted.filter((_, place) => place % Math.ceil(sorted.length / count) === 0);
}

/** Places whose texts, or whose tool's name, hold the word anywhere: as a part of a compound name, perhaps. */
function findPart(root: string, word: string): Set<string> {
  const places = new Set<string>();
  for (const { path, entries } of readSessionsFolder(root)) {
    for (const entry of entries) {
      const { message, note } = entry.value;
      const tool =
        typeof message === "object" && message !== null && "toolName" in message ? message.toolName : "";
      const text = [...textsOf(entry), String(tool), String(note)]
        .join("\n")
        .normalize("NFD")
        .replace(/\p{M}/gu, "");
      if (text.toLowerCase().includes(word)) places.add(`${path}:${entry.line}`);
    }
  }
  return places;
}
