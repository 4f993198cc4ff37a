// pi 0.73.1, whole and offline: its clock, its randomness and its model providers are ours, all else is pi.
import {
  AuthStorage,
  createAgentSession,
  createExtensionRuntime,
  ModelRegistry,
  SessionManager,
  SettingsManager,
} from "@mariozechner/pi-coding-agent";
import { installChance } from "./chance.mjs";
import { installClock } from "./clock.mjs";
import { Conversation } from "./conversation.mjs";
import { registerProviders } from "./providers.mjs";
import { createWorkspace } from "./workspace.mjs";

/**
 * Takes over Date and randomness of the whole process, so one world a process.
 * @param agentDir where pi puts `sessions/`
 * @param start first moment of the clock, ISO 8601
 * @param seed the same seed and the same script give the same bytes
 * @param hiddenTokens see providers.mjs
 * @param pace is awaited before each turn of the model and each command it runs; nothing waits unless told
 */
export function createWorld({ agentDir, start, seed, hiddenTokens = 11_000, pace = async () => undefined }) {
  process.env.PI_CODING_AGENT_DIR = agentDir; // pi derives its session folders from this
  const clock = installClock(start);
  const { chance, reseed } = installChance(seed);
  const providers = registerProviders({ hiddenTokens });
  const world = { clock, chance, providers, pace };

  const open = (manager, options) => openConversation(world, agentDir, manager, options);
  return {
    ...world,
    reseed,
    /** A new session. @param options `{ cwd, files, model, thinkingLevel, keepRecentTokens }` */
    begin: (options) => open(SessionManager.create(options.cwd), options),
    /** Goes on with a session in a later run of pi. */
    resume: (file, options) => open(SessionManager.open(file), options),
    /** A new session in `options.cwd` with a copy of all entries of another (`pi --fork`). */
    fork: (file, options) => open(SessionManager.forkFrom(file, options.cwd), options),
    /** A new session with a copy of one branch of another. */
    branchOff: (file, leafId, options) => {
      const manager = SessionManager.open(file);
      manager.createBranchedSession(leafId);
      return open(manager, options);
    },
  };
}

async function openConversation(world, agentDir, manager, options) {
  const workspace = createWorkspace(manager.getCwd(), options.files ?? {}, world.clock, world.pace);
  const authStorage = AuthStorage.inMemory();
  for (const name of world.providers.names) authStorage.setRuntimeApiKey(name, "offline");
  const { session } = await createAgentSession({
    cwd: workspace.cwd,
    agentDir,
    authStorage,
    modelRegistry: ModelRegistry.inMemory(authStorage),
    model: world.providers.model(options.model),
    thinkingLevel: options.thinkingLevel ?? "off",
    customTools: workspace.tools,
    resourceLoader: emptyResources(),
    sessionManager: manager,
    settingsManager: SettingsManager.inMemory({
      compaction: { enabled: false, keepRecentTokens: options.keepRecentTokens ?? 2000 },
      retry: { enabled: true, maxRetries: 2, baseDelayMs: 1 },
    }),
  });
  return new Conversation(session, workspace, world);
}

/** No extensions, skills, prompts or instruction files of this machine. */
function emptyResources() {
  return {
    getExtensions: () => ({ extensions: [], errors: [], runtime: createExtensionRuntime() }),
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
