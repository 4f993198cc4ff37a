import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { MAIN } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const KEY = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`;

interface Called {
  isError: boolean;
  text: string;
}

/** The official client, and the program as a client starts it. */
async function served(
  agentDir: string,
): Promise<{ client: Client; call: (name: string, args?: object) => Promise<Called> }> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const env = { PATH: String(process.env.PATH), HOME: agentDir };
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, "mcp", "--agent-dir", agentDir],
      env,
    }),
  );
  onTestFinished(() => client.close());
  const call = async (name: string, args: object = {}): Promise<Called> => {
    const { content, isError } = await client.callTool({ name, arguments: { ...args } });
    const [first] = content as { text: string }[];
    return { isError: isError === true, text: first?.text ?? "" };
  };
  return { client, call };
}

function orchard(): string {
  const agentDir = tempDir();
  session({ id: "0a1b2c3d-orchard", cwd: "/home/ada/orchard" })
    .user(`plant pears, the key is ${KEY}`)
    .assistant({ text: "planted", toolCalls: [{ name: "edit", arguments: { path: "trees.md" } }] })
    .toolResult(`done with ${KEY}`)
    .writeBelow(join(agentDir, "sessions"));
  return agentDir;
}

describe("over MCP", () => {
  test("tools are told, all of which only read", async () => {
    const { client } = await served(orchard());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      "files",
      "schema",
      "search",
      "sessions",
      "show",
      "sql",
      "usage",
    ]);
    for (const { annotations, description, inputSchema } of tools) {
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, openWorldHint: false });
      expect(description).toMatch(/\.$/);
      expect(inputSchema.type).toBe("object");
    }
    expect(client.getInstructions()).toMatch(/read-only/);
  });

  test("a hit is found and shown, and everything is asked of the commands", async () => {
    const { call } = await served(orchard());
    const found = JSON.parse((await call("search", { query: "pears", role: "user" })).text);
    const { handle } = found.hits[0];
    expect((await call("show", { session: handle })).text).toContain("planted");
    expect(JSON.parse((await call("sessions")).text).sessions[0].id).toBe("0a1b2c3d-orchard");
    expect(JSON.parse((await call("files", { path: "trees.md" })).text).touches).toHaveLength(1);
    expect(JSON.parse((await call("usage", { by: "model", all: true })).text).totals.requests).toBe(1);
    expect(JSON.parse((await call("sql", { query: "SELECT count(*) AS n FROM sessions" })).text)).toEqual([
      { n: 1 },
    ]);
    expect(JSON.parse((await call("schema", { name: "usage_daily" })).text).views).toHaveLength(1);
  });

  test("no tool tells a secret", async () => {
    const { call } = await served(orchard());
    const answers = await Promise.all([
      call("search", { query: "pears" }),
      call("search", { query: "done" }),
      call("show", { session: "latest" }),
      call("sessions"),
      call("sql", { query: "SELECT text, (SELECT preview FROM entries LIMIT 1 OFFSET 1) FROM messages" }),
      call("sql", { query: "SELECT entry_json(key) FROM entries" }),
    ]);
    for (const { text, isError } of answers) {
      expect(isError).toBe(false);
      expect(text).not.toContain(KEY);
    }
  });

  test("what cannot be answered is told as an error with what to do, and nothing ends", async () => {
    const { call } = await served(orchard());
    for (const [name, args, words] of [
      ["search", { query: "-x" }, "write NOT x"],
      ["search", {}, "query"],
      ["search", { query: "pears", limit: 5000 }, "50"],
      ["show", { session: "nothing-like-it" }, "no session"],
      ["sql", { query: "DELETE FROM entries" }, "only a single statement that reads"],
      ["sql", { query: "ATTACH '/etc/passwd' AS p" }, "only a single statement that reads"],
    ] as const) {
      const { isError, text } = await call(name, args);
      expect([name, isError, text]).toEqual([name, true, expect.stringContaining(words)]);
    }
    expect((await call("sessions")).isError).toBe(false);
  });

  test("a long answer is cut, and says how to ask for less; what is written meanwhile is found", async () => {
    const agentDir = orchard();
    const built = session({ id: "long", cwd: "/home/ada/orchard" });
    for (let at = 0; at < 300; at++) built.user(`entry ${at} ${"of many words ".repeat(40)}`);
    const path = built.writeBelow(join(agentDir, "sessions"));
    const { call } = await served(agentDir);
    const { text } = await call("show", { session: "long" });
    expect(text.length).toBeLessThan(61_000);
    expect(text).toMatch(/\[cut here: [\d,]+ characters more; ask for the entries around one/);
    const line = {
      type: "message",
      id: "ffff0001",
      parentId: built.lastId,
      timestamp: "2026-11-20T12:00:00.000Z",
    };
    appendFileSync(path, `${JSON.stringify({ ...line, message: { role: "user", content: "a quince" } })}\n`);
    expect(JSON.parse((await call("search", { query: "quince" })).text).hits).toHaveLength(1);
  });

  test("a question that was cancelled before its turn keeps nobody waiting", async () => {
    const { client, call } = await served(orchard());
    const counting = (most: string) => ({
      name: "sql",
      arguments: {
        query: `WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c ${most}) SELECT max(x) FROM c`,
      },
    });
    const first = client.callTool(counting("LIMIT 1000000"));
    const cancelling = new AbortController();
    const endless = [1, 2].map(() => client.callTool(counting(""), { signal: cancelling.signal }));
    // They have been sent.
    await client.ping();
    cancelling.abort();
    expect((await Promise.allSettled(endless)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await first;
    // One of them takes ten seconds.
    await client.callTool({ name: "schema", arguments: {} }, { timeout: 8000 });
    expect((await call("sessions")).isError).toBe(false);
  });

  test("a long answer is not cut in the middle of a character", async () => {
    const agentDir = orchard();
    for (const id of ["even", "odds+"])
      session({ id, cwd: "/home/ada" })
        .user("\u{1f350}".repeat(40_000))
        .name(id)
        .writeBelow(join(agentDir, "sessions"));
    const { call } = await served(agentDir);
    for (const name of ["even", "odds+"]) {
      const { text } = await call("show", { session: name });
      expect(text).toContain("[cut here");
      expect(text.isWellFormed()).toBe(true);
    }
  });
});
