import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SessionDbError } from "../../src/errors.ts";
import { parseSearchQuery } from "../../src/search/query/search-query.ts";
import { readQuery, type SearchOptions, searchEntries } from "../../src/search/search.ts";
import type { Index } from "../../src/store/open.ts";
import { searchTeam } from "../../src/team/ask/team-search.ts";
import type { TeamClient } from "../../src/team/connect.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";
import { session } from "../helpers/session-builder.ts";
import { pushAll, TeamDatabase } from "../helpers/team-database.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { indexOf } from "../reports/indexed.ts";
import { twoPeople } from "./two-people.ts";

const people = twoPeople("text");
const options: SearchOptions = { limit: 0, absolutePath: (path) => path };

/** What is found, and what is shown of it; sessions are told apart by their ids. */
async function teamHits(client: TeamClient, query: string, asked: SearchOptions = {}) {
  const { total, hits } = await searchTeam(client, { read: readQuery(query, { ...options, ...asked }) });
  expect(hits.length).toBe(total);
  return hits
    .map((hit) => ({ ...hit, sessions: [hit, ...hit.copies].map((each) => each.session.id).sort() }))
    .map(about);
}

function localHits(index: Index, query: string, asked: SearchOptions = {}) {
  const { hits } = searchEntries(index, query, { ...options, ...asked });
  return hits
    .map((hit) => ({ ...hit, sessions: [hit, ...hit.copies].map((each) => each.session.id).sort() }))
    .map(about);
}

interface Shown {
  entryId: string | null;
  type: string;
  role: string | null;
  tool: string | null;
  timestamp: string | null;
  snippet: string;
  highlights: unknown;
  sessions: string[];
}

function about({ entryId, type, role, tool, timestamp, snippet, highlights, sessions }: Shown): string {
  return JSON.stringify({ entryId, type, role, tool, timestamp, snippet, highlights, sessions });
}

async function expectSame(query: string, asked: SearchOptions = {}): Promise<number> {
  const here = localHits(people.index, query, asked).sort();
  expect([query, (await teamHits(people.lead, query, asked)).sort()]).toEqual([query, here]);
  return here.length;
}

describe("a team's hits are those of one index with everybody's files", () => {
  test.each([
    "pears",
    "tree*",
    '"one way"',
    "way -third",
    "pears OR tides",
    "(another OR third) way",
    "list",
    "café",
    "goes on NOT nothing",
    "ok role:assistant",
    "ok type:message since:2026-01-01",
    "ok -role:user",
    "ok model:gpt",
    "ok provider:ollama",
    "into origin:subagent",
    "ok session:grand",
    "delegated -origin:interactive until:2025-12-31",
    "ok -since:2026-01-01",
  ])("%s", async (query) => {
    expect(await expectSame(query)).toBeGreaterThan(0);
  });

  test.each(["newest", "oldest"] as const)("%s first", async (sort) => {
    const ids = (hits: string[]) => hits.map((hit) => JSON.parse(hit).timestamp);
    expect(ids(await teamHits(people.lead, "ok", { sort }))).toEqual(
      ids(localHits(people.index, "ok", { sort })),
    );
  });
});

test("copies in forks, and in the sessions of others, are one hit", async () => {
  const { hits } = await searchTeam(people.lead, { read: readQuery('"one way"', options) });
  const [first] = hits.filter(({ copies }) => copies.length > 0);
  expect(new Set([first, ...(first?.copies ?? [])].map((each) => each?.author))).toEqual(
    new Set(["ada", "ben"]),
  );
  expect(first?.handle).toMatch(/^tree\/\w+$/);
});

test("as many hits are shown as are asked for, and more are told of", async () => {
  const { total, hits } = await searchTeam(people.lead, { read: readQuery("ok", { ...options, limit: 3 }) });
  expect([hits.length, total]).toEqual([3, localHits(people.index, "ok").length]);
});

test("an author finds their own only", async () => {
  const found = async (client: TeamClient, author?: string) => {
    const { hits } = await searchTeam(client, {
      read: readQuery("ok", options),
      ...(author !== undefined && { author }),
    });
    return new Set(hits.flatMap((hit) => [hit, ...hit.copies].map((each) => each.author)));
  };
  expect(await found(people.ben)).toEqual(new Set(["ben"]));
  expect(await found(people.ben, "ada")).toEqual(new Set());
  expect(await found(people.lead, "Ada")).toEqual(new Set(["ada"]));
});

test.each(["tool:bash", "label:todo", "named:yes", "has:error", "-tool:bash"])(
  "%s is refused",
  async (condition) => {
    const asked = searchTeam(people.lead, { read: readQuery(`ok ${condition}`, options) });
    await expect(asked).rejects.toThrow(SessionDbError);
  },
);

const word = fc.constantFrom(..."fig Fig pear getUserName user name é 天气 👍 don't x_y 9 it".split(" "));
const phrase = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(" "));
const term = fc.oneof(
  word,
  word.map((each) => `${each.slice(0, 2)}*`),
  phrase.map((words) => `"${words}"`),
);
const query = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: term },
      term.map((each) => `NOT ${each}`),
      fc.constantFrom("OR", "(", ")"),
    ),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(" "));

test("whatever is said and asked", async () => {
  const database = await TeamDatabase.create();
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(phrase, { minLength: 5, maxLength: 30 }),
        fc.array(query, { minLength: 10, maxLength: 20 }),
        async (said, queries) => {
          await database.clear();
          const client = await database.person("ada", { lead: true });
          const root = join(tempDir(), "sessions");
          mkdirSync(root);
          const built = session();
          for (const text of said) built.user(text);
          built.writeBelow(root);
          await pushAll(client, root);
          const index = indexOf(root);
          for (const each of queries.filter(isQuery))
            expect([each, (await teamHits(client, each)).sort()]).toEqual([
              each,
              localHits(index, each).sort(),
            ]);
        },
      ),
      { numRuns: runs(6) },
    );
  } finally {
    await database.close();
  }
}, 120_000);

function isQuery(text: string): boolean {
  try {
    parseSearchQuery(text);
    return true;
  } catch {
    return false;
  }
}

test("what matches better stands first, also where something is left out", async () => {
  const root = join(tempDir(), "sessions");
  mkdirSync(root);
  session()
    .user("a quince among apples, pears, plums, cherries, figs, medlars and grapes")
    .user("quince, quince, quince")
    .writeBelow(root);
  const cleo = await people.database.person("cleo");
  await pushAll(cleo, root);
  for (const query of ["quince", "quince NOT kiwi", "quince OR kiwi"]) {
    const { hits } = await searchTeam(cleo, { read: readQuery(query, options) });
    expect(hits.map(({ snippet }) => snippet.slice(0, 7))).toEqual(["quince,", "a quinc"]);
    expect(hits.every(({ score }) => score > 0.001)).toBe(true);
  }
});
