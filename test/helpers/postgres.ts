import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { connectTeam, type TeamClient } from "../../src/team/connect.ts";
import { pollUntil } from "./poll-until.ts";
import { endNow } from "./processes.ts";
import { sharedTempDir } from "./temp-dir.ts";

/** Where systems have a server of some version; the newest counts. */
const PLACES = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"];

const programs = programFolder();
const isRoot = process.getuid?.() === 0;
let hasSaid = false;

function programFolder(): string | undefined {
  const folders = PLACES.filter((place) => existsSync(place)).flatMap((place) =>
    readdirSync(place)
      .filter((name) => /^(postgresql@)?\d+$/.test(name))
      .sort((a, b) => Number(b.replace(/\D/g, "")) - Number(a.replace(/\D/g, "")))
      .map((name) => join(place, name, "bin")),
  );
  return folders.find((folder) => existsSync(join(folder, "initdb")));
}

/**
 * For `describe.skipIf(hasNoPostgres())(...)`: true, with a message, where no server is installed and none is named in
 * SESSIONDB_TEST_PG (the address of a superuser).
 */
export function hasNoPostgres(): boolean {
  const isMissing = programs === undefined && process.env.SESSIONDB_TEST_PG === undefined;
  if (isMissing && !hasSaid) {
    hasSaid = true;
    console.warn("Tests with PostgreSQL are skipped: install it, or name a server in SESSIONDB_TEST_PG.");
  }
  return isMissing;
}

/** A server of a test file. */
export interface PostgresServer {
  /** Makes an empty database, and gives its address for the owner. */
  newDatabase(): Promise<string>;
  /** What the server has logged so far. */
  log(): string;
  /** Ends it at once, as a power cut does, and starts it again. */
  restart(): Promise<void>;
}

/** Starts a server for a test file, to be called at its top level; it ends with the file. */
export function postgresServer(settings: readonly string[] = []): PostgresServer {
  const folder = sharedTempDir("sessiondb-pg-");
  const named = process.env.SESSIONDB_TEST_PG;
  let child: ChildProcess | undefined;
  let log = "";
  let port = 0;
  let databases = 0;
  const start = async (): Promise<void> => {
    const args = [
      "-D",
      join(folder, "data"),
      "-p",
      String(port),
      "-k",
      folder,
      "-c",
      "fsync=off",
      ...settings,
    ];
    child = spawnAsOther("postgres", args);
    child.stderr?.on("data", (chunk) => {
      log += chunk;
    });
    await pollUntil(async () => (await connected(addressOf("postgres")))?.end() !== undefined);
  };
  const addressOf = (database: string) => `postgres://owner@127.0.0.1:${port}/${database}`;
  beforeAll(async () => {
    if (hasNoPostgres() || named !== undefined) return;
    makeCluster(folder);
    port = await freePort();
    await start();
  });
  afterAll(async () => {
    // Without waiting for connections.
    child?.kill("SIGINT");
    if (child !== undefined) await endNow(child);
  });
  return {
    newDatabase: async () => {
      const owner = await connectTeam(named ?? addressOf("postgres"));
      const name = `team_${process.pid}_${++databases}`;
      await owner.query(`CREATE DATABASE ${name}`);
      await owner.end();
      if (named === undefined) return addressOf(name);
      return Object.assign(new URL(named), { pathname: `/${name}` }).href;
    },
    log: () => log,
    restart: async () => {
      child?.kill("SIGQUIT");
      if (child !== undefined) await endNow(child);
      await start();
    },
  };
}

/** An open connection, closed at the end of the test. */
export async function teamAt(url: string): Promise<TeamClient> {
  const client = await connectTeam(url);
  onTestFinished(() => client.end().catch(() => undefined));
  return client;
}

async function connected(url: string): Promise<TeamClient | undefined> {
  try {
    return await connectTeam(url);
  } catch {
    return undefined;
  }
}

/** Everybody by password, but for the owner. */
const ACCESS = `host all owner 127.0.0.1/32 trust
local all owner trust
host all all 127.0.0.1/32 scram-sha-256
`;

function makeCluster(folder: string): void {
  if (isRoot) {
    const [uid = 0, gid = 0] = ["-u", "-g"].map((flag) =>
      Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" })),
    );
    chownSync(folder, uid, gid);
  }
  chmodSync(folder, 0o755);
  const [program, args] = asOther("initdb", ["-D", join(folder, "data"), "-U", "owner", "-A", "trust", "-N"]);
  execFileSync(program, args, { stdio: "ignore" });
  writeFileSync(join(folder, "data/pg_hba.conf"), ACCESS);
}

function spawnAsOther(name: string, args: readonly string[]): ChildProcess {
  const [program, all] = asOther(name, args);
  return spawn(program, all, { stdio: ["ignore", "ignore", "pipe"] });
}

/** PostgreSQL does not run as root. */
function asOther(name: string, args: readonly string[]): [program: string, args: string[]] {
  const program = join(programs ?? "", name);
  if (!isRoot) return [program, [...args]];
  return ["setpriv", ["--reuid=postgres", "--regid=postgres", "--clear-groups", program, ...args]];
}

/** A port that nobody listens on now. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
