import { expect, test } from "vitest";
import type { Session } from "../../src/reports/answers.ts";
import { type ListOptions, listSessions } from "../../src/reports/sessions.ts";
import {
  listTeamSessions,
  type TeamListOptions,
  type TeamSession,
} from "../../src/team/ask/team-sessions.ts";
import { twoPeople } from "./two-people.ts";

const people = twoPeople("names");

/** Dollars are floats, which added in another order differ in the last places. */
function about(session: Session | TeamSession): object {
  const { id, name, title, createdAt, modifiedAt, messageCount, entryCount, branchCount } = session;
  const { origin, agent, models, usage, inherited, subagents } = session;
  const rounded = (sums: object) => JSON.parse(JSON.stringify(sums, (_, value) => roughly(value)));
  return {
    ...{
      id,
      name,
      title,
      createdAt,
      modifiedAt,
      messageCount,
      entryCount,
      branchCount,
      origin,
      agent,
      models,
    },
    ...{ usage: rounded(usage), inherited: rounded(inherited), subagents: rounded(subagents) },
  };
}

function roughly(value: unknown): unknown {
  return typeof value === "number" ? Number(value.toFixed(9)) : value;
}

const inOrder = (sessions: readonly object[]) => sessions.map((each) => JSON.stringify(each)).sort();

async function expectSame(options: TeamListOptions & ListOptions): Promise<number> {
  const here = listSessions(people.index, options);
  const there = await listTeamSessions(people.lead, options);
  expect(there.total).toBe(here.total);
  expect(inOrder(there.sessions.map(about))).toEqual(inOrder(here.sessions.map(about)));
  return here.total;
}

test("sessions are those of one index with everybody's files, with what is counted elsewhere and their sub-agents", async () => {
  expect(await expectSame({})).toBeGreaterThan(10);
  expect(await expectSame({ allSessions: true })).toBeGreaterThan(await expectSame({}));
});

test.each<[string, TeamListOptions["filter"]]>([
  ["a model", { model: "CLOCK" }],
  ["a provider", { provider: "ollama" }],
  ["a provider and a model", { provider: "anthropic", model: "gpt" }],
  ["an origin", { origin: "subagent" }],
  ["a session", { session: "grand" }],
  ["a time", { since: Date.parse("2026-01-01T00:00:00Z") }],
  ["a time before which nothing was said", { until: Date.parse("2025-01-01T00:00:00.000Z") }],
  ["a model at a time", { model: "clock", since: Date.parse("2025-11-03T00:00:00Z") }],
])("%s is asked for as it is locally", async (_what, filter = {}) => {
  expect(await expectSame({ filter: filter as ListOptions["filter"] & object })).toBeGreaterThan(0);
});

test.each(["modified", "created", "cost", "tokens", "messages", "title"] as const)(
  "by %s they come in the local order",
  async (key) => {
    for (const descending of [true, false]) {
      const sort = { key, descending };
      const orderOf = (session: Session | TeamSession) =>
        JSON.stringify(
          {
            modified: session.modifiedAt,
            created: session.createdAt,
            cost: roughly(session.usage.cost),
            tokens: session.usage.totalTokens,
            messages: session.messageCount,
            title: session.title.toLowerCase(),
          }[key],
        );
      const here = listSessions(people.index, { sort }).sessions.map(orderOf);
      const there = (await listTeamSessions(people.lead, { sort })).sessions.map(orderOf);
      expect(there).toEqual(here);
      const few = await listTeamSessions(people.lead, { sort, limit: 3, offset: 2 });
      expect([few.total, few.sessions.map(orderOf)]).toEqual([here.length, here.slice(2, 5)]);
    }
  },
);

test("an author sees their own, with who they are; nobody sees another's", async () => {
  const { sessions } = await listTeamSessions(people.ben);
  expect(new Set(sessions.map(({ author, level }) => `${author} ${level}`))).toEqual(new Set(["ben names"]));
  expect((await listTeamSessions(people.ben, { filter: { author: "ada" } })).total).toBe(0);
  const ofAda = await listTeamSessions(people.lead, { filter: { author: "Ada", project: "tide" } });
  expect(ofAda.sessions.map(({ project }) => project)).toEqual(["tide", "tide"]);
});
