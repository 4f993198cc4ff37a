import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../../src/serve/listen.ts";
import { Visitors } from "../../src/serve/visitors.ts";
import { ask } from "../helpers/page-client.ts";
import { pollUntil } from "../helpers/poll-until.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);
if (!hasIpv6) console.warn("skipped, this machine has no ::1");

async function taken(host: string, port = 0): Promise<number> {
  const server: Server = createServer();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen({ host, port }, resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function started(port: number): Promise<number> {
  const { port: found, close } = await listen((_request, response) => response.end("here"), port);
  onTestFinished(close);
  return found;
}

test.skipIf(!hasIpv6)("it listens on both loopback addresses", async () => {
  const port = await started(0);
  const at = { port, host: "x" };
  for (const address of ["127.0.0.1", "::1"]) expect((await ask({ ...at, address }, "/")).text).toBe("here");
  const elsewhere = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.filter(({ internal, family }) => !internal && family === "IPv4"),
  );
  for (const { address } of elsewhere)
    await expect(ask({ ...at, address }, "/")).rejects.toThrow("ECONNREFUSED");
});

test.skipIf(!hasIpv6).each(["127.0.0.1", "::1"])(
  "where somebody has %s, it takes the next port on both",
  async (address) => {
    const port = await taken(address);
    const found = await started(port);
    expect(found).toBeGreaterThan(port);
    // The other address of that port was given back.
    await taken(address === "::1" ? "127.0.0.1" : "::1", port);
  },
);

test("who is there already keeps an address from others", async () => {
  const port = await started(0);
  await expect(taken("127.0.0.1", port)).rejects.toThrow("EADDRINUSE");
});

test("behind the last port there is none", async () => {
  await expect(listen(() => undefined, 65_536)).rejects.toThrow("port 65536 and those after it are taken");
});

test("whoever sits there idle keeps nobody out, and ends nobody who is known", async () => {
  const visitors = new Visitors(3);
  const came: Socket[] = [];
  const { port, close } = await listen(
    (request, response) => {
      if (request.url === "/known") visitors.know(request.socket);
      response.end("here");
    },
    0,
    { visitors },
  );
  onTestFinished(close);
  const sit = async (): Promise<Socket> => {
    // What is not read does not end.
    const socket = connect(port, "127.0.0.1")
      .on("error", () => undefined)
      .resume();
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    came.push(socket);
    return socket;
  };
  const known = await sit();
  const answered = once(known, "data");
  known.write("GET /known HTTP/1.1\r\nhost: x\r\n\r\n");
  await answered;
  const [oldest] = [await sit(), await sit()];
  expect((await ask({ port, host: "x" }, "/")).text).toBe("here");
  await pollUntil(() => oldest.destroyed, { what: "the end of the oldest" });
  await sit();
  await sit();
  await pollUntil(() => came.filter(({ destroyed }) => destroyed).length === 2, {
    what: "the end of others",
  });
  expect(known.destroyed).toBe(false);
  const again = once(known, "data");
  known.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  expect(String(await again)).toContain("here");
});
