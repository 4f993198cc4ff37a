import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll } from "vitest";
import type { PushLevel } from "../../src/config/push-settings.ts";
import { NOTHING_EXCLUDED } from "../../src/files/session-path.ts";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { openIndex } from "../../src/store/open.ts";
import { type TeamClient, teamError } from "../../src/team/connect.ts";
import { invite } from "../../src/team/people.ts";
import { push } from "../../src/team/push.ts";
import { PushCursor } from "../../src/team/push-cursor.ts";
import { textReader } from "../../src/team/push-texts.ts";
import { indexIn } from "./open-index.ts";

const MIGRATIONS = join(import.meta.dirname, "../../migrations/team");
/** Numbers come as those of `connectTeam` do. */
const PARSERS = { 20: Number, 1700: Number };

/** A team's database within the test's own process, PostgreSQL in WebAssembly: nothing has to be installed. */
export class TeamDatabase {
  readonly #database: PGlite;
  /** One at a time: there is one connection. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(database: PGlite) {
    this.#database = database;
  }

  static async create(): Promise<TeamDatabase> {
    const database = await PGlite.create();
    for (const name of readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql")))
      await database.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
    await database.exec(
      "INSERT INTO sessiondb_data.meta VALUES ('instance', 'test'), ('oldest_client', '0.0.1')",
    );
    return new TeamDatabase(database);
  }

  /** A connection of a role; the owner's unless told. */
  as(role?: string): TeamClient {
    const client = {
      place: "test",
      driver: undefined as never,
      query: <T extends object>(text: string, values: readonly unknown[] = []) =>
        this.#inTurn(async () => {
          if (role !== undefined) await this.#database.exec(`SET SESSION AUTHORIZATION "${role}"`);
          try {
            return (await this.#database.query<T>(text, [...values], { parsers: PARSERS })).rows;
          } catch (error) {
            throw teamError(error, "test");
          } finally {
            await this.#database.exec("SET SESSION AUTHORIZATION postgres");
          }
        }),
      end: () => Promise.resolve(),
    };
    return client;
  }

  /** Invites a person, and gives a connection of theirs. */
  async person(name: string, { lead = false } = {}): Promise<TeamClient> {
    const { role } = await invite(this.as(), { name, lead });
    return this.as(role);
  }

  /** Nothing that was pushed stays. */
  async clear(): Promise<void> {
    await this.#database.exec("DELETE FROM sessiondb_data.sessions; DELETE FROM sessiondb_data.entry_text");
    await this.#database.exec("DELETE FROM sessiondb_data.usage; DELETE FROM sessiondb_data.usage_quarters");
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const answer = this.#last.then(ask, ask);
    this.#last = answer;
    return answer;
  }
}

/** A database for all tests of a file, to be called at its top level. */
export function teamDatabase(): { readonly current: TeamDatabase } {
  const held: { current?: TeamDatabase } = {};
  beforeAll(async () => {
    held.current = await TeamDatabase.create();
  });
  afterAll(() => held.current?.close());
  return {
    get current() {
      if (held.current === undefined) throw new Error("only within tests");
      return held.current;
    },
  };
}

/** Pushes all sessions below a folder from a device of its own, whose index lies beside the folder. */
export async function pushAll(client: TeamClient, root: string, level: PushLevel = "text"): Promise<void> {
  const index = openIndex(indexIn(mkdtempSync(`${root}-index-`)));
  const cursor = new PushCursor(index.location.indexPath);
  try {
    syncAll(index, [root]);
    feedSearch(index);
    const rules = {
      level,
      projects: ["*"],
      roots: [root],
      salt: cursor.salt,
      client: "1.0.0",
      isExcluded: NOTHING_EXCLUDED,
    };
    await push(index, client, { rules, label: "laptop", cursor, readTexts: textReader(index.database) });
  } finally {
    cursor.close();
    index.close();
  }
}
