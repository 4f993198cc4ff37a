/** How pushing to a team's database grows with the sessions: on a server that SESSIONDB_TEST_PG names (of a superuser). */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { makeCorpus } from "../corpus.mjs";
import { timed } from "../measure.mjs";
import { timesAsMuch } from "../rows.mjs";

/** Shares of the corpus M, each four times the one before. */
const SHARES = [1 / 16, 1 / 4, 1];

/** @param {import("../bench.mjs").Place} place */
export async function team(place) {
  const server = process.env.SESSIONDB_TEST_PG;
  if (server === undefined) {
    console.error("not measured: name a PostgreSQL in SESSIONDB_TEST_PG");
    return [];
  }
  const sizes = [];
  for (const share of SHARES) sizes.push(await measured(place, server, share * (place.quick ? 0.1 : 1)));
  return sizes.flatMap((size, at) => {
    const before = sizes[at - 1];
    // Starting, and looking at the files, is most of what little takes.
    const target = at === sizes.length - 1 ? 1 : null;
    const peer = { name: "10,000 a second", value: size.requests / 10 };
    const rate = timesAsMuch(
      `push ${size.requests.toLocaleString("en-US")} requests`,
      peer,
      size.firstMs,
      target,
    );
    const again = timesAsMuch(
      "a second push, of nothing",
      { name: "the first", value: size.firstMs },
      size.secondMs,
      null,
    );
    if (before === undefined) return [rate, again];
    const times = size.requests / before.requests;
    const grown = (what, theirs, own, target) =>
      timesAsMuch(
        `${what} of ${times.toFixed(1)} times as much`,
        { name: "as much longer", value: theirs * times },
        own,
        target,
      );
    return [
      rate,
      again,
      grown("the same", before.firstMs, size.firstMs, 1.25),
      grown("`usage monthly --team --all`", before.usageMs, size.usageMs, 1.25),
    ];
  });
}

/** Makes a team in a database of its own, and pushes a share of the corpus from a laptop with nothing else on it. */
async function measured({ dir, main }, server, scale) {
  const name = `bench_${process.pid}_${Math.round(scale * 1000)}`;
  const owner = new pg.Client({ connectionString: server });
  await owner.connect();
  await owner.query(`CREATE DATABASE ${name}`);
  try {
    const agent = join(dir, name);
    mkdirSync(join(agent, "sessiondb"), { recursive: true });
    makeCorpus("M", join(agent, "sessions"), { scale });
    writeFileSync(join(agent, "sessiondb/config.json"), JSON.stringify({ push: { projects: ["*"] } }));
    const url = Object.assign(new URL(server), { pathname: `/${name}` }).href;
    const env = {
      ...process.env,
      HOME: agent,
      XDG_CONFIG_HOME: agent,
      PI_CODING_AGENT_DIR: agent,
      SESSIONDB_TEAM: url,
    };
    const run = (...args) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
        encoding: "utf8",
        env,
      });
      if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
      return stdout;
    };
    run("team", "init", "bench");
    run("sync");
    run("sync");
    const first = await timed(() => JSON.parse(run("push", "--json")));
    const second = await timed(() => run("push"));
    const usage = await timed(() => run("usage", "monthly", "--team", "--all"));
    return { requests: first.value.usageRows, firstMs: first.ms, secondMs: second.ms, usageMs: usage.ms };
  } finally {
    await owner.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await owner.end();
  }
}
