/** Whoever is asked, by whatever command, library call, view or panel: the same numbers. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import * as library from "../../src/index.ts";
import { CommandLine } from "../../src/panels/command-line.ts";
import { findHits } from "../../src/panels/hits.ts";
import { KnownSessions } from "../../src/panels/known-sessions.ts";
import type { CommandContext } from "../../src/pi/host.ts";
import { usageCommand } from "../../src/pi/usage-command.ts";
import type { SessionList } from "../../src/reports/answers.ts";
import type { LabelledEntry } from "../../src/reports/labels.ts";
import { USAGE_GROUPINGS, type UsageReport } from "../../src/reports/usage/usage-shapes.ts";
import type { SearchResult } from "../../src/search/hits/hit.ts";
import { type CountedSums, countFolder, type FolderCount } from "../helpers/independent-count.ts";
import { isMissing } from "../helpers/peers.ts";
import { writePiStore } from "../helpers/pi-store.ts";
import { MAIN } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { writeSpendingStore } from "../reports/usage/spending-store.ts";
import { writeMixedStore } from "../search/mixed-store.ts";
import { emptyAgent, runCli, runJson, sampleAgent, takeIn } from "./pretend-world.ts";

/** Forks, forks of forks, whole copies of files, branches and labels; some of it new, so that "the last days" hold something. */
function everything(dir: string): string {
  const agentDir = emptyAgent(dir);
  const root = join(agentDir, "sessions");
  writeMixedStore(join(root, "mixed"));
  writeSpendingStore(join(root, "spending"));
  const now = Date.now();
  const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString();
  const recent = session({ id: "recent", timestamp: daysAgo(40) });
  for (const days of [40, 31, 30, 29, 8, 7, 6, 1, 0]) {
    recent.at(daysAgo(days)).user(`tide of ${days} days ago`).assistant();
    recent.label(recent.lastId ?? "", `day ${days}`);
  }
  recent
    .branchFrom(recent.entries[1]?.id as string)
    .user("the tide again")
    .assistant();
  const fork = recent
    .fork({ id: "recent fork", timestamp: daysAgo(0) })
    .user("tide in the fork")
    .assistant();
  for (const each of [recent, fork]) each.writeBelow(root);
  cpSync(recent.writeBelow(root), join(root, "copied.jsonl"));
  return agentDir;
}

function writtenByPi(dir: string): string {
  writePiStore({ sessions: 60, projects: 5, seed: 9, agentDir: join(dir, "agent") });
  return join(dir, "agent");
}

const STORES: [name: string, make: (dir: string) => string, isMissing: boolean][] = [
  ["the samples", sampleAgent, false],
  ["forks, copies and branches", everything, false],
  ["sessions written by pi", writtenByPi, isMissing("piAgentModule")],
];

const NAMES = ["input", "output", "cacheRead", "cacheWrite", "totalTokens", "cost", "requests"] as const;

/** Sums without the last digits of dollars, which depend on the order of adding up. */
function rounded(sums: Partial<CountedSums>): object {
  return Object.fromEntries(NAMES.map((name) => [name, Number((sums[name] ?? 0).toPrecision(9))]));
}

function added(all: readonly Partial<CountedSums>[], sign: 1 | -1 = 1): CountedSums {
  const total = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: 0, requests: 0 };
  for (const each of all) for (const name of NAMES) total[name] += sign * (each[name] ?? 0);
  return total;
}

/** Views whose rows add up to everything that counts, and that of what does not. */
const VIEWS = ["hourly", "daily", "weekly", "monthly", "copies"].concat(
  ["session", "project", "model", "provider", "source", "tool", "label", "branch"].map((by) => `by_${by}`),
);

const SUMS = `sum(input) AS input, sum(output) AS output, sum(cache_read) AS cacheRead, sum(cache_write) AS cacheWrite,
  sum(total_tokens) AS totalTokens, sum(cost) AS cost, sum(requests) AS requests`;

describe.each(STORES)("of %s everyone says the same number of", (_, make, missing) => {
  describe.skipIf(missing)("what there is:", () => {
    const dir = sharedTempDir();
    let agentDir = "";
    let count: FolderCount;
    let world: { agentDir: string; now: () => number };
    let pi: CommandLine;

    beforeAll(async () => {
      agentDir = make(dir);
      count = countFolder(join(agentDir, "sessions"));
      // pi's panels run the program, which looks at the clock: so this is now, but stands still, as scores depend on it.
      const started = Date.now();
      world = { agentDir, now: () => started };
      pi = new CommandLine([
        { command: process.execPath, before: [MAIN, "--agent-dir", agentDir, "-z", "UTC"] },
      ]);
      await takeIn(world);
    });

    const ask = async <T>(...argv: string[]) => (await runJson(argv, world)) as T;
    const sql = async (statement: string): Promise<Record<string, number>[]> => {
      const { stdout } = await runCli(["sql", "--json", statement], world);
      return JSON.parse(stdout) as Record<string, number>[];
    };
    const inLibrary = <T>(question: (index: library.Index) => T): T => {
      const index = library.openIndex({
        indexPath: join(agentDir, "sessiondb", "index-v1.db"),
        searchPath: join(agentDir, "sessiondb", "search-v1.db"),
      });
      try {
        return question(index);
      } finally {
        index.close();
      }
    };

    test("sessions, entries and messages", async () => {
      const expected = {
        sessions: count.files.length,
        entries: count.files.reduce((sum, { entryCount }) => sum + entryCount, 0),
        messages: count.files.reduce((sum, { messageCount }) => sum + messageCount, 0),
      };
      const { sessions, entries, messages } = expected;
      expect(await ask()).toMatchObject({ sessions, entries });
      expect(await ask("verify")).toMatchObject({ checked: sessions, entries, ok: true });
      expect(await ask("daemon", "status")).toMatchObject({ index: { sessions, entries } });
      for (const { sessions: all, total } of [
        await ask<SessionList>("list"),
        inLibrary((index) => library.listSessions(index)),
      ]) {
        expect({
          sessions: total,
          entries: all.reduce((sum, { entryCount }) => sum + entryCount, 0),
          messages: all.reduce((sum, { messageCount }) => sum + messageCount, 0),
        }).toEqual(expected);
      }
      expect((await ask<SessionList>("list", "--limit", "1")).total).toBe(sessions);
      expect(inLibrary((index) => library.readStatus(index, { now: world.now() }))).toMatchObject({
        sessions,
        entries,
      });
      for (const statement of [
        "SELECT count(*) AS sessions, sum(entry_count) AS entries, sum(message_count) AS messages FROM session_summary",
        `SELECT (SELECT count(*) FROM sessions) AS sessions, count(*) AS entries, sum(type = 'message') AS messages FROM entries`,
      ]) {
        expect(await sql(statement)).toEqual([expected]);
      }
      const rows = new KnownSessions(pi);
      await rows.read(dir, { all: true });
      const listed = rows.matching({ query: "", here: false }, dir);
      expect([listed.length, listed.reduce((sum, row) => sum + row.messages, 0)]).toEqual([
        sessions,
        messages,
      ]);
    });

    test("dollars, tokens and requests", async () => {
      const totals = rounded(count.totals);
      const copies = rounded(count.copies);
      for (const by of USAGE_GROUPINGS) {
        const report = await ask<UsageReport>("usage", by, "--all", "--breakdown");
        const models = added(report.rows.flatMap((row) => row.models ?? []));
        const told = [report.totals, added(report.rows), models, report.copies].map(rounded);
        expect([by, ...told]).toEqual([by, totals, totals, totals, copies]);
        const cut = await ask<UsageReport>("usage", by, "--all", "--limit", "1");
        expect([by, rounded(cut.totals)]).toEqual([by, totals]);
        const own = inLibrary((index) => library.sumUsage(index, { by, timezone: "UTC" }));
        expect([by, rounded(own.totals)]).toEqual([by, totals]);
      }
      const ofViews = VIEWS.map((view) => `SELECT '${view}' AS view, ${SUMS} FROM usage_${view}`);
      const told = (await sql(ofViews.join(" UNION ALL "))).map(({ view, ...sums }) => [view, rounded(sums)]);
      expect(told).toEqual(VIEWS.map((view) => [view, view === "copies" ? copies : totals]));
      const { sessions } = await ask<SessionList>("list");
      const all = sessions.map(({ usage }) => usage);
      const inherited = added(
        sessions.map((each) => each.inherited),
        -1,
      );
      expect(rounded(added([...all, inherited]))).toEqual(totals);
      const { cost, statedCost } = await ask<{ cost: number; statedCost: number }>("verify");
      const stated = added([count.totals, count.copies]);
      expect(rounded({ cost })).toEqual(rounded({ cost: count.totals.cost }));
      expect(rounded({ cost: statedCost })).toEqual(rounded({ cost: stated.cost }));
      expect(rounded(added(all))).toEqual(rounded(stated));
      const { stdout } = await runCli(["usage", "session", "--all", "--csv"], world);
      const [head = "", ...lines] = stdout.trimEnd().split(/\r?\n/);
      expect(head.split(",").slice(0, 3)).toEqual(["key", "label", "path"]);
      expect(lines.length).toBe((await ask<UsageReport>("usage", "session", "--all")).rows.length);
    });

    test("dollars of the last days", async () => {
      const month = await ask<UsageReport>("usage", "--since", "30d");
      const week = await ask<UsageReport>("usage", "--since", "7d");
      expect((await ask<UsageReport>("usage")).since).toBe(month.since);
      const { last30Days, last7Days } = await ask<Record<string, CountedSums>>("usage", "statusline");
      const front = await ask<{ last30Days: CountedSums }>();
      const daily = await ask<UsageReport>("usage");
      for (const sums of [daily.totals, last30Days, front.last30Days]) {
        expect(rounded(sums ?? {})).toEqual(rounded(month.totals));
      }
      expect(rounded(last7Days ?? {})).toEqual(rounded(week.totals));
      const told: string[] = [];
      const context = {
        cwd: dir,
        hasUI: true,
        sessionManager: { getSessionFile: () => undefined },
        ui: { notify: (text: string) => told.push(text) },
      } as unknown as CommandContext;
      await usageCommand(pi).handler("", context);
      expect(told.join()).toMatch(new RegExp(`^Last 30 days .* ${month.totals.requests}$`, "m"));
      expect(told.join()).toMatch(new RegExp(`^Last 7 days .* ${week.totals.requests}$`, "m"));
    });

    test("hits", async () => {
      for (const query of ["tide", "timezone", "pear*", "the OR a"]) {
        const all = await ask<SearchResult>("search", query, "--limit", "0");
        expect([query, all.total, all.totalIs]).toEqual([query, all.hits.length, "exact"]);
        for (const limit of [1, 3]) {
          const few = await ask<SearchResult>("search", query, "--limit", String(limit));
          expect([query, few.total, few.hits]).toEqual([query, all.total, all.hits.slice(0, limit)]);
        }
        const own = inLibrary((index) => library.searchEntries(index, query, { limit: 1 }));
        expect([query, own.total]).toEqual([query, all.total]);
        const shown = await findHits(pi, { query, limit: 1000, options: [], cwd: dir });
        expect([query, shown.total, shown.totalIs]).toEqual([query, all.total, "exact"]);
      }
    });

    test("labels", async () => {
      const { labels } = await ask<{ labels: LabelledEntry[] }>("labels");
      const places = labels.flatMap((each) => [each, ...each.copies]);
      const names = labels.map(({ label, entryId, timestamp }) => `${label} ${entryId} ${timestamp}`);
      expect(new Set(names).size).toBe(labels.length);
      expect(await sql("SELECT count(*) AS labels FROM labelled_entries")).toEqual([
        { labels: places.length },
      ]);
      expect(inLibrary((index) => library.listLabels(index)).length).toBe(labels.length);
    });
  });
});
