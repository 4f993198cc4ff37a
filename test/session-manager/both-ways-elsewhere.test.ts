/** I-16 where it takes another user or another process: folders that cannot be written, a driver that cannot be loaded. */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test, vi } from "vitest";
import { SessionManager } from "../../src/session/session-manager.ts";
import { asNobody } from "../files/as-nobody.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { makeReadonly, syncFolderOf } from "./index-trouble.ts";
import { type SourceFile, sampleFiles } from "./sources.ts";

const built = join(
  process.env.SESSIONDB_BUILT ?? join(import.meta.dirname, "../../build"),
  "src/session/session-manager.js",
);
if (!existsSync(built)) console.warn(`skipped: ${built} is missing; build first`);

/** Samples and an index of them, as an agent's folder. */
function agentWithSamples(): { agentDir: string; files: string[] } {
  const agentDir = tempDir();
  const sessions = join(agentDir, "sessions");
  mkdirSync(sessions);
  const files = sampleFiles().map(({ name, source }: SourceFile) => {
    cpSync(source, join(sessions, name));
    return join(sessions, name);
  });
  syncFolderOf(files[0] ?? "", { agentDir, undo: [] });
  return { agentDir, files };
}

/** What reading the sessions comes to. */
async function readAll(agentDir: string, files: string[]): Promise<string> {
  vi.stubEnv("PI_CODING_AGENT_DIR", agentDir);
  const read = files.map((file) => {
    const manager = SessionManager.open(file);
    return [manager.buildSessionContext(), manager.getBranch(), manager.getTree(), manager.getSessionName()];
  });
  return JSON.stringify([read, await SessionManager.listAll(dirname(files[0] ?? ""))]);
}

test.skipIf(process.platform === "win32")(
  "D15, I-16: an index in a folder that may not be written to",
  async () => {
    const { agentDir, files } = agentWithSamples();
    const expected = await readAll("/nowhere", files);
    makeReadonly({ agentDir, undo: [] });
    chmodSync(agentDir, 0o755);
    const ways: Promise<string>[] = [];
    asNobody(() => ways.push(readAll(agentDir, files)));
    const [read = ""] = await Promise.all(ways);
    expect(JSON.parse(read)).toEqual(JSON.parse(expected));
    chmodSync(join(agentDir, "sessiondb"), 0o700);
  },
);

/** Makes every `require` of better-sqlite3 fail, as it does where it is not installed or was not built. */
const WITHOUT_DRIVER = `const Module = require("node:module");
  const load = Module._load;
  Module._load = (name, ...rest) => {
    if (name !== "better-sqlite3") return load(name, ...rest);
    throw Object.assign(new Error("Cannot find module 'better-sqlite3'"), { code: "MODULE_NOT_FOUND" });
  };`;

const READ_ALL = `const [module, agentDir, ...files] = process.argv.slice(1);
  const { SessionManager } = await import(module);
  const read = files.map((file) => {
    const manager = SessionManager.open(file);
    const told = [manager.buildSessionContext(), manager.getBranch(), manager.getTree(), manager.getSessionName()];
    return [...told, manager.appendSessionInfo("named").length];
  });
  console.log(JSON.stringify([read, (await SessionManager.listAll(agentDir + "/sessions")).map((i) => i.firstMessage)]));`;

test.skipIf(!existsSync(built))("D22, I-16: a database driver that cannot be loaded", () => {
  const answers = [true, false].map((hasDriver) => {
    const { agentDir, files } = agentWithSamples();
    const preload = join(agentDir, "preload.cjs");
    writeFileSync(preload, hasDriver ? "" : WITHOUT_DRIVER);
    const args = ["--require", preload, "--input-type=module", "--eval", READ_ALL];
    const run = spawnSync(process.execPath, [...args, pathToFileURL(built).href, agentDir, ...files], {
      encoding: "utf8",
      env: { ...process.env, PI_CODING_AGENT_DIR: agentDir },
      maxBuffer: 64 * 1024 * 1024,
    });
    expect(run.stderr).toBe("");
    expect(readdirSync(join(agentDir, "sessions"))).toHaveLength(files.length);
    return run.stdout.replaceAll(agentDir, "<dir>");
  });
  expect(answers[1]).toBe(answers[0]);
  expect(answers[0]?.length).toBeGreaterThan(10_000);
});
