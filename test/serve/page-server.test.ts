import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { isAlive } from "../../daemon/control/process.ts";
import { ask, ServedPage } from "../helpers/page-client.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { MAIN } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";

const SECRET = `sk-ant-api03-${"a1B2".repeat(20)}`;
const SAMPLES = join(import.meta.dirname, "..", "samples", "agent");

const agentDir = join(sharedTempDir(), "agent");
cpSync(SAMPLES, agentDir, { recursive: true });
const sessions = join(agentDir, "sessions");
session({ id: "0199aaaa-0000-7000-8000-000000000001", cwd: "/work/x" })
  .user(`the key is ${SECRET} <img src=x onerror=alert(1)>`)
  .assistant({ text: `I shall not repeat ${SECRET}`, model: `model-${SECRET}` })
  .writeBelow(sessions);

function command(...argv: string[]): string {
  return spawnSync(process.execPath, [MAIN, "--agent-dir", agentDir, ...argv], { encoding: "utf8" }).stdout;
}

test("each question is answered as the command answers it", async () => {
  const page = await ServedPage.start(["--agent-dir", agentDir]);
  const api = await page.signIn();
  await pollUntil(async () => JSON.parse((await api("search?q=timezone")).text).behind === 0, {
    what: "the full text",
  });
  const pairs: [path: string, argv: string[]][] = [
    ["status", []],
    [
      "sessions?limit=3&offset=2&sort=cost:desc",
      ["list", "--masked", "--limit=3", "--offset=2", "--sort=cost:desc"],
    ],
    ["sessions?limit=0", ["list", "--masked", "--limit=0"]],
    ["sessions?named", ["list", "--masked", "--named"]],
    ["search?q=timezone&limit=5&context=1", ["search", "timezone", "--limit=5", "--context=1"]],
    [`search?q=${encodeURIComponent('"the" -key role:user')}`, ["search", '"the"', "-key", "role:user"]],
    ["usage?by=model&all&breakdown", ["usage", "model", "--all", "--breakdown"]],
    ["usage?since=2026-10-01&until=2026-11-30", ["usage", "--since=2026-10-01", "--until=2026-11-30"]],
    ["usage?by=hour-of-week&all", ["usage", "hour-of-week", "--all"]],
    ["budgets", ["usage", "--check"]],
    ["waste?all", ["usage", "waste", "--all"]],
    ["files?path=src", ["files", "src"]],
    ["labels", ["labels"]],
    ["schema", ["schema"]],
    ["doctor", ["doctor"]],
  ];
  for (const [path, argv] of pairs) {
    const answer = await api(path);
    expect([path, answer.status, answer.headers["content-type"]], answer.text).toEqual([
      path,
      200,
      "application/json",
    ]);
    const said = command(...argv, "--json").replaceAll(SECRET, (found) => masked(found));
    expect(steady(answer.text), path).toEqual(steady(said));
    expect(answer.text).not.toContain(SECRET);
  }
  const exported = await api("export?session=latest&format=md");
  expect([exported.status, exported.text]).toEqual([200, command("export", "latest")]);
  expect((await api("sessions?csv")).text).toBe(command("list", "--csv"));
});

/** What changes from one moment to the next, left out: a score fades with time. */
function steady(text: string): unknown {
  return JSON.parse(text, (key, value) =>
    ["daemon", "sizeBytes", "index", "lastSyncAt", "findings", "score"].includes(key) ? undefined : value,
  );
}

function masked(secret: string): string {
  const { stdout } = spawnSync(
    process.execPath,
    [MAIN, "--agent-dir", agentDir, "sql", `SELECT '${secret}' AS s`, "--json"],
    {
      encoding: "utf8",
    },
  );
  return JSON.parse(stdout)[0].s;
}

test("what the page cannot ask is told as the command line tells it", async () => {
  const page = await ServedPage.start(["--agent-dir", agentDir, "--no-sync"]);
  const api = await page.signIn();
  const asked = async (path: string): Promise<[number, string]> => {
    const { status, text } = await api(path);
    return [status, JSON.parse(text).error.message];
  };
  expect(await asked("usage?by=modle")).toEqual([400, 'usage cannot be grouped by "modle"']);
  expect(await asked("usage?bogus=1")).toEqual([400, "unknown option --bogus"]);
  expect(await asked("search?q=-xyz")).toEqual([400, expect.stringContaining("leave out")]);
  expect(await asked("conversation/html?session=nobody")).toEqual([404, 'there is no session "nobody"']);
  expect(await asked("export?session=a%00b")).toEqual([400, expect.stringContaining("an export is asked")]);
  expect(await asked("export?session=nobody")).toEqual([404, 'there is no session "nobody"']);
  expect(await asked("delete?session=latest")).toEqual([404, "there is no such question"]);
  for (const option of ["db=/etc/passwd", "otlp=/tmp/x", "config=/tmp/x", "reveal", "json", "--db=x"])
    expect(await asked(`usage?${option}`)).toEqual([
      400,
      expect.stringContaining("the page cannot ask with"),
    ]);
  expect(await asked("sessions?csv&since=never")).toEqual([400, '"never" is not a date']);
  const doubtful = await api("search?q=tide&project=/nowhere");
  expect([doubtful.status, decodeURIComponent(String(doubtful.headers["sessiondb-notes"]))]).toEqual([
    200,
    expect.stringContaining("/nowhere"),
  ]);
});

test("below /api nothing is answered by the page itself", async () => {
  const page = await ServedPage.start(["--agent-dir", agentDir, "--no-sync"]);
  const { token } = JSON.parse((await page.login()).text) as { token: string };
  const headers = { authorization: `Bearer ${token}` };
  for (const path of ["/api/v2/status", "/api/x"])
    expect(await ask(page.at, path, { headers })).toMatchObject({
      status: 404,
      text: expect.stringContaining("there is no such question"),
    });
});

test("a code works once; a second time it signs out whoever has used it, and says so", async () => {
  const page = await ServedPage.start(["--agent-dir", agentDir, "--no-sync"]);
  expect((await page.login("wrong")).status).toBe(401);
  const api = await page.signIn();
  expect((await api("about")).status).toBe(200);
  const again = await page.login();
  expect([again.status, again.headers["clear-site-data"]]).toEqual([401, '"storage"']);
  expect((await api("about")).status).toBe(401);
  await pollUntil(() => page.stderr.includes("signed out"));
});

test("SQL: secrets are masked, writing is refused, a statement that nobody waits for ends", async () => {
  const page = await ServedPage.start(["--agent-dir", agentDir, "--no-sync"]);
  const api = await page.signIn();
  const sql = (statement: string, more: { parameters?: object; signal?: AbortSignal } = {}) =>
    api("sql", {
      body: JSON.stringify({ sql: statement, parameters: more.parameters }),
      ...(more.signal && { signal: more.signal }),
    });
  const plain = JSON.parse(
    (await sql("SELECT :a + 1 AS sum, x'00ff' AS blob, 9007199254740993 AS big", { parameters: { a: 2 } }))
      .text,
  );
  expect(plain).toMatchObject({
    columns: ["sum", "blob", "big"],
    rows: [[3, "00ff", "9007199254740993"]],
    truncated: false,
  });
  expect(
    (await sql("SELECT first_message FROM sessions UNION ALL SELECT model FROM usage")).text,
  ).not.toContain(SECRET);
  expect((await sql("DELETE FROM sessions")).status).toBe(400);
  expect((await sql("ATTACH 'x' AS y")).status).toBe(400);
  expect(JSON.parse((await sql("SELECT nope")).text).error).toMatchObject({ code: "sql" });

  const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
  const stop = new AbortController();
  const running = sql(endless, { signal: stop.signal });
  await pollUntil(async () => (await sql("SELECT 1")).status === 503, { what: "the statement to run" });
  const begun = performance.now();
  expect((await api("about")).status).toBe(200);
  expect(performance.now() - begun).toBeLessThan(3000);
  stop.abort();
  await expect(running).rejects.toThrow();
  await pollUntil(async () => (await sql("SELECT 1")).status === 200, { what: "its end" });
});

test("many exports at once are all answered, and strangers' connections keep nobody out", async () => {
  const served = await ServedPage.start([], ["demo"]);
  const asking = await served.signIn();
  const sitting = Array.from({ length: 80 }, () => connect(served.at.port, "127.0.0.1"));
  for (const socket of sitting) {
    socket.on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
  }
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => asking("export?session=01a1bfc2&format=md")),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
});

test.skipIf(process.platform !== "linux")(
  "an export that breaks off does not look like a whole one",
  async () => {
    const own = join(tempDir(), "agent");
    const long = session({ id: "long" });
    for (let at = 0; at < 4000; at++) long.user(`${at} ${"word ".repeat(1000)}`);
    long.writeBelow(join(own, "sessions"));
    const page = await ServedPage.start(["--agent-dir", own, "--no-sync", "--db", join(own, "index.db")]);
    const api = await page.signIn();
    spawnSync(process.execPath, [MAIN, "--agent-dir", own, "--db", join(own, "index.db"), "sync"]);
    let isKilled = false;
    const hear = (): void => {
      if (isKilled) return;
      isKilled = true;
      const all = readFileSync(`/proc/${page.child.pid}/task/${page.child.pid}/children`, "utf8");
      for (const pid of all.trim().split(" ")) process.kill(Number(pid), "SIGKILL");
    };
    await expect(api("export?session=long&format=html", { hear })).rejects.toThrow("aborted");
    expect((await api("export?session=long&format=html")).status).toBe(200);
    expect(page.stderr).not.toContain("Error");
  },
);

test("an index that is damaged while somebody listens is told as an error, without a stack", async () => {
  const own = join(tempDir(), "agent");
  session({ id: "one" }).user("x").writeBelow(join(own, "sessions"));
  const index = join(own, "sessiondb", "index-v1.db");
  command("--agent-dir", own, "sync");
  const page = await ServedPage.start(["--agent-dir", own, "--no-sync"]);
  const api = await page.signIn();
  let heard = "";
  const hear = (text: string): void => {
    heard = text;
  };
  const listening = new AbortController();
  const events = api("events", { hear, signal: listening.signal });
  await pollUntil(() => heard !== "", { what: "the stream" });
  truncateSync(index, 0);
  await pollUntil(async () => (await api("sql", { body: '{"sql":"SELECT 1"}' })).status !== 200);
  // It has looked a few times.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const outcome = await Promise.race([events, "it goes on"]);
  expect([outcome, page.stderr]).toEqual(["it goes on", expect.not.stringContaining("SqliteError")]);
  listening.abort();
  await expect(events).rejects.toThrow();
});

test("each question is answered while the index is deleted again and again", async () => {
  const own = join(tempDir(), "agent");
  cpSync(SAMPLES, own, { recursive: true });
  const page = await ServedPage.start(["--agent-dir", own]);
  const api = await page.signIn();
  const failed: string[] = [];
  const remove = () => {
    for (const name of ["index-v1.db", "search-v1.db"]) rmSync(join(own, "sessiondb", name), { force: true });
  };
  const removing = setInterval(remove, 300);
  onTestFinished(() => clearInterval(removing));
  for (let nth = 0; nth < 200; nth++) {
    const { status, text } = await api(["status", "sessions", "search?q=tide"][nth % 3] ?? "");
    if (status !== 200) failed.push(text);
  }
  expect(failed).toEqual([]);
});

test("a line that pi appends is told while somebody listens", async () => {
  const own = join(tempDir(), "agent");
  const path = session({ id: "growing" }).user("before").writeBelow(join(own, "sessions"));
  const page = await ServedPage.start(["--agent-dir", own]);
  const api = await page.signIn();
  await pollUntil(() => pidIn(join(own, "sessiondb", "daemon-status.json")), { what: "the keeper" });
  let heard = "";
  const listening = new AbortController();
  const hear = (text: string): void => {
    heard = text;
  };
  const events = api("events", { signal: listening.signal, hear });
  events.catch(() => undefined);
  await pollUntil(() => heard !== "", { what: "the stream" });
  const line = readFileSync(path, "utf8").trimEnd().split("\n").at(-1) ?? "";
  appendFileSync(path, `${line.replace("before", "after").replace(/"id":"[^"]+"/, '"id":"abcd0123"')}\n`);
  await pollUntil(() => heard.includes('event: changed\ndata: {"index":'), { what: "the event" });
  await pollUntil(async () => JSON.parse((await api("status")).text).entries === 2, { what: "the line" });
  listening.abort();
  await expect(events).rejects.toThrow();
});

test("the one that keeps the index up to date ends with the page, however that ends", async () => {
  const own = join(tempDir(), "agent");
  session({ id: "kept" }).user("x").writeBelow(join(own, "sessions"));
  const page = await ServedPage.start(["--agent-dir", own]);
  const status = join(own, "sessiondb", "daemon-status.json");
  const pid = await pollUntil(() => pidIn(status), { what: "the keeper" });
  expect(isAlive(pid)).toBe(true);
  page.child.kill("SIGKILL");
  await pollUntil(() => !isAlive(pid), { what: "its end" });
});

test.each([0, 100, 300])("also where that ends %i ms after it has begun", async (afterMs) => {
  const own = join(tempDir(), "agent");
  session({ id: "brief" }).user("x").writeBelow(join(own, "sessions"));
  const page = await ServedPage.start(["--agent-dir", own]);
  await pause(afterMs);
  page.child.kill("SIGKILL");
  const left = (): boolean => execFileSync("ps", ["-A", "-o", "args"], { encoding: "utf8" }).includes(own);
  await pollUntil(() => !left(), { what: "the keeper's end", every: 100 });
});

function pidIn(path: string): number | undefined {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  return (JSON.parse(readFileSync(path, "utf8")) as { pid: number }).pid;
}

test("a demo is served, and nothing of it stays", async () => {
  const page = await ServedPage.start([], ["demo"]);
  const api = await page.signIn();
  expect(JSON.parse((await api("status")).text).sessions).toBe(13);
  expect(JSON.parse((await api("usage?by=daily&since=7d")).text).rows.length).toBeGreaterThan(0);
  expect(JSON.parse((await api("search?q=changelog")).text)).toMatchObject({
    behind: 0,
    hits: expect.arrayContaining([expect.anything()]),
  });
  page.child.kill("SIGINT");
  await pollUntil(() => page.child.exitCode !== null);
  expect(page.child.exitCode).toBe(0);
});

test("a store without sessions answers that there are none", async () => {
  const page = await ServedPage.start(["--agent-dir", join(tempDir(), "nothing")]);
  const api = await page.signIn();
  expect(JSON.parse((await api("status")).text).sessions).toBe(0);
  expect(JSON.parse((await api("sessions")).text)).toMatchObject({ total: 0, sessions: [] });
});
