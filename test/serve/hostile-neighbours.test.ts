import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { browserPages, hasNoBrowser } from "../helpers/browser.ts";
import { ServedPage } from "../helpers/page-client.ts";
import { pollUntil } from "../helpers/poll-until.ts";

const SAMPLES = join(import.meta.dirname, "..", "samples", "agent");

/** Another server of this machine. */
async function neighbour(
  answer: RequestListener,
  port = 0,
): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) =>
    server.once("error", reject).listen({ host: "127.0.0.1", port }, resolve),
  );
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return { port: (server.address() as AddressInfo).port, close };
}

const html =
  (body: string): RequestListener =>
  (_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(body);
  };

/** What a page elsewhere tries, and how it went. */
const ATTEMPTS = `async (url) => {
  const outcome = (work) => work.then((value) => value, (error) => "failed: " + error.name);
  const loaded = (tag, field) => new Promise((resolve) => {
    const element = document.createElement(tag);
    element.onload = () => resolve("loaded");
    element.onerror = () => resolve("failed");
    element[field] = url + "api/v1/status";
    document.body.append(element);
  });
  const frame = document.createElement("iframe");
  frame.src = url;
  document.body.append(frame);
  await new Promise((resolve) => { frame.onload = resolve; });
  let framed;
  try { framed = frame.contentDocument?.title ?? "no access"; } catch (error) { framed = error.name; }
  return {
    fetched: await outcome(fetch(url + "api/v1/status").then((answer) => answer.text())),
    withToken: await outcome(fetch(url + "api/v1/status", { headers: { authorization: "Bearer x" } }).then((answer) => answer.text())),
    shell: await outcome(fetch(url).then((answer) => answer.text())),
    blind: await outcome(fetch(url + "api/v1/sql", { method: "POST", mode: "no-cors", body: "{}" }).then((answer) => answer.type)),
    image: await loaded("img", "src"),
    script: await loaded("script", "src"),
    framed,
    stored: localStorage.length,
  };
}`;

describe.skipIf(hasNoBrowser())("in a browser", () => {
  const open = browserPages();

  test("a page of another server of this machine learns nothing", async () => {
    const served = await ServedPage.start(["--no-sync"], ["demo"]);
    const elsewhere = await neighbour(html("<title>elsewhere</title><body></body>"));
    const page = await open({ url: served.link.href });
    await pollUntil(async () => (await page.title()).includes("sessiondb"));
    await pollUntil(() => page.evaluate("localStorage.length > 0"), { what: "the token" });
    await page.goto(`http://127.0.0.1:${elsewhere.port}/`);
    const address = `http://${served.link.host}/`;
    expect(await page.evaluate(`(${ATTEMPTS})(${JSON.stringify(address)})`)).toEqual({
      fetched: "failed: TypeError",
      withToken: "failed: TypeError",
      shell: "failed: TypeError",
      blind: "failed: TypeError",
      image: "failed",
      script: "failed",
      framed: "no access",
      stored: 0,
    });
  });

  test("what a server left in the browser at this port before gets no code", async () => {
    const worker = `self.addEventListener("install", () => self.skipWaiting());
      self.addEventListener("activate", (event) => event.waitUntil(clients.claim()));
      self.addEventListener("fetch", (event) => event.respondWith(new Response("<title>stolen</title>", { headers: { "content-type": "text/html" } })));`;
    const before = await neighbour((request, response) => {
      const isWorker = request.url === "/worker.js";
      response.setHeader("content-type", isWorker ? "text/javascript" : "text/html");
      response.end(isWorker ? worker : "<title>before</title>");
    });
    const page = await open({ url: `http://127.0.0.1:${before.port}/` });
    await page.evaluate(
      `navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready).then(() => "ready")`,
    );
    await page.reload();
    expect(await page.title()).toBe("stolen");
    await before.close();
    const served = await ServedPage.start([
      "--agent-dir",
      SAMPLES,
      "--db",
      join(process.env.HOME ?? "", "x.db"),
      "--port",
      String(before.port),
    ]);
    expect(served.link.port).toBe(String(before.port));
    await page.goto(served.link.href);
    await pollUntil(() => page.evaluate("localStorage.length > 0"), { what: "the token" });
    expect(await page.title()).toContain("sessiondb");
  });
});
