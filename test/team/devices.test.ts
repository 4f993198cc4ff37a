import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { NOTHING_EXCLUDED } from "../../src/files/session-path.ts";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { sumUsage } from "../../src/reports/usage/usage-report.ts";
import { connect } from "../../src/store/native.ts";
import { openIndex } from "../../src/store/open.ts";
import type { TeamClient } from "../../src/team/connect.ts";
import { connectTeam } from "../../src/team/connect.ts";
import { invite } from "../../src/team/people.ts";
import { push } from "../../src/team/push.ts";
import { PushCursor } from "../../src/team/push-cursor.ts";
import { textReader } from "../../src/team/push-texts.ts";
import { initTeam } from "../../src/team/setup.ts";
import { fc } from "../helpers/drawn.ts";
import { runs, SEED } from "../helpers/fuzz.ts";
import { indexIn } from "../helpers/open-index.ts";
import { hasNoPostgres, postgresServer, teamAt } from "../helpers/postgres.ts";
import { type FileEvent, fileEvents, happen } from "../helpers/session-store-model.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/*
 * Whatever happens on however many devices, whenever they push and wherever that is cut off: once all have pushed, the team's
 * sums are those of one index that is fed with the files of all.
 */

const DEVICES = 6;

type Step = { device: number } & (
  | { kind: "file"; event: FileEvent }
  | { kind: "push" }
  /** The connection breaks at the n-th statement, after it was sent or before. */
  | { kind: "cut"; at: number; isSent: boolean }
  | { kind: "lose" | "elsewhere" | "reindex" }
);

const device = fc.nat(DEVICES - 1);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant("file" as const), device, event: fileEvents }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("push" as const), device }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("cut" as const),
        device,
        at: fc.nat(4),
        isSent: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom("lose" as const, "elsewhere" as const, "reindex" as const),
        device,
      }),
    },
  ),
  { minLength: 5, maxLength: 60 },
);

const server = postgresServer();

/** A laptop: session files, an index over them, and what was pushed. */
class Device {
  readonly root: string;
  readonly #folder: string;
  readonly #url: string;

  constructor(place: string, url: string) {
    this.root = join(place, "sessions");
    this.#folder = join(place, "sessiondb");
    this.#url = url;
    mkdirSync(this.root, { recursive: true });
    mkdirSync(this.#folder);
  }

  async push(url = this.#url, wrap: (client: TeamClient) => TeamClient = (client) => client): Promise<void> {
    const index = openIndex(indexIn(this.#folder));
    const cursor = new PushCursor(index.location.indexPath);
    const client = wrap(await connectTeam(url));
    try {
      syncAll(index, [this.root]);
      const { salt } = cursor;
      const rules = {
        level: "usage" as const,
        projects: ["*"],
        roots: [this.root],
        salt,
        client: "1.0.0",
        isExcluded: NOTHING_EXCLUDED,
      };
      await push(index, client, { rules, label: "laptop", cursor, readTexts: textReader(index.database) });
    } finally {
      cursor.close();
      index.close();
      await client.end().catch(() => undefined);
    }
  }

  /** Loses what it remembers to have pushed. */
  lose(): void {
    const cursor = connect(join(this.#folder, "push-v1.db"), {});
    if (cursor.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'pushed'").get())
      cursor.exec("DELETE FROM pushed");
    cursor.close();
  }

  loseIndex(): void {
    for (const part of ["", "-wal", "-shm"])
      rmSync(join(this.#folder, `index-v1.db${part}`), { force: true });
  }
}

/** Breaks the connection at a statement. */
function cutAt(client: TeamClient, at: number, isSent: boolean): TeamClient {
  let count = 0;
  return {
    ...client,
    query: (text, values) => {
      if (count++ !== at) return client.query(text, values);
      const answer = isSent ? client.query(text, values) : Promise.reject(new Error("cut"));
      const { connection } = client.driver as unknown as { connection: { stream: { destroy(): void } } };
      if (isSent) setImmediate(() => connection.stream.destroy());
      else connection.stream.destroy();
      return answer as never;
    },
  };
}

interface Sums {
  requests: number;
  cost: number;
  totalTokens: number;
}

async function teamSums(client: TeamClient): Promise<Sums> {
  const [sums] = await client.query<Sums>(
    `SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(cost), 0) AS cost, coalesce(sum(total_tokens), 0) AS "totalTokens"
     FROM sessiondb_team.usage_quarters WHERE counted = 1`,
  );
  return sums as Sums;
}

function sumsOf(roots: string[], folder: string): Sums {
  mkdirSync(folder);
  const index = openIndex(indexIn(folder));
  try {
    syncAll(index, roots);
    const { requests, cost, totalTokens } = sumUsage(index, { by: "model", timezone: "UTC" }).totals;
    return { requests, cost, totalTokens };
  } finally {
    index.close();
  }
}

async function team(authors: number): Promise<{ owner: TeamClient; urls: string[] }> {
  const url = await server.newDatabase();
  const owner = await teamAt(url);
  await initTeam(owner, { name: "owner" });
  const urls: string[] = [];
  for (let at = 0; at < authors; at++) {
    const { role, password } = await invite(owner, { name: `person ${at}`, lead: false });
    urls.push(Object.assign(new URL(url), { username: role, password: password ?? "" }).href);
  }
  return { owner, urls };
}

async function carryOut(step: Step, devices: readonly Device[], elsewhere: string): Promise<void> {
  const device = devices[step.device] as Device;
  switch (step.kind) {
    case "file":
      return happen(device.root, step.event);
    case "push":
      return device.push();
    case "cut":
      return device.push(undefined, (client) => cutAt(client, step.at, step.isSent)).catch(() => undefined);
    case "lose":
      return device.lose();
    case "reindex":
      return device.loseIndex();
    case "elsewhere":
      return device.push(elsewhere);
  }
}

describe.skipIf(hasNoPostgres())("devices that push", () => {
  test("come to the sums of one index that is fed with the files of all, whatever happens", async () => {
    const [{ owner, urls }, other] = [await team(3), await team(1)];
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        await owner.query(
          "SELECT sessiondb_data.clear_sessions(author, array_agg(id), true) FROM sessiondb_data.sessions GROUP BY author",
        );
        const place = tempDir();
        // Two devices a person.
        const devices = Array.from(
          { length: DEVICES },
          (_, at) => new Device(join(place, String(at)), urls[at % 3] as string),
        );
        for (const step of list) await carryOut(step, devices, other.urls[0] as string);
        await Promise.all(devices.map((each) => each.push()));
        const alone = sumsOf(
          devices.map(({ root }) => root),
          join(place, "all"),
        );
        const together = await teamSums(owner);
        expect(together.requests).toBe(alone.requests);
        expect(together.totalTokens).toBe(alone.totalTokens);
        expect(together.cost).toBeCloseTo(alone.cost, 7);
      }),
      { numRuns: runs(20), seed: SEED },
    );
  });
});
