import { cpSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { resolveSession } from "../../../src/filters/resolve-session.ts";
import { listSessions, readListedSession } from "../../../src/reports/sessions.ts";
import { GROUPINGS } from "../../../src/reports/usage/groupings.ts";
import { sumUsage } from "../../../src/reports/usage/usage-report.ts";
import type { UsageGrouping } from "../../../src/reports/usage/usage-shapes.ts";
import type { Index } from "../../../src/store/open.ts";
import { bytesReadBy, countsBytes } from "../../helpers/process-io.ts";
import { session } from "../../helpers/session-builder.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { indexOf } from "../indexed.ts";

const usage = (input: number, cost: number) => ({ input, totalTokens: input, cost: { total: cost } });

/** A session with an abandoned branch, its fork in another project, and a fork of that. */
function family(root: string) {
  const first = session({ id: "first", cwd: "/p", timestamp: "2026-01-01T10:00:00Z" });
  first.user("pear").assistant({ usage: usage(1, 0.5), model: "a" });
  const trunk = first.lastId;
  first.assistant({ usage: usage(2, 0.25), model: "b" }).branchFrom(trunk);
  first.assistant({ usage: usage(4, 0.125), model: "a" }).label(String(trunk), "ripe");
  const second = first.fork({ id: "second", cwd: "/q", timestamp: "2026-01-02T10:00:00Z" });
  second.at("2026-01-02T10:00:01Z").assistant({ usage: usage(8, 1), model: "a" });
  const third = second.fork({ id: "third", cwd: "/q", timestamp: "2026-01-03T10:00:00Z" });
  third.at("2026-01-03T10:00:01Z").assistant({ usage: usage(16, 2), model: "a" });
  for (const each of [first, second, third]) each.writeBelow(root);
}

/** The same report of this folder alone, and of an index that holds another folder too. */
function reports(folder: string, other: string, by: UsageGrouping) {
  const options = { by, timezone: "UTC", roots: [folder] };
  const report = sumUsage(indexOf(other, folder), options);
  return { report, alone: sumUsage(indexOf(folder), options), requests: report.totals.requests };
}

describe("a bill whose first copy lies in a folder that is not asked about", () => {
  const groupings = Object.keys(GROUPINGS) as UsageGrouping[];

  test.each(groupings)("counts where it stands first in the folder that is, by %s", (by) => {
    const [backup, sessions] = [`${tempDir()}/a`, `${tempDir()}/b`];
    family(sessions);
    cpSync(sessions, backup, { recursive: true });
    for (const [folder, other] of [
      [sessions, backup],
      [backup, sessions],
    ] as const) {
      const { report, alone, requests } = reports(folder, other, by);
      const paths = (rows: typeof report.rows) => rows.map(({ path: _path, ...row }) => row);
      expect(requests).toBe(5);
      expect({ ...report, rows: paths(report.rows) }).toEqual({ ...alone, rows: paths(alone.rows) });
    }
  });

  test("is on an abandoned branch where it is, though a backup was made before", () => {
    const [backup, sessions] = [`${tempDir()}/a`, `${tempDir()}/b`];
    const built = session()
      .user("pear")
      .assistant({ usage: usage(1, 0.5) });
    built.writeBelow(backup);
    built.branchFrom(null).user("apple").writeBelow(sessions);
    const keys = (folder: string, other: string) =>
      reports(folder, other, "branch").report.rows.map(({ key }) => key);
    expect([keys(sessions, backup), keys(backup, sessions)]).toEqual([["abandoned"], ["current"]]);
  });

  test("is inherited by no session of the folder that is", () => {
    const [backup, sessions] = [`${tempDir()}/a`, `${tempDir()}/b`];
    family(sessions);
    cpSync(sessions, backup, { recursive: true });
    const inherited = (index: Index) =>
      listSessions(index, { roots: [sessions] }).sessions.map((each) => {
        const { fileId } = resolveSession(index, each.path);
        expect(readListedSession(index, fileId, [sessions])).toEqual(each);
        return [each.id, each.inherited];
      });
    expect(inherited(indexOf(backup, sessions))).toEqual(inherited(indexOf(sessions)));
  });

  test("counts in the fork where the parent lies elsewhere", () => {
    const [elsewhere, here] = [tempDir(), tempDir()];
    const parent = session({ id: "parent", timestamp: "2026-01-01T10:00:00Z" }).assistant({
      usage: usage(1, 1),
    });
    parent.writeBelow(elsewhere);
    parent
      .fork({ id: "fork", timestamp: "2026-01-02T10:00:00Z" })
      .assistant({ usage: usage(2, 2) })
      .writeBelow(here);
    expect(reports(here, elsewhere, "daily").report.totals.cost).toBe(3);
    expect(reports(elsewhere, here, "daily").report.totals.cost).toBe(1);
  });
});

/** Bytes that reports about a folder of forks read, whose parent lies elsewhere: in proportion to the rows they look at. */
function bytesOfReports(forks: number): number {
  const [elsewhere, here] = [tempDir(), tempDir()];
  const parent = session({ id: "parent", timestamp: "2026-01-01T10:00:00Z" });
  for (let request = 0; request < 20; request++) parent.assistant({ usage: usage(1, 0.25) });
  parent.writeBelow(elsewhere);
  for (let at = 0; at < forks; at++) {
    const timestamp = new Date(Date.UTC(2026, 0, 2) + at * 60_000).toISOString();
    parent.fork({ id: `fork${at}`, timestamp }).writeBelow(here);
  }
  const index = indexOf(elsewhere, here);
  // So little is kept in memory that almost every row is read.
  index.database.pragma("cache_size = 8");
  return bytesReadBy(() => {
    const { totals, copies } = sumUsage(index, { by: "daily", timezone: "UTC", roots: [here] });
    expect([totals.cost, copies.requests]).toEqual([5, 20 * (forks - 1)]);
    const { sessions } = listSessions(index, { roots: [here] });
    expect(sessions.filter(({ inherited }) => inherited.requests === 0)).toHaveLength(1);
  });
}

test.skipIf(!countsBytes)(
  "what it counts instead is found without looking at all copies for each copy",
  () => {
    const [few, many] = [bytesOfReports(40), bytesOfReports(120)];
    // Three times as many copies; nine times as much if each of them looked at all the others.
    expect(many).toBeLessThan(5 * few);
  },
);
