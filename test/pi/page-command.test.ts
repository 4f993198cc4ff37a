import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { CommandLine } from "../../src/panels/command-line.ts";
import type { CommandContext } from "../../src/pi/host.ts";
import { PageCommand } from "../../src/pi/page-command.ts";
import { ask } from "../helpers/page-client.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { MAIN } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { failing } from "./programs.ts";

/** `/page` in a session, and what it says. */
function pageIn(agentDir: string, path: string | undefined) {
  const places = ["--agent-dir", agentDir];
  const page = new PageCommand(new CommandLine([{ command: process.execPath, before: [MAIN, ...places] }]));
  onTestFinished(() => page.end());
  const told: string[] = [];
  const context = {
    cwd: tempDir(),
    hasUI: true,
    sessionManager: { getSessionFile: () => path },
    ui: { notify: (text: string) => told.push(text) },
  } as unknown as CommandContext;
  return { page, told, run: () => page.handler("", context) };
}

/** Programs that open pages, in front of all others: without any, there is nothing that would open one. */
function withOpener(script: string | undefined): void {
  const folder = tempDir();
  if (script !== undefined) {
    for (const name of ["xdg-open", "open"]) {
      writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, name), 0o755);
    }
  }
  vi.stubEnv("PATH", script === undefined ? folder : `${folder}${delimiter}${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test("/page gives a link to this conversation where no browser opens, and serves it until pi leaves", async () => {
  const agentDir = join(tempDir(), "agent");
  const path = session({ id: "here" }).user("x").writeBelow(join(agentDir, "sessions"));
  const { page, told, run } = pageIn(agentDir, path);
  withOpener(undefined);
  await run();
  const link = new URL(/http:\S+/.exec(told.join())?.[0] ?? "");
  expect([told.length, link.pathname]).toEqual([1, `/s/${encodeURIComponent(path)}`]);
  const at = { port: Number(link.port), host: link.host };
  const body = JSON.stringify({ code: link.hash.slice("#code=".length) });
  expect((await ask(at, "/api/v1/login", { body })).status).toBe(200);
  page.end();
  await pollUntil(
    () =>
      ask(at, "/").then(
        () => false,
        () => true,
      ),
    { what: "its end" },
  );
});

test("a browser that opens gets the link from a file of the user's own, not from a command line", async () => {
  const agentDir = join(tempDir(), "agent");
  mkdirSync(join(agentDir, "sessions"), { recursive: true });
  const copy = join(tempDir(), "opened");
  withOpener(`echo "$@" > '${copy}.args'; cat "$1" > '${copy}'; stat -c %a "$1" >> '${copy}.args'`);
  const { told, run } = pageIn(agentDir, undefined);
  await run();
  expect(told).toEqual(["The page is open in your browser."]);
  expect(readFileSync(copy, "utf8")).toMatch(/url=http:\/\/sdb-\w{13}\.localhost:\d+\/#code=[\w-]{22}"/);
  expect(readFileSync(`${copy}.args`, "utf8")).toMatch(/^\/\S+open\.html\n600\n$/);
});

test("what keeps it from being served is told", async () => {
  const told: string[] = [];
  const page = new PageCommand(new CommandLine([failing("busy")]));
  const sessionManager = { getSessionFile: () => undefined };
  const ui = { notify: (text: string) => told.push(text) };
  await page.handler("", { cwd: tempDir(), hasUI: true, sessionManager, ui } as unknown as CommandContext);
  expect(told).toEqual(["sessiondb: it broke. Mend it."]);
});
