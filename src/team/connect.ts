import type { Client, ClientConfig } from "pg";
import { codeOf, messageOf, SessionDbError } from "../errors.ts";
import { withService } from "./service-file.ts";

/** A connection to a team's database. */
export interface TeamClient {
  /**
   * Whole numbers and decimals come as numbers, times as `Date`, `jsonb` parsed.
   *
   * @throws SessionDbError, one line that holds no password, as `teamError` says
   */
  query<T extends object = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Where it is, for people: `postgres@db.example.com:5432/team`, without a password. */
  place: string;
  /** The connection itself, for statements that need more of it. */
  driver: Client;
  end(): Promise<void>;
}

/** Types of PostgreSQL that node-postgres gives as text, because they may be larger than a number: ours never are. */
const BIGINT = 20;
const NUMERIC = 1700;

const CONNECT_MS = 10_000;
/** How long a statement may wait for another's lock before it is tried again. */
const LOCK_MS = 5000;
/** How long an answer may take before the server counts as gone. */
const ANSWER_MS = 60_000;

/**
 * Connects to the address of a team: a `postgres://` URL, whose password may also stand in PGPASSFILE or PGPASSWORD, and all
 * else in the user's file of services. To
 * another machine only by TLS with a certificate that is checked, whatever the address says.
 *
 * @throws SessionDbError `usage` for an address that makes no sense, and as `teamError`
 */
export async function connectTeam(url: string): Promise<TeamClient> {
  const client = await clientFor(url);
  client.on("error", () => undefined); // The query that fails tells of it.
  const place = placeIn(client);
  await told(place, () => client.connect());
  return clientOver(client, place);
}

function clientOver(client: Client, place: string): TeamClient {
  return {
    place,
    driver: client,
    query: async <T extends object>(text: string, values: readonly unknown[] = []) =>
      (await told(place, () => client.query<T>(text, [...values]))).rows,
    end: () => client.end(),
  };
}

/** Where an address leads, as `TeamClient.place`; nothing is connected to. @throws SessionDbError `usage` */
export async function placeAt(url: string): Promise<string> {
  return placeIn(await clientFor(url));
}

function placeIn({ user, host, port, database }: Client): string {
  return `${user ?? ""}@${host}:${port}/${database ?? ""}`;
}

async function clientFor(url: string): Promise<Client> {
  const { default: pg } = await import("pg");
  const connectionString = addressOf(url).href;
  // Only the driver knows where an address leads that leaves something out.
  const { host } = new pg.Client({ connectionString });
  return new pg.Client({
    ...configOf(connectionString, host),
    application_name: "sessiondb",
    connectionTimeoutMillis: CONNECT_MS,
    lock_timeout: LOCK_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    types: { getTypeParser: parserOf(pg.types.getTypeParser) },
  });
}

function parserOf(usual: typeof import("pg").types.getTypeParser): typeof usual {
  const parser = (oid: number, format?: "text" | "binary") =>
    oid === BIGINT || oid === NUMERIC ? Number : usual(oid, format as "text");
  return parser as typeof usual;
}

function configOf(connectionString: string, host: string): ClientConfig {
  const mode = addressOf(connectionString).searchParams.get("sslmode");
  if (isNear(host)) return { connectionString };
  if (mode !== null && mode !== "verify-full")
    throw new SessionDbError("usage", `the team's server is another machine: sslmode=${mode} will not do`, {
      hint: "Leave it out, or write sslmode=verify-full; sslrootcert=FILE names an authority of your own.",
    });
  return mode === null ? { connectionString, ssl: { rejectUnauthorized: true } } : { connectionString };
}

function addressOf(url: string): URL {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return withService(new URL(url));
  throw new SessionDbError("usage", "the team's address is no postgres:// URL", {
    hint: "Set team.url in the configuration, or SESSIONDB_TEAM: postgres://role@host/database",
  });
}

/** This machine, by a socket or a loopback. */
function isNear(host: string): boolean {
  return host.startsWith("/") || /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/.test(host);
}

async function told<T>(place: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw teamError(error, place);
  }
}

/** What PostgreSQL's error codes mean for us; by their beginning. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const MEANINGS: readonly [
  begin: string,
  code: "busy" | "refused" | "io" | "timeout" | "sql",
  message: string,
  hint?: string,
][] = [
  [
    "28",
    "refused",
    "does not let this role in",
    "Look at the role and the password in PGPASSFILE or the address; ask whoever has invited you.",
  ],
  [
    "42501",
    "refused",
    "does not let this role do that",
    "Ask whoever has invited you: the role may be revoked.",
  ],
  ["3D000", "refused", "has no such database"],
  ["3F000", "refused", "holds no team yet", "Whoever runs it calls: sessiondb team init"],
  [
    "42P01",
    "refused",
    "holds no team yet, or one of another version",
    "Whoever runs it calls: sessiondb team migrate",
  ],
  [
    "42883",
    "refused",
    "holds no team yet, or one of another version",
    "Whoever runs it calls: sessiondb team migrate",
  ],
  ["55P03", "busy", "is busy"],
  ["40", "busy", "is busy"],
  ["53100", "io", "has no room left"],
  ["53", "busy", "is busy"],
  ["57014", "timeout", "has stopped the question, which took too long"],
  ["57", "busy", "is being restarted"],
  ["08", "io", "has ended the connection"],
  ["25006", "refused", "only reads: it is a standby"],
];

/**
 * What went wrong with a team's database, as one line: `busy` where trying again helps, `io` where the server cannot be
 * reached, `refused` for what the role may not do, `sql` for a statement that is wrong.
 */
export function teamError(error: unknown, place: string): SessionDbError {
  const code = codeOf(error);
  const told = (kind: "busy" | "refused" | "io" | "timeout" | "sql", what: string, hint?: string) =>
    new SessionDbError(kind, `the team's database ${place} ${what}`, hint === undefined ? {} : { hint });
  const known = /^[0-9A-Z]{5}$/.test(code) ? MEANINGS.find(([begin]) => code.startsWith(begin)) : undefined;
  // What our own functions say is for people.
  const own = /^sessiondb: (.*)$/.exec(messageOf(error))?.[1];
  if (own !== undefined) return told("refused", `says: ${own}`);
  if (known !== undefined) return told(known[1], known[2], known[3]);
  if (/^[0-9A-Z]{5}$/.test(code)) return told("sql", `says: ${messageOf(error)}`);
  if (/CERT|SSL|TLS|SELF_SIGNED/.test(code) || /certificate/i.test(messageOf(error)))
    return told(
      "io",
      `has a certificate that is not to be trusted (${code || messageOf(error)})`,
      "sslrootcert=FILE in the address names an authority of your own.",
    );
  return told("io", `does not answer (${code || messageOf(error)})`);
}
