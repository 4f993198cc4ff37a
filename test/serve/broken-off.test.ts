import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { ServedPage } from "../helpers/page-client.ts";
import { pollUntil } from "../helpers/poll-until.ts";

test("the server ends although streams were broken off as they began", async () => {
  const served = await ServedPage.start([], ["demo"]);
  const { token } = JSON.parse((await served.login()).text) as { token: string };
  const { port, host } = served.at;
  const request = `GET /api/v1/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  for (let round = 0; round < 300; round++) {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    await new Promise<void>((resolve) => socket.write(request, () => resolve()));
    if (round % 3 === 0) await setTimeout(round % 5);
    socket.destroy();
  }
  served.child.kill("SIGINT");
  await pollUntil(() => served.child.exitCode !== null, { what: "its end" });
  expect(served.child.exitCode).toBe(0);
});
