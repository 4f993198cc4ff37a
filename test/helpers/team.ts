import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { TeamClient } from "../../src/team/connect.ts";
import { invite } from "../../src/team/people.ts";
import { initTeam } from "../../src/team/setup.ts";
import type { PretendOptions } from "../cli/pretend-world.ts";
import { type PostgresServer, teamAt } from "./postgres.ts";
import { tempDir } from "./temp-dir.ts";

/** A team in a database of its own. */
export interface TestTeam {
  owner: TeamClient;
  ownerUrl: string;
  /** Invites somebody, and gives the address for them. */
  url(name: string, options?: { lead?: boolean }): Promise<string>;
}

/** Makes a team. */
export async function newTeam(server: PostgresServer): Promise<TestTeam> {
  const ownerUrl = await server.newDatabase();
  const owner = await teamAt(ownerUrl);
  await initTeam(owner, { name: "owner" });
  return {
    owner,
    ownerUrl,
    url: async (name, { lead = false } = {}) => {
      const { role, password } = await invite(owner, { name, lead });
      return Object.assign(new URL(ownerUrl), { username: role, password: password ?? "" }).href;
    },
  };
}

/** A laptop on which command lines run: its sessions are in `agentDir`, the settings say what may leave it. */
export function laptop(
  url: string,
  push: object = { projects: ["*"] },
  team?: object,
): PretendOptions & { agentDir: string } {
  const dir = tempDir();
  mkdirSync(join(dir, "sessiondb"));
  mkdirSync(join(dir, "agent/sessions"), { recursive: true });
  writeFileSync(join(dir, "sessiondb/config.json"), JSON.stringify({ push, ...(team && { team }) }));
  return { agentDir: join(dir, "agent"), env: { XDG_CONFIG_HOME: dir, SESSIONDB_TEAM: url } };
}

/** What went through to a server, as bytes; `url` is the address by which to go. */
export interface Wiretap {
  url: string;
  sent(): Buffer;
}

/** Listens in on what clients send to a server. */
export async function wiretap(url: string): Promise<Wiretap> {
  const chunks: Buffer[] = [];
  const to = new URL(url);
  const server: Server = createServer((client) => {
    const upstream = connect(Number(to.port), to.hostname);
    client.on("data", (chunk) => chunks.push(chunk as Buffer));
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on("error", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: Object.assign(new URL(url), { port: String(port) }).href, sent: () => Buffer.concat(chunks) };
}
