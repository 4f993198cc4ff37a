import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { connectTeam, type TeamClient } from "../../src/team/connect.ts";
import { runCli } from "../cli/pretend-world.ts";
import { hasNoPostgres, postgresServer, teamAt } from "../helpers/postgres.ts";
import { session } from "../helpers/session-builder.ts";
import { laptop, newTeam, wiretap } from "../helpers/team.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const server = postgresServer();

const KEY = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`;

function writeOrchard(agentDir: string, timestamp = "2026-11-02T10:00:00Z"): void {
  const sessions = join(agentDir, "sessions");
  session({ id: "pears", cwd: "/home/ada/work/orchard", timestamp })
    .user(`plant the pears with ${KEY}`)
    .assistant({ text: "planted", toolCalls: [{ name: "dig_holes", arguments: { depth: 3 } }] })
    .toolResult("as deep as told")
    .writeBelow(sessions);
  const secret = session({ id: "secret", cwd: "/home/ada/work/orchard" })
    .user("of the poisoned apple")
    .assistant();
  secret.label(String(secret.lastId), "Private").writeBelow(sessions);
  session({ id: "diary", cwd: "/home/ada/diary" }).user("dear diary").assistant().writeBelow(sessions);
}

const LISTED = ["/home/ada/work/*"];
const WORDS = {
  never: ["poisoned", "diary", KEY, "/home/ada"],
  names: ["orchard", "plant the pears", "dig_holes"],
  text: ["as deep as told", "planted"],
};

describe.skipIf(hasNoPostgres())("what leaves a device", () => {
  test.each([
    ["usage", [], [...WORDS.names, ...WORDS.text]],
    ["names", WORDS.names, WORDS.text],
    ["text", [...WORDS.names, ...WORDS.text], []],
  ])("is to the byte what the preview shows, at the level %s", async (level, said, unsaid) => {
    const tapped = await wiretap(await (await newTeam(server)).url("ada"));
    const world = laptop(tapped.url, { projects: LISTED, level });
    writeOrchard(world.agentDir);
    const preview = await runCli(["push", "--preview"], world);
    expect(tapped.sent()).toHaveLength(0);
    expect(await runCli(["push"], world)).toMatchObject({ code: 0 });
    let sent = tapped.sent().toString("latin1");
    for (const line of preview.stdout.trimEnd().split("\n")) {
      expect(sent).toContain(Buffer.from(line).toString("latin1"));
      sent = sent.replace(Buffer.from(line).toString("latin1"), "");
    }
    // What else is sent are statements, the role, and the greeting at the end, which says that nothing waits.
    sent = sent.replace(/\{"device":[^}]*"waiting":0\}/, "");
    expect(sent).not.toMatch(/pears|secret|"place"|"session"/);
    for (const word of said) expect(preview.stdout).toContain(word);
    for (const word of [...unsaid, ...WORDS.never]) expect(preview.stdout).not.toContain(word);
  });

  test("is nothing, until a project is listed", async () => {
    const world = laptop(await (await newTeam(server)).url("ada"), { projects: [] });
    writeOrchard(world.agentDir);
    const { code, stderr } = await runCli(["push"], world);
    expect([code, stderr]).toEqual([2, expect.stringContaining("nothing may leave this device")]);
  });

  test("is taken out again once it is deleted, excluded, or not listed any more, and told so once", async () => {
    const team = await newTeam(server);
    const world = laptop(await team.url("ada"));
    const sessions = join(world.agentDir, "sessions");
    const weeds = session({ id: "weeds", cwd: "/home/ada/work" })
      .user("weed")
      .assistant()
      .writeBelow(sessions);
    const far = tempDir();
    session({ id: "seeds", cwd: "/home/ada/work" }).user("sow").assistant().write(join(far, "seeds.jsonl"));
    symlinkSync(far, join(sessions, "own"));
    writeOrchard(world.agentDir);
    await runCli(["push"], world);
    const held = async () =>
      (await team.owner.query("SELECT DISTINCT session_id FROM sessiondb_team.sessions ORDER BY 1"))
        .map((row) => row.session_id)
        .join();
    expect(await held()).toBe("diary,pears,seeds,weeds");
    const withSettings = async (settings: object) => {
      const path = join(world.env?.XDG_CONFIG_HOME ?? "", "sessiondb/config.json");
      writeFileSync(path, JSON.stringify(settings));
      const preview = (await runCli(["push", "--preview"], world)).stdout.match(/"files":/g);
      return [preview?.length, (await runCli(["push"], world)).stderr, await held()];
    };
    const told = [1, expect.stringContaining("Took out 1 session.")];
    rmSync(weeds);
    expect(await withSettings({ push: { projects: ["*"] } })).toEqual([...told, "diary,pears,seeds"]);
    // Also by where a link to it leads.
    const exclude = [far];
    expect(await withSettings({ push: { projects: ["*"] }, exclude })).toEqual([...told, "diary,pears"]);
    expect(await withSettings({ push: { projects: LISTED }, exclude })).toEqual([...told, "pears"]);
    // Whoever lists nothing any more takes all of it back.
    expect(await withSettings({ push: { projects: [] }, exclude })).toEqual([...told, ""]);
    expect((await runCli(["push"], world)).stderr).toContain("nothing may leave this device");
  });

  test("has no session of a sub-agent of a private one, however deep", async () => {
    const team = await newTeam(server);
    const world = laptop(await team.url("ada"));
    const top = session({ id: "top" }).user("x").assistant().writeBelow(join(world.agentDir, "sessions"));
    const run = join(top.replace(/\.jsonl$/, ""), "a1/run-0");
    const secret = session({ id: "secret" }).user("x").assistant();
    secret.label(String(secret.lastId), "private").write(join(run, "session.jsonl"));
    session({ id: "deep" }).user("x").assistant().write(join(run, "session/b2/run-0/session.jsonl"));
    expect((await runCli(["push"], world)).stderr).toContain("Pushed 1 session");
    expect(await team.owner.query("SELECT session_id FROM sessiondb_team.sessions")).toEqual([
      { session_id: "top" },
    ]);
  });

  test("has no secret in what projects, models and tools are called", async () => {
    const world = laptop(await (await newTeam(server)).url("ada"), { projects: ["*"], level: "text" });
    session({ id: "named", cwd: `/home/ada/${KEY}` })
      .user("x")
      .assistant({ model: KEY, provider: KEY, toolCalls: [{ name: KEY, arguments: {} }] })
      .toolResult("done")
      .writeBelow(join(world.agentDir, "sessions"));
    const { stdout } = await runCli(["push", "--preview"], world);
    expect(stdout).toContain('"tool":"[masked GitHub token]"');
    expect(stdout).not.toContain(KEY);
  });
});

const VIEWS = [
  "sessions",
  "usage",
  "usage_quarters",
  "usage_daily",
  "usage_by_model",
  "usage_by_session",
  "session_summary",
  "tool_stats",
  "entry_text",
  "devices",
];

async function refusal(client: TeamClient, sql: string, values: unknown[] = []): Promise<string> {
  return client.query(sql, values).then(
    () => "nothing",
    (error: Error & { code?: string }) => String(error.code),
  );
}

describe.skipIf(hasNoPostgres())("who sees what", () => {
  test("an author their own rows, at every level and by any statement; a lead those of all", async () => {
    const team = await newTeam(server);
    const urls = {
      ada: await team.url("ada"),
      ben: await team.url("ben"),
      cleo: await team.url("cleo", { lead: true }),
    };
    for (const [name, day] of [
      ["ada", 3],
      ["ben", 4],
    ] as const) {
      const world = laptop(urls[name], { projects: ["*"], level: "text" });
      writeOrchard(world.agentDir, `2026-11-0${day}T10:00:00Z`);
      await runCli(["push"], world);
    }
    const [ada, cleo] = [await teamAt(urls.ada), await teamAt(urls.cleo)];
    const authorsIn = async (client: TeamClient, view: string) =>
      (await client.query(`SELECT DISTINCT author FROM sessiondb_team.${view} ORDER BY 1`)).map(
        ({ author }) => author,
      );
    for (const view of VIEWS) {
      expect([view, await authorsIn(ada, view)]).toEqual([view, ["ada"]]);
      expect([view, await authorsIn(cleo, view)]).toEqual([view, ["ada", "ben"]]);
    }
    // Neither by a function that sees rows before the view has left them out, nor past the views.
    await ada.query(
      "CREATE FUNCTION pg_temp.leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN RAISE EXCEPTION '%', $1; END $$",
    );
    expect(
      await refusal(
        ada,
        "SELECT 1 FROM sessiondb_team.sessions WHERE author <> 'ada' AND pg_temp.leak(title)",
      ),
    ).toBe("nothing");
    for (const table of ["sessions", "usage", "entry_text", "authors"])
      expect(await refusal(ada, `SELECT 1 FROM sessiondb_data.${table}`)).toBe("refused");
    expect(await refusal(ada, "SET ROLE owner")).toBe("refused");
  });

  test("nobody writes as another, and who is revoked not at all", async () => {
    const team = await newTeam(server);
    const [adaUrl, benUrl] = [await team.url("ada"), await team.url("ben")];
    const world = laptop(adaUrl);
    writeOrchard(world.agentDir);
    await runCli(["push"], world);
    const [{ device, file } = {}] = await team.owner.query(
      "SELECT device, file FROM sessiondb_data.sessions LIMIT 1",
    );
    const ben = await teamAt(benUrl);
    // The device of another: what is said of it becomes one's own.
    await ben.query("SELECT sessiondb_team.tombstone_v1($1)", [{ device, files: [file], author: 2 }]);
    expect(
      await team.owner.query("SELECT 1 FROM sessiondb_data.sessions WHERE file = $1", [file]),
    ).toHaveLength(1);
    for (const sql of [
      "INSERT INTO sessiondb_data.authors (role, name, kind) VALUES ('x', 'x', 'lead')",
      "SELECT sessiondb_data.forget_author(2)",
    ])
      expect(await refusal(ben, sql)).toBe("refused");
    const owner = { ...laptop(team.ownerUrl), agentDir: world.agentDir };
    expect(await runCli(["team", "revoke", "ada"], owner)).toMatchObject({ code: 0 });
    const { code, stderr } = await runCli(["push", "--all"], world);
    expect([code, stderr]).toEqual([1, expect.stringContaining("does not let this role do that")]);
    // What was pushed stays, until it is forgotten.
    const count = async () => (await team.owner.query("SELECT 1 FROM sessiondb_data.sessions")).length;
    expect(await count()).toBe(2);
    await runCli(["team", "forget", "ada"], owner);
    expect(await count()).toBe(0);
  });

  test("a device is forgotten by itself, and only one that is named without doubt", async () => {
    const team = await newTeam(server);
    const url = await team.url("ada");
    for (const [at, label] of ["desk", "desk", "lap"].entries()) {
      const world = laptop(url, { projects: ["*"], label });
      writeOrchard(world.agentDir, `2026-11-0${at + 1}T10:00:00Z`);
      expect(await runCli(["push"], world)).toMatchObject({ code: 0 });
    }
    const owner = laptop(team.ownerUrl);
    const held = async () =>
      (
        await team.owner.query(
          "SELECT d.label FROM sessiondb_data.sessions s JOIN sessiondb_data.devices d ON d.id = s.device ORDER BY 1",
        )
      ).map(({ label }) => label);
    const doubtful = await runCli(["team", "forget", "ada", "--device", "desk"], owner);
    expect([doubtful.code, doubtful.stderr]).toEqual([
      1,
      expect.stringContaining("ada has 2 devices that are called desk"),
    ]);
    expect(await runCli(["team", "revoke", "ada", "--device", "%"], owner)).toMatchObject({ code: 1 });
    const [{ id } = {}] = await team.owner.query(
      "SELECT id FROM sessiondb_data.devices WHERE label = 'desk' LIMIT 1",
    );
    // What was pushed from one that is only revoked stays.
    expect(await runCli(["team", "revoke", "ada", "--device", "lap"], owner)).toMatchObject({ code: 0 });
    expect(await runCli(["team", "forget", "ada", "--device", String(id)], owner)).toMatchObject({ code: 0 });
    expect(await held()).toEqual(["desk", "desk", "lap", "lap"]);
  });

  test("a password is neither in the server's log nor in an error", async () => {
    const team = await newTeam(server);
    await team.owner.query("ALTER ROLE owner SET log_statement = 'all'");
    const owner = laptop(team.ownerUrl);
    const { stdout } = await runCli(["team", "invite", "dora"], owner);
    const { password } = new URL(stdout.trim());
    expect(password).toMatch(/^.{20,}$/);
    await (await connectTeam(stdout.trim())).end();
    const wrong = await runCli(["push"], laptop(stdout.trim().replace(password, "wrong-password")));
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("does not let this role in")]);
    expect(wrong.stderr).not.toContain("wrong-password");
    expect(server.log()).toContain("CREATE ROLE");
    expect(server.log()).not.toContain(password);
  });
});
