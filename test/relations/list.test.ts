import { realpathSync } from "node:fs";
import { expect, test } from "vitest";
import type { Filter } from "../../src/filters/filter.ts";
import { SESSION_SORT_KEYS } from "../../src/reports/answers.ts";
import { type LabelledEntry, listLabels } from "../../src/reports/labels.ts";
import { type ListOptions, listSessions } from "../../src/reports/sessions.ts";
import { sumUsage } from "../../src/reports/usage/usage-report.ts";
import type { Index } from "../../src/store/open.ts";
import { readSessionsFolder } from "../helpers/independent-read.ts";
import { type Choose, forAllIndexes, LONG } from "./all-stores.ts";
import { LABELS, MODELS } from "./drawn-entries.ts";
import { PROJECTS } from "./drawn-store.ts";

const forAll = forAllIndexes(8);

/** Sessions of sub-agents, too, which else stand under the session that they belong to. */
const listAll = (index: Index, options: ListOptions = {}) =>
  listSessions(index, { ...options, allSessions: true });

const ORIGINS: Filter[] = (["interactive", "fork", "handoff", "subagent"] as const).map((origin) => ({
  origin,
}));
const NAMED: Filter[] = [{ named: true }, { named: false }];

function splitAt(moment: string | null | undefined, choose: Choose): Filter[] {
  const at = Date.parse(moment ?? "2026-01-01") + (choose(0, 1) ?? 0);
  return [{ until: at }, { since: at }];
}

test("filters and folders split the list; the first sessions of it are those of all", LONG, () => {
  forAll((index, { roots }, choose) => {
    const paths = (filter?: Filter, within?: string[]) =>
      listAll(index, { ...(filter && { filter }), ...(within && { roots: within }) })
        .sessions.map(({ path }) => path)
        .toSorted();
    const heads = listAll(index).sessions.filter(({ path, rootPath }) => path === rootPath);
    expect(listSessions(index)).toEqual({ total: heads.length, sessions: heads });
    for (const parts of [ORIGINS, NAMED]) {
      expect(parts.flatMap((filter) => paths(filter)).toSorted(), JSON.stringify(parts)).toEqual(paths());
    }
    expect(roots.flatMap((root) => paths(undefined, [root])).toSorted()).toEqual(paths());
    for (const key of SESSION_SORT_KEYS) {
      const options = {
        sort: { key, descending: choose(true, false) ?? true },
        filter: choose({}, ...NAMED) ?? {},
      };
      const all = listAll(index, options);
      const limit = choose(1, 2, 4) ?? 1;
      const first = listAll(index, { ...options, limit });
      expect(first, key).toEqual({ total: all.total, sessions: all.sessions.slice(0, limit) });
    }
  });
});

test("a filter finds the sessions that say so themselves", LONG, () => {
  forAll((index) => {
    const { sessions } = listAll(index);
    const check = (filter: Filter, isMeant: (session: (typeof sessions)[number]) => boolean) => {
      const meant = sessions.filter(isMeant);
      expect(listAll(index, { filter }), JSON.stringify(filter)).toEqual({
        total: meant.length,
        sessions: meant,
      });
    };
    for (const project of PROJECTS) check({ project }, ({ cwd }) => `${cwd}/`.startsWith(`${project}/`));
    check({ has: "branch" }, ({ branchCount }) => branchCount > 1);
    for (const label of LABELS) {
      const found = listLabels(index, { filter: { label } }).flatMap((each) => [each, ...each.copies]);
      const labelled = found.map(({ session }) => session.path);
      check({ label }, ({ path }) => labelled.includes(path));
    }
  });
});

const FILTERS: Filter[] = [
  ...MODELS.flatMap(([provider, model]) => [{ provider }, { model }]),
  { role: "assistant" },
  { type: "usage" },
  { type: "compaction" },
  { tool: "bash" },
  ...(["error", "compaction", "branch"] as const).map((has) => ({ has })),
  ...LABELS.map((label) => ({ label })),
];

test("the sessions that usage names for a filter are listed for it", LONG, () => {
  forAll((index) => {
    for (const filter of FILTERS) {
      const listed = new Set(listAll(index, { filter }).sessions.map(({ path }) => path));
      const { rows } = sumUsage(index, { by: "session", own: true, timezone: "UTC", filter });
      const passedOver = rows.filter(({ path }) => path !== undefined && !listed.has(path));
      expect(passedOver, JSON.stringify(filter)).toEqual([]);
    }
  });
});

const OF_ENTRIES = FILTERS.filter(({ has }) => has !== "branch");

test("sessions that usage or labels name for two conditions are listed for both", LONG, () => {
  forAll((index, _store, choose) => {
    for (const one of OF_ENTRIES) {
      const filter = { ...one, ...choose(...OF_ENTRIES) };
      const listed = new Set(listAll(index, { filter }).sessions.map(({ path }) => path));
      const { rows } = sumUsage(index, { by: "session", own: true, timezone: "UTC", filter });
      const found = listLabels(index, { filter }).flatMap((each) => [each, ...each.copies]);
      const labelled = found.filter(({ line }) => line !== null);
      const named = [...rows, ...labelled.map(({ session }) => session)].map(({ path }) => path);
      expect(
        named.filter((path) => path !== undefined && !listed.has(path)),
        JSON.stringify(filter),
      ).toEqual([]);
    }
  });
});

test("a further condition finds no session that is not found without it", LONG, () => {
  forAll((index, _store, choose) => {
    const listed = (filter: Filter) => listAll(index, { filter }).sessions.map(({ path }) => path);
    const since = Date.parse(choose(...listAll(index).sessions)?.createdAt ?? "2026-01-01");
    const all: Filter[] = [...FILTERS, { type: "model_change" }, { since }, { until: since + 1 }];
    for (const one of all) {
      const found = new Set(listed(one));
      const other = choose(...all.filter((each) => Object.keys(each).join() !== Object.keys(one).join()));
      const more = listed({ ...one, ...other }).filter((path) => !found.has(path));
      expect(more, JSON.stringify([one, other])).toEqual([]);
    }
  });
});

const SAID: Pick<Filter, "role" | "type">[] = [{ role: "user" }, { role: "toolResult" }, { type: "label" }];

test(
  "the sessions listed for a time are those with an entry of it, which is all else that is asked for",
  LONG,
  () => {
    forAll((index, { roots }, choose) => {
      const files = roots.flatMap(readSessionsFolder);
      const times = files.flatMap(({ entries }) => entries.flatMap(({ time }) => time ?? []));
      const [since = 0, until = 0] = [choose(...times) ?? 0, (choose(...times) ?? 0) + 1].toSorted(
        (a, b) => a - b,
      );
      const listed = (filter: Filter) =>
        listAll(index, { filter }).sessions.map(({ path }) => realpathSync(path));
      for (const time of [{ since }, { until }, { since, until }]) {
        const isIn = (at: number | null) =>
          at !== null && at >= (time.since ?? at) && (time.until === undefined || at < time.until);
        const holding = (filter: Filter) =>
          files.filter(({ entries }) =>
            entries.some(
              ({ time: at, role, type }) =>
                isIn(at) && role === (filter.role ?? role) && type === (filter.type ?? type),
            ),
          );
        for (const said of SAID) {
          const filter = { ...said, ...time };
          const meant = holding(said).map(({ path }) => path);
          expect(listed(filter).toSorted(), JSON.stringify(filter)).toEqual(meant.toSorted());
        }
        const active = listAll(index).sessions.filter(({ modifiedAt }) => isIn(Date.parse(modifiedAt)));
        const meant = [...holding({}), ...active].map(({ path }) => realpathSync(path));
        expect(listed(time).toSorted(), JSON.stringify(time)).toEqual([...new Set(meant)].toSorted());
      }
    });
  },
);

test("filters split the labels; the first of them are those of all", LONG, () => {
  forAll((index, _store, choose) => {
    const all = listLabels(index);
    const limit = choose(1, 2, 3) ?? 1;
    expect(listLabels(index, { limit })).toEqual(all.slice(0, limit));
    const timed = all.filter(({ timestamp }) => timestamp !== null);
    const moment = choose(...timed)?.timestamp;
    for (const [parts, whole] of [
      [ORIGINS, all],
      [NAMED, all],
      [splitAt(moment, choose), timed],
    ] as const) {
      const split = parts.flatMap((filter) => listLabels(index, { filter }));
      expect(inPlace(split), JSON.stringify(parts)).toEqual(inPlace(whole));
    }
    for (const label of LABELS) {
      const same = all.filter((each) => each.label.toLowerCase() === label.toLowerCase());
      expect(listLabels(index, { filter: { label } }), label).toEqual(same);
    }
  });
});

/** Every place of each label: a filter may leave the original out, and a copy stands in its stead. */
function inPlace(labels: readonly LabelledEntry[]): string[] {
  return labels
    .flatMap(({ copies, session, line, label, entryId, timestamp }) =>
      [{ session, line }, ...copies].map(({ session: { path }, line }) => [
        label,
        entryId,
        timestamp,
        path,
        line,
      ]),
    )
    .map((place) => JSON.stringify(place))
    .toSorted();
}
