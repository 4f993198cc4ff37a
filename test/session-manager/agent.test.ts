import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { SessionManager } from "../../src/session/session-manager.ts";
import { importPeer, isMissing, peersDir } from "../helpers/peers.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { describeWithEachPi, piAsReleased, type SessionManagerClass } from "./pi.ts";
import { Random } from "./random.ts";
import { difference, plainWith } from "./twins.ts";

/** A conversation as test/peers/pi/conversation.mjs leads it, through pi's own agent. */
interface Conversation {
  manager: SessionManager;
  file: string;
  end(): void;
}

interface Task {
  cwd: string;
  marker: string;
  exchanges: number;
  written: { file: string }[];
}

type Kind = (world: object, task: Task) => Promise<Conversation>;

interface Agent {
  createAgentSession(options: object): Promise<{ session: object }>;
  createExtensionRuntime(): object;
  AuthStorage: { inMemory(): { setRuntimeApiKey(provider: string, key: string): void } };
  ModelRegistry: { inMemory(auth: object): object };
  SettingsManager: { inMemory(settings: object): object };
}

interface Providers {
  names: string[];
  model(name: string): object;
  clear(): void;
}

interface Workspace {
  cwd: string;
  tools: object[];
}

interface OpenOptions {
  cwd: string;
  files?: Record<string, string>;
  model: string;
  thinkingLevel?: string;
  keepRecentTokens?: number;
}

const STORY = ["tools", "branches", "labels", "compaction", "troubles", "fork", "branchOff"];

describe.skipIf(isMissing("piAgentModule"))("pi's agent", () => {
  describeWithEachPi("on our SessionManager", (release) => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ["Date"], now: 1_767_600_000_000 });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    test("writes the same conversations as on pi's newer class, byte for byte", async () => {
      const dir = tempDir();
      const agent = await importPeer<Agent>("piAgentModule");
      const own = await tell(agent, SessionManager, join(dir, "ours"));
      vi.setSystemTime(1_767_600_000_000);
      const theirs = await tell(agent, await piAsReleased(release), join(dir, "pi"));
      expect(difference(own, theirs)).toBeNull();
      expect(Object.keys(own)).toHaveLength(STORY.length);
    });

    test("and pi's class reads them as ours does", async () => {
      const agent = await importPeer<Agent>("piAgentModule");
      const Pi = await piAsReleased(release);
      const dir = tempDir();
      await tell(agent, SessionManager, dir);
      for (const info of await SessionManager.listAll()) {
        const [own, theirs] = [SessionManager.open(info.path), Pi.open(info.path)];
        expect(own.getTree()).toEqual(theirs.getTree());
        expect(own.buildSessionProjection()).toEqual(theirs.buildSessionProjection());
        expect(own.getSessionName()).toBe(theirs.getSessionName());
      }
      expect(JSON.stringify(await SessionManager.listAll())).toBe(JSON.stringify(await Pi.listAll()));
    });
  });
});

/** Every kind of session, one after the other; the files by kind, with ids numbered. */
async function tell(
  agent: Agent,
  Manager: SessionManagerClass,
  agentDir: string,
): Promise<Record<string, string>> {
  vi.stubEnv("PI_CODING_AGENT_DIR", agentDir);
  const { KINDS } = await script<{ KINDS: Record<string, Kind> }>("kinds.mjs");
  const world = await worldOf(agent, Manager, agentDir);
  const plain = plainWith(agentDir);
  const written: { file: string }[] = [];
  const files: Record<string, string> = {};
  for (const [at, kind] of STORY.entries()) {
    const task = { cwd: "/home/ada/projects/pears", marker: `marker${at}`, exchanges: 3, written };
    const conversation = await KINDS[kind]?.(world, task);
    if (!conversation) throw new Error(`no such kind: ${kind}`);
    conversation.end();
    written.push({ file: conversation.file });
    files[kind] = plain(readFileSync(conversation.file));
  }
  return files;
}

/** As test/peers/pi/world.mjs, with the class of the sessions chosen and Vitest's clock. */
async function worldOf(agent: Agent, Manager: SessionManagerClass, agentDir: string): Promise<object> {
  const { registerProviders } = await script<{ registerProviders(options: object): Providers }>(
    "providers.mjs",
  );
  const random = new Random(7);
  // The provider streams in pieces of random length, and one answer is interrupted.
  vi.spyOn(Math, "random").mockImplementation(() => random.next());
  const clock = { advance: (ms: number) => vi.setSystemTime(Date.now() + Math.round(ms)) };
  const world = {
    pace: () => Promise.resolve(),
    clock,
    chance: () => random.next(),
    providers: registerProviders({ hiddenTokens: 11_000 }),
  };
  const open = (manager: SessionManager, options: OpenOptions) =>
    converse(agent, world, agentDir, manager, options);
  return {
    ...world,
    begin: (options: OpenOptions) => open(Manager.create(options.cwd), options),
    resume: (file: string, options: OpenOptions) => open(Manager.open(file), options),
    fork: (file: string, options: OpenOptions) => open(Manager.forkFrom(file, options.cwd), options),
    branchOff: (file: string, leafId: string, options: OpenOptions) => {
      const manager = Manager.open(file);
      manager.createBranchedSession(leafId);
      return open(manager, options);
    },
  };
}

async function converse(
  agent: Agent,
  world: { clock: object; providers: Providers },
  agentDir: string,
  manager: SessionManager,
  options: OpenOptions,
): Promise<object> {
  const { createWorkspace } = await script<{
    createWorkspace(cwd: string, files: object, clock: object): Workspace;
  }>("workspace.mjs");
  const { Conversation } = await script<{
    Conversation: new (session: object, workspace: Workspace, world: object) => object;
  }>("conversation.mjs");
  const workspace = createWorkspace(manager.getCwd(), options.files ?? {}, world.clock);
  const authStorage = agent.AuthStorage.inMemory();
  for (const name of world.providers.names) authStorage.setRuntimeApiKey(name, "offline");
  const { session } = await agent.createAgentSession({
    cwd: workspace.cwd,
    agentDir,
    authStorage,
    modelRegistry: agent.ModelRegistry.inMemory(authStorage),
    model: world.providers.model(options.model),
    thinkingLevel: options.thinkingLevel ?? "off",
    customTools: workspace.tools,
    resourceLoader: noResources(agent),
    sessionManager: manager,
    settingsManager: agent.SettingsManager.inMemory({
      compaction: { enabled: false, keepRecentTokens: options.keepRecentTokens ?? 2000 },
      retry: { enabled: true, maxRetries: 2, baseDelayMs: 1 },
    }),
  });
  return new Conversation(session, workspace, world);
}

/** No extensions, skills, prompts or instruction files of this machine. */
function noResources(agent: Agent): object {
  return {
    getExtensions: () => ({ extensions: [], errors: [], runtime: agent.createExtensionRuntime() }),
    getSkills: () => ({ skills: [], diagnostics: [] }),
    getPrompts: () => ({ prompts: [], diagnostics: [] }),
    getThemes: () => ({ themes: [], diagnostics: [] }),
    getAgentsFiles: () => ({ agentsFiles: [] }),
    getSystemPrompt: () => "You are a coding agent.",
    getAppendSystemPrompt: () => [],
    extendResources: () => undefined,
    reload: async () => undefined,
  };
}

async function script<Shape>(name: string): Promise<Shape> {
  return (await import(pathToFileURL(join(peersDir, "pi", name)).href)) as Shape;
}
