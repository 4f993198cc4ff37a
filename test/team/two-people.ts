import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { feedSearch } from "../../src/search/feed/feeder.ts";
import { type Index, openIndex } from "../../src/store/open.ts";
import type { TeamClient } from "../../src/team/connect.ts";
import { indexIn } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { pushAll, type TeamDatabase, teamDatabase } from "../helpers/team-database.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { writeSpendingStore } from "../reports/usage/spending-store.ts";
import { writeMixedStore } from "../search/mixed-store.ts";

/** A team, and what one index says of the files of all of them. */
export interface TwoPeople {
  database: TeamDatabase;
  /** Sees everybody's. */
  lead: TeamClient;
  ada: TeamClient;
  ben: TeamClient;
  index: Index;
}

/**
 * A team of two, both of whom have pushed, to be called at the top level of a test file: ada text, ben as told. Both have
 * copies of the same sessions.
 */
export function twoPeople(levelOfBen: "usage" | "names" | "text"): TwoPeople {
  const team = teamDatabase();
  const folder = sharedTempDir();
  const people = {} as TwoPeople;
  beforeAll(async () => {
    const [adas, bens] = [join(folder, "ada"), join(folder, "ben")];
    for (const root of [adas, bens]) mkdirSync(root);
    writeMixedStore(adas);
    writeSpendingStore(bens);
    // Both have it: money counts once.
    writeSpendingStore(join(adas, "copied"));
    session({ id: "of-ben", cwd: "/p/levels", timestamp: "2026-03-29T00:50:00Z" })
      .user("think")
      .assistant({ thinkingLevel: "high", durationMs: 4000 })
      .assistant({ thinkingLevel: "off", durationMs: 700, model: "gpt-5.5" })
      .writeBelow(bens);
    session({ id: "family", cwd: "/p/family", timestamp: "2026-04-01T08:00:00Z" })
      .user("delegate this")
      .assistant()
      .write(join(adas, "family.jsonl"));
    session({ id: "helper", cwd: "/p/family", timestamp: "2026-04-01T09:00:00Z" })
      .user("look into it")
      .assistant()
      .write(join(adas, "family", "0f", "run-1", "session.jsonl"));
    const database = team.current;
    const [ada, ben] = [await database.person("ada"), await database.person("ben")];
    await pushAll(ada, adas);
    await pushAll(ben, bens, levelOfBen);
    const index = openIndex(indexIn(folder));
    syncAll(index, [adas, bens]);
    feedSearch(index);
    Object.assign(people, { database, lead: await database.person("lea", { lead: true }), ada, ben, index });
  });
  afterAll(() => people.index.close());
  return people;
}
