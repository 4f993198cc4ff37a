// Run as `node evening.mjs MODULE DIR [LIBRARY]`: an evening with pi 0.73.1's agent on the SessionManager of MODULE, with
// all a user and an extension can do to a session. Prints what the agent and the manager say after each step, and at the
// end the session files, as lines of JSON with ids numbered. With LIBRARY an index in DIR is kept up to date all the while.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fauxAssistantMessage, fauxThinking, fauxToolCall, registerFauxProvider } from "@mariozechner/pi-ai";
import * as pi from "@mariozechner/pi-coding-agent";
import { installChance } from "./chance.mjs";
import { installClock } from "./clock.mjs";

const [modulePath, dir, libraryPath] = process.argv.slice(2);
const agentDir = join(dir, "agent");
const cwd = join(dir, "work");
for (const folder of [agentDir, cwd]) mkdirSync(folder, { recursive: true });
writeFileSync(join(cwd, "a.txt"), "one\ntwo\n");
process.env.PI_CODING_AGENT_DIR = agentDir;
const clock = installClock("2026-01-05T08:00:00.000Z");
installChance(42);

const { SessionManager } = await import(pathToFileURL(modulePath).href);
const keepIndex = libraryPath ? await indexKeeper() : () => undefined;
/** What is asked of a manager after each step. */
const READS = [
  "getSessionId",
  "getSessionFile",
  "getSessionDir",
  "getSessionName",
  "getCwd",
  "getHeader",
  "getLeafId",
];
const MORE = ["getLeafEntry", "getBranch", "getTree", "buildSessionContext", "isPersisted"];

const lines = [];
const models = ["faux-1", "faux-2"].map((id) => ({
  id,
  name: id,
  reasoning: true,
  input: ["text", "image"],
}));
const faux = registerFauxProvider({ api: "faux-api", provider: "faux", models, tokensPerSecond: 0 });

let session = await begin(SessionManager.create(cwd));
await step("a prompt", () => ask("hi", say("hello there")));
await step("tools", () =>
  ask(
    "read it",
    use("read", { path: "a.txt" }),
    use("no such tool", {}),
    say([fauxThinking("hm"), text("done")]),
  ),
);
await step("what an extension adds to a prompt", () => ask("inject please", say("ok")));
await step("a command of an extension", () => session.prompt("/note one"));
await step("steering", () => ask("go", steered, say("turned"), say("and right")));
await step("an interrupted answer", () => ask("stop me", interrupted));
await step("an interrupted tool", () => ask("sleep", interruptedTool));
await step("an error", () => ask("fail", say("", { stopReason: "error", errorMessage: "bad request" })));
await step("another model", () => session.setModel(faux.getModel("faux-2")));
await step("more thinking", () => session.setThinkingLevel("high"));
for (const name of ["  A name\nwith a break ", "", "Evening"])
  await step("a name", () => session.setSessionName(name));
await step("a command", () => session.executeBash("echo hi"));
await step("a command for oneself", () =>
  session.executeBash("echo hi", undefined, { excludeFromContext: true }),
);
await step("a custom message", () =>
  session.sendCustomMessage({
    customType: "c",
    content: [text("blocks")],
    display: true,
    details: { a: [1] },
  }),
);
const entries = session.sessionManager.getEntries();
const [, secondPrompt] = session.getUserMessagesForForking();
const tip = entries.at(-1).id;
await step("a label", () => session.sessionManager.appendLabelChange(entries[3].id, "first"));
await step("a label of nothing", () => session.sessionManager.appendLabelChange("none", "x"));
await step("back", () => session.navigateTree(secondPrompt.entryId));
await step("another branch", () => ask("another way", say("other branch")));
await step("to the tip with a summary", () => {
  faux.setResponses([say("summary of the branch")]);
  return session.navigateTree(tip, { summarize: true, label: "here" });
});
await step("to nowhere", () => session.navigateTree("none"));
for (const time of ["first", "second"]) {
  await step(`a ${time} compaction`, () => {
    faux.setResponses([say(`the ${time} summary`), say("of a part of a turn")]);
    return session.compact("be brief");
  });
  await step("after it", () => ask("still there?", say("yes")));
}
await step("a branch from the root", () => session.sessionManager.branchWithSummary(null, "from the root"));
await step("a custom entry", () => session.sessionManager.appendCustomEntry("t", { deep: [null, { a: 1 }] }));
await step("as lines", () => readFileSync(session.exportToJsonl(join(dir, "exported.jsonl")), "utf8"));
await step("as a page", async () =>
  dataOf(readFileSync(await session.exportToHtml(join(dir, "page.html")), "utf8")),
);
const file = session.sessionFile;
session.dispose();

session = await begin(SessionManager.open(file));
await step("opened again", () => ask("again", say("again")));
await step("a branch in a file of its own", () => {
  session.sessionManager.createBranchedSession(session.sessionManager.getBranch()[2].id);
});
await step("in it", () => ask("in the branch", say("yes")));
await step(
  "a new session",
  () => session.sessionManager.newSession({ id: "my-id", parentSession: file }) && null,
);
await step("a new session with a bad id", () => session.sessionManager.newSession({ id: "../x" }));
await step("in the new one", () => ask("anew", say("yes")));
await step("the first file", () => session.sessionManager.setSessionFile(file));
session.dispose();

session = await begin(SessionManager.forkFrom(file, join(cwd, "other"), join(dir, "forks")));
await step("in a fork", () => ask("forked", say("yes")));
session.dispose();
session = await begin(SessionManager.continueRecent(cwd));
await step("the most recent one", () => ask("go on", say("yes")));
session.dispose();
session = await begin(SessionManager.inMemory(cwd));
await step("in memory", () => ask("one", say("1")));
await step("a branch in memory", () => {
  session.sessionManager.createBranchedSession(session.sessionManager.getLeafId());
});
session.dispose();

const progress = [];
const listed = (infos) => infos.map((info) => ({ ...info }));
note(
  "list",
  listed(await SessionManager.list(cwd, undefined, (loaded, total) => progress.push([loaded, total]))),
);
note("listAll", listed(await SessionManager.listAll((loaded, total) => progress.push([loaded, total]))));
note("progress", progress);
const written = readdirSync(dir, { recursive: true }).filter((name) => name.endsWith(".jsonl"));
for (const name of written.sort()) note(name, readFileSync(join(dir, name), "utf8").split("\n"));
// As a path, and as pi calls the folder for sessions of a path.
const named = dir.slice(1).replace(/[/\\:]/g, "-");
const said = lines.join("\n").replaceAll(dir, "<dir>").replaceAll(named, "<dir>");
process.stdout.write(numbered(said), () => process.exit());

async function begin(sessionManager) {
  const settingsManager = pi.SettingsManager.inMemory({
    compaction: { enabled: false, keepRecentTokens: 60 },
    retry: { enabled: false },
  });
  const nothing = ["noExtensions", "noSkills", "noPromptTemplates", "noThemes", "noContextFiles"];
  const resourceLoader = new pi.DefaultResourceLoader({
    ...Object.fromEntries(nothing.map((name) => [name, true])),
    ...{ cwd, agentDir, settingsManager, systemPrompt: "You are an agent.", extensionFactories: [extension] },
  });
  await resourceLoader.reload();
  const authStorage = pi.AuthStorage.inMemory();
  authStorage.setRuntimeApiKey("faux", "offline");
  const modelRegistry = pi.ModelRegistry.inMemory(authStorage);
  const options = {
    cwd,
    agentDir,
    authStorage,
    modelRegistry,
    resourceLoader,
    settingsManager,
    sessionManager,
  };
  const created = await pi.createAgentSession({ ...options, model: faux.getModel("faux-1") });
  created.session.subscribe(({ type, message, name, toolName }) => {
    if (!type.endsWith("_update")) note("event", { type, role: message?.role, name, toolName });
  });
  await created.session.bindExtensions({});
  return created.session;
}

function extension(api) {
  api.registerCommand("note", {
    description: "notes",
    handler: async (words) => {
      api.appendEntry("note", { words });
      api.sendMessage({ customType: "note", content: words, display: true, details: { n: 1 } });
    },
  });
  api.on("session_tree", (event) => note("tree", event));
  api.on("session_compact", (event) => note("compact", event));
  api.on("before_agent_start", ({ prompt }, { sessionManager }) => {
    note("before", {
      leaf: sessionManager.getLeafId(),
      branch: sessionManager.getBranch().map(({ type }) => type),
    });
    if (!prompt.startsWith("inject")) return undefined;
    return { message: { customType: "injected", content: "injected", display: false } };
  });
}

/** Files that are written in one step have other times than those of the next: the most recent one is looked for. */
async function step(name, does) {
  await pause(15);
  clock.advance(1000);
  keepIndex();
  try {
    note(name, { result: (await does()) ?? null });
  } catch (error) {
    note(name, { error: error.message });
  }
  note(name, { ...stateOf(session.sessionManager), ...stateOfAgent(session) });
}

function stateOf(manager) {
  return Object.fromEntries([...READS, ...MORE].map((name) => [name, manager[name]() ?? null]));
}

function stateOfAgent(asked) {
  const { messages, model, thinkingLevel } = asked.agent.state;
  return { messages, model: model.id, thinkingLevel, stats: asked.getSessionStats() };
}

function note(name, what) {
  lines.push(JSON.stringify([name, what]));
}

function ask(prompt, ...answers) {
  faux.setResponses(answers);
  return session.prompt(prompt);
}

function say(content, options) {
  return fauxAssistantMessage(content, options);
}

function use(tool, given) {
  return say([fauxToolCall(tool, given, { id: `call_${tool}` })], { stopReason: "toolUse" });
}

async function steered() {
  await session.steer("turn left");
  await session.followUp("and then right");
  return use("read", { path: "a.txt" });
}

async function interrupted() {
  setTimeout(() => session.abort(), 1);
  await pause(30);
  return say("never seen");
}

function interruptedTool() {
  const unsubscribe = session.subscribe(({ type }) => {
    if (type !== "tool_execution_start") return;
    unsubscribe();
    setTimeout(() => session.abort(), 50);
  });
  return use("bash", { command: "sleep 60" });
}

function text(words) {
  return { type: "text", text: words };
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What a page holds of the session. */
function dataOf(page) {
  const [, data] = /<script id="session-data"[^>]*>([^<]*)</.exec(page);
  return JSON.parse(Buffer.from(data, "base64").toString());
}

/** Ids by the order of their appearance. */
function numbered(output) {
  const numbers = new Map();
  return output.replace(
    /(?<![0-9a-f])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8})(?![0-9a-f])/g,
    (id) => {
      if (!numbers.has(id)) numbers.set(id, `#${numbers.size}`);
      return numbers.get(id);
    },
  );
}

async function indexKeeper() {
  const { openIndex, syncAll } = await import(pathToFileURL(libraryPath).href);
  const place = join(agentDir, "sessiondb");
  const index = openIndex({ indexPath: join(place, "index-v1.db"), searchPath: join(place, "search-v1.db") });
  const root = join(agentDir, "sessions");
  return () => existsSync(root) && syncAll(index, [root]);
}
