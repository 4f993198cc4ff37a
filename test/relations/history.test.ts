import {
  appendFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { findTouches } from "../../src/reports/files-touched.ts";
import { listLabels } from "../../src/reports/labels.ts";
import { listSessions } from "../../src/reports/sessions.ts";
import { sumUsage } from "../../src/reports/usage/usage-report.ts";
import { USAGE_GROUPINGS } from "../../src/reports/usage/usage-shapes.ts";
import { checkedFiles, Verifier } from "../../src/reports/verify/verify-sessions.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import type { Hit } from "../../src/search/hits/hit.ts";
import { searchEntries } from "../../src/search/search.ts";
import type { Index } from "../../src/store/open.ts";
import { LATER } from "../indexing/store.ts";
import { type Choose, forAllStores, LONG, withIndexOf } from "./all-stores.ts";
import type { Store, StoredFile } from "./drawn-store.ts";

const forAll = forAllStores(4);

/** Everything that is answered but SQL, with dollars rounded: added in another order they differ in the last places. */
function answers(index: Index): Record<string, unknown> {
  const all: Record<string, unknown> = {
    list: listSessions(index),
    labels: listLabels(index),
    files: findTouches(index, "src/main.ts", "/home/ada/a/src/main.ts", { home: "/home/ada" }),
    substring: inPlace(searchEntries(index, "parse", { substring: true, limit: 0 }).hits),
  };
  for (const by of USAGE_GROUPINGS) {
    all[by] = sumUsage(index, { by, timezone: "Europe/Berlin", breakdown: true, times: true });
  }
  for (const query of ["parser", "manager", "p* -error", "天气"]) {
    all[query] = inPlace(searchEntries(index, query, { limit: 0, context: 1 }).hits);
  }
  return JSON.parse(JSON.stringify(all, rounded)) as Record<string, unknown>;
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toPrecision(9)) : value;
}

/** Equally good ones come in the order in which they were read; how good they are depends on what was deleted. */
function inPlace(hits: Hit[]): unknown[] {
  const placed = hits.map(({ score: _score, ...hit }) => ({ ...hit, at: `${hit.session.path}:${hit.line}` }));
  return placed.toSorted((a, b) => (a.at < b.at ? -1 : 1));
}

function expectAsNew(index: Index, { roots }: Store): void {
  const wanted = withIndexOf(roots, answers);
  const found = answers(index);
  for (const name of Object.keys(wanted)) expect(found[name], name).toEqual(wanted[name]);
}

/** Lets a file be what it is in the end up to a place, by appending where that can be. */
function growTo({ path, bytes }: StoredFile, lengths: Map<string, number>, end: number): void {
  const length = lengths.get(path);
  if (length !== undefined && length <= end) appendFileSync(path, bytes.subarray(length, end));
  else writeFileSync(path, bytes.subarray(0, end));
  lengths.set(path, end);
}

function partOf({ bytes }: StoredFile, choose: Choose): number {
  const end = Math.floor((bytes.length * (choose(0, 1, 2, 3, 4, 5, 6, 7, 8, 9) ?? 0)) / 9);
  return choose(true, false) ? end : bytes.lastIndexOf("\n", end) + 1;
}

test(
  "files that come in pieces, in any order, and are synced in between give the answers they give at once",
  LONG,
  () => {
    forAll((store, choose) => {
      for (const { path } of store.files) rmSync(path);
      withIndexOf(store.roots, (index) => {
        const lengths = new Map<string, number>();
        for (let round = 0; round < 3 * store.files.length; round++) {
          const file = choose(...store.files);
          if (file) growTo(file, lengths, partOf(file, choose));
          const roots =
            choose<readonly string[]>([], store.roots, [store.roots[1]], store.roots.toReversed()) ?? [];
          if (roots.length > 0) syncAll(index, [...roots], { now: LATER });
          if (choose(true, false)) feedSearch(index);
        }
        for (const file of store.files) growTo(file, lengths, file.bytes.length);
        for (const { path } of store.files) if (choose(true, false)) utimesSync(path, 1e9, 1e9);
        syncAll(index, store.roots, { now: LATER });
        feedSearch(index);
        expectAsNew(index, store);
      });
    });
  },
);

/** The entries of a file, or some of them, under a header of their own. */
function writeFork(path: string, { path: parent, bytes }: StoredFile, choose: Choose): void {
  const [header = "", ...lines] = bytes.toString().split("\n");
  const timestamp = choose("2027-01-01T00:00:00.000Z", "2000-01-01T00:00:00.000Z");
  const fork = { ...JSON.parse(header), id: "a-fork", timestamp, parentSession: parent };
  const count = choose(0, 1, 3, lines.length - 1) ?? 0;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, [JSON.stringify(fork), ...lines.slice(0, -1).slice(0, count), ""].join("\n"));
}

/** Not by day: what has no time of its own is counted on the day its session was begun. */
function spent(index: Index): unknown {
  const reports = (["model", "provider", "source"] as const).map((by) => {
    const { copies: _copies, ...report } = sumUsage(index, { by, timezone: "UTC" });
    return { ...report, rows: report.rows.toSorted((a, b) => (a.key < b.key ? -1 : 1)) };
  });
  return JSON.parse(JSON.stringify(reports, rounded));
}

test(
  "a fork that only copies spends nothing, nor does moving a session; both leave the answers of a new index",
  LONG,
  () => {
    forAll((store, choose) => {
      const [file] = store.files.filter(({ path }) => path.endsWith(".jsonl") && existsSync(path));
      if (file === undefined) return;
      withIndexOf(store.roots, (index) => {
        const before = spent(index);
        const [root, other] = store.roots;
        const fork = join(choose(root, other) ?? root, "z", "fork.jsonl");
        writeFork(fork, file, choose);
        syncAll(index, store.roots, { now: LATER });
        expect(spent(index), "with the fork").toEqual(before);
        mkdirSync(join(other, "a"));
        renameSync(choose(fork, file.path) ?? fork, join(other, "a", "moved.jsonl"));
        syncAll(index, store.roots, { now: LATER });
        feedSearch(index);
        expect(differences(index, store.roots)).toEqual([]);
        expectAsNew(index, store);
      });
    });
  },
);

function differences(index: Index, roots: string[]): unknown[] {
  const verifier = new Verifier(index);
  for (const file of checkedFiles(index)) verifier.file(file);
  verifier.counted();
  verifier.presence(roots);
  verifier.close();
  return verifier.result.differences;
}
