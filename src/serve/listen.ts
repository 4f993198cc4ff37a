import { createServer, type RequestListener, type Server } from "node:http";
import { codeOf, SessionDbError } from "../errors.ts";
import { Visitors } from "./visitors.ts";

/** Whoever has one of both takes what a browser sends to a name below localhost. */
const LOOPBACKS = ["127.0.0.1", "::1"] as const;
/** How many ports are tried, one after the other. */
const PORTS = 20;
/** How long a request may take to come, and how often that is looked at, in ms. */
const TIMES = { requestTimeout: 10_000, headersTimeout: 5000, connectionsCheckingInterval: 1000 };

export interface ListenOptions {
  /** By default both of loopback. */
  addresses?: readonly string[];
  /** Who has connections, at all addresses. */
  visitors?: Visitors;
}

export interface Listening {
  port: number;
  close(): Promise<void>;
}

/**
 * Listens on both loopback addresses, at a port or one of those after it; at any for port 0. Never on one of two that there
 * are: who has the other would be asked in our place.
 *
 * @throws SessionDbError `io` where all of these ports are taken
 */
export async function listen(
  handler: RequestListener,
  port: number,
  { addresses = LOOPBACKS, visitors = new Visitors() }: ListenOptions = {},
): Promise<Listening> {
  for (let attempt = 0; attempt < PORTS; attempt++) {
    const servers = await listenAt(handler, port === 0 ? 0 : port + attempt, { addresses, visitors });
    if (servers === null) continue;
    const [first] = servers;
    return {
      port: first === undefined ? 0 : portOf(first),
      close: async () => void (await Promise.all(servers.map(close))),
    };
  }
  throw new SessionDbError("io", `port ${port} and those after it are taken`, {
    hint: "Name another one: --port 8300.",
  });
}

/** On all addresses that this machine has, at one port; null where it is not to be had on one of them. */
async function listenAt(
  handler: RequestListener,
  port: number,
  { addresses, visitors }: Required<ListenOptions>,
): Promise<Server[] | null> {
  const servers: Server[] = [];
  for (const address of addresses) {
    const server = createServer(TIMES, handler);
    server.on("connection", (socket) => visitors.admit(socket));
    try {
      const [first] = servers;
      await listening(server, first === undefined ? port : portOf(first), address);
      servers.push(server);
    } catch (error) {
      const code = codeOf(error);
      if (isWithout(code) && servers.length > 0) continue;
      await Promise.all(servers.map(close));
      // The other one: behind the last port there is none.
      if (code === "EADDRINUSE" || code === "ERR_SOCKET_BAD_PORT") return null;
      throw new SessionDbError("io", `no page can be served at port ${port} (${code})`, { cause: error });
    }
  }
  return servers;
}

/** Whether the machine has no such address: nobody else can take it either. */
function isWithout(code: string): boolean {
  return code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT";
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
