import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { TeamClient } from "../../src/team/connect.ts";
import { runCli, runJson } from "../cli/pretend-world.ts";
import { hasNoPostgres, postgresServer } from "../helpers/postgres.ts";
import { session } from "../helpers/session-builder.ts";
import { laptop, newTeam } from "../helpers/team.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const server = postgresServer();

function withSession(url: string) {
  const world = laptop(url);
  session().user("x").assistant().writeBelow(join(world.agentDir, "sessions"));
  return world;
}

async function failure(url: string): Promise<string> {
  const { code, stderr } = await runCli(["push"], withSession(url));
  expect(code).toBe(1);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  return stderr;
}

test("an address that makes no sense is told before anything is connected to", async () => {
  for (const [url, words] of [
    ["mysql://db/team", "no postgres:// URL"],
    ["postgres://ada:pa55word@db.example.com/team?sslmode=disable", "another machine"],
  ] as const) {
    const { code, stderr } = await runCli(["push"], withSession(url));
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(stderr).not.toContain("pa55word");
  }
  const { code, stderr } = await runCli(["team"], { ...laptop(""), env: {} });
  expect([code, stderr]).toEqual([2, expect.stringContaining("no team is configured")]);
});

test("a server that is gone, or hangs up, is one line", async () => {
  expect(await failure("postgres://ada:pa55word@127.0.0.1:1/team")).toMatch(
    /does not answer \(ECONNREFUSED\)/,
  );
  const rude = createServer((socket) => socket.end());
  rude.listen(0, "127.0.0.1");
  await once(rude, "listening");
  onTestFinished(() => void rude.close());
  const address = rude.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  expect(await failure(`postgres://ada:pa55word@127.0.0.1:${port}/team`)).toMatch(
    /does not answer \(Connection terminated/,
  );
});

describe.skipIf(hasNoPostgres())("a server", () => {
  test("without a team, without the database, or of a role that is not known, is one line", async () => {
    const url = await server.newDatabase();
    expect(await failure(url)).toContain("holds no team yet");
    expect(await failure(`${url}_not`)).toContain("has no such database");
    expect(await failure(Object.assign(new URL(url), { username: "nobody", password: "x" }).href)).toContain(
      "does not let this role in",
    );
  });

  test("that is busy is tried again, and what was not taken is pushed later", async () => {
    const team = await newTeam(server);
    const world = withSession(await team.url("ada"));
    // Whoever pushes for so long takes all turns.
    await team.owner.query("SELECT pg_advisory_lock(7253, 1)");
    const pushed = runCli(["push"], world);
    setTimeout(() => void team.owner.query("SELECT pg_advisory_unlock(7253, 1)"), 5500);
    expect(await pushed).toMatchObject({ code: 0, stderr: expect.stringContaining("Pushed 1 session") });
  });

  test("that was ended as by a power cut is pushed to again once it is back", async () => {
    const team = await newTeam(server);
    const url = await team.url("ada");
    const world = withSession(url);
    await server.restart();
    expect(await runCli(["push"], world)).toMatchObject({ code: 0 });
    expect((await runCli(["push"], world)).stderr).toContain("has everything");
  });

  test("of a newer team refuses an old program; a database that was restored gets what it lacks", async () => {
    const team = await newTeam(server);
    const world = withSession(await team.url("ada"));
    await runCli(["push"], world);
    await team.owner.query(
      "SELECT sessiondb_data.clear_sessions(author, ARRAY[id], true) FROM sessiondb_data.sessions",
    );
    expect((await runCli(["push"], world)).stderr).toContain("Pushed 1 session");
    await team.owner.query("UPDATE sessiondb_data.meta SET value = '99.0.0' WHERE name = 'oldest_client'");
    expect(await runCli(["push"], world)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("wants sessiondb 99.0.0 or newer"),
    });
  });

  test("that does not take one file gets all others, and says which one is left", async () => {
    const team = await newTeam(server);
    await team.owner.query("ALTER TABLE sessiondb_data.sessions ADD CHECK (session_id <> 'odd')");
    const world = laptop(await team.url("ada"));
    for (const id of ["first", "odd", "last"])
      session({ id }).user(id).assistant().writeBelow(join(world.agentDir, "sessions"));
    const { code, stderr } = await runCli(["push"], world);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/Pushed 2 sessions[\s\S]*note: .*odd.*violates check constraint/),
    ]);
  });

  test("takes whatever a session file may hold", async () => {
    const team = await newTeam(server);
    const world = laptop(await team.url("ada"), { projects: ["*"], level: "text" });
    const odd = "nul \0, half a \ud800, end \u001e 'quote' \\";
    const usage = (numbers: object) => ({ input: 1, totalTokens: 1, cost: { total: 0.5 }, ...numbers });
    const built = session({ id: `id ${odd}`, cwd: `/home/ada/${odd}` }).user(odd);
    built.assistant({ text: odd, model: "m".repeat(100_000), provider: odd, usage: usage({ input: 1e300 }) });
    built
      .at("9999-12-31T23:59:59Z")
      .assistant({ text: "w ".repeat(50_000), usage: usage({ cost: { total: 1e300 } }) });
    mkdirSync(join(world.agentDir, "sessions/--odd--"));
    built
      .assistant({ usage: usage({ input: -1.5 }) })
      .at("1970-01-01T00:00:00Z")
      .assistant({ usage: usage({}) })
      .write(join(world.agentDir, "sessions/--odd--/odd.jsonl"));
    expect(await runCli(["push"], world)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Pushed 1 session"),
    });
    const { totals } = (await runJson(["usage", "--all"], world)) as {
      totals: { cost: number; requests: number };
    };
    const [{ cost, requests } = {}] = await team.owner.query(
      "SELECT sum(cost) AS cost, sum(requests) AS requests FROM sessiondb_team.usage_quarters WHERE counted = 1",
    );
    expect([cost, requests]).toEqual([totals.cost, totals.requests]);
  });

  test("that is a standby is asked, and takes nothing", async () => {
    const team = await newTeam(server);
    const url = await team.url("ada");
    await team.owner.query(
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`,
    );
    expect(await failure(url)).toContain("only reads: it is a standby");
    expect(await runCli(["usage", "--team"], laptop(url))).toMatchObject({ code: 0 });
  });

  test.skipIf(!hasOpenssl()).each([
    { what: "that another host has", name: "DNS:other", days: 1 },
    { what: "that has expired", name: "IP:127.0.0.1", days: -1 },
  ])("with a certificate $what gets nothing", async ({ name, days }) => {
    const url = await (await newTeam(server)).url("ada");
    const { owner } = await newTeam(server);
    const authority = await presentCertificate(owner, { name, days });
    expect(await failure(`${url}?sslmode=verify-full`)).toMatch(/certificate that is not to be trusted/);
    expect(await failure(`${url}?sslmode=verify-full&sslrootcert=${authority}`)).toMatch(
      /certificate that is not to be trusted/,
    );
  });

  test.skipIf(!hasOpenssl())("with a certificate of an authority of one's own is asked", async () => {
    const url = await (await newTeam(server)).url("ada");
    const { owner } = await newTeam(server);
    const authority = await presentCertificate(owner, { name: "IP:127.0.0.1", days: 1 });
    const { code, stderr } = await runCli(
      ["usage", "--team"],
      laptop(`${url}?sslmode=verify-full&sslrootcert=${authority}`),
    );
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("certificate")]);
  });
});

/** Has the server present a certificate, and returns the file of the authority that has signed it: itself. */
async function presentCertificate(
  owner: TeamClient,
  { name, days }: { name: string; days: number },
): Promise<string> {
  const [{ folder } = {}] = await owner.query<{ folder: string }>(
    "SELECT current_setting('data_directory') AS folder",
  );
  const [key, certificate] = [join(String(folder), "server.key"), join(String(folder), "server.crt")];
  const [request, names] = [join(tempDir(), "request"), join(tempDir(), "names")];
  const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });
  writeFileSync(names, `subjectAltName=${name}`);
  openssl(
    "req",
    "-new",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-subj",
    "/CN=team",
    "-keyout",
    key,
    "-out",
    request,
  );
  const valid = ["-days", String(days), "-extfile", names];
  openssl("x509", "-req", "-in", request, "-signkey", key, ...valid, "-out", certificate);
  execFileSync("chmod", ["600", key]);
  execFileSync("chown", ["--reference", String(folder), key, certificate]);
  await owner.query("ALTER SYSTEM SET ssl = on");
  await owner.query("SELECT pg_reload_conf()");
  return certificate;
}

function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
