import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";

/** Entries that are asked about one by one, from the beginning and the end of a file. */
const SAMPLES = 12;

/**
 * Everything a SessionManager module says about one file, each answer as JSON or as `thrown: message`. The
 * file is copied into a folder of its own first, which is called `<dir>` in the answers.
 *
 * `placed` is called with the path once the file is there, `opened` once a manager has opened it.
 *
 * Runs for ours in the test's process and for pi's in a child process, which is why it is JavaScript.
 */
export async function portrait(pi, source, dir, { placed, opened } = {}) {
  rmSync(dir, { recursive: true, force: true });
  const sessions = join(dir, "sessions");
  mkdirSync(sessions, { recursive: true });
  const file = join(sessions, basename(source));
  copyFileSync(source, file);
  placed?.(file);
  const answers = {};
  const plain = plainIn(dir);
  const ask = async (name, question) => {
    answers[name] = await answerOf(question, plain);
  };
  await askFunctions(pi, file, ask);
  await askDiscovery(pi, file, sessions, dir, ask);
  await askManager(pi, file, dir, ask, opened);
  return answers;
}

async function askFunctions(pi, file, ask) {
  const entries = () => pi.loadEntriesFromFile(file);
  const body = () => entries().filter((entry) => entry.type !== "session");
  await ask("loadEntriesFromFile", entries);
  await ask("parseSessionEntries", () => pi.parseSessionEntries(readFileSync(file, "utf8")));
  await ask("buildContextEntries", () => pi.buildContextEntries(body()));
  await ask("buildSessionProjection", () => pi.buildSessionProjection(body()));
  await ask("buildSessionContext", () => pi.buildSessionContext(body()));
  await ask("buildSessionContext(null)", () => pi.buildSessionContext(body(), null));
  await ask("getLatestCompactionEntry", () => pi.getLatestCompactionEntry(body()));
  await ask("sessionEntryToContextMessages", () => body().map(pi.sessionEntryToContextMessages));
  await ask("migrateSessionEntries", () => {
    const migrated = entries();
    pi.migrateSessionEntries(migrated);
    return migrated;
  });
}

async function askDiscovery(pi, file, sessions, dir, ask) {
  const header = pi.loadEntriesFromFile(file)[0];
  const cwd = typeof header?.cwd === "string" ? header.cwd : dir;
  await ask("findMostRecentSession", () => pi.findMostRecentSession(sessions));
  await ask("findMostRecentSession(cwd)", () => pi.findMostRecentSession(sessions, cwd));
  await ask("findById", () => pi.SessionManager.findById(cwd, header?.id ?? "none", sessions));
  await ask("list", () => pi.SessionManager.list(cwd, sessions));
  await ask("listAll", () => pi.SessionManager.listAll(sessions));
}

async function askManager(pi, file, dir, ask, opened) {
  let manager;
  await ask("open", () => {
    manager = pi.SessionManager.open(file, undefined, undefined);
  });
  await ask("bytes", () => mended(readFileSync(file, "latin1"), manager));
  if (!manager) return;
  opened?.(file);
  await askReads(manager, ask);
  await ask("append", () => manager.appendMessage({ role: "user", content: "more", timestamp: 1 }));
  await ask("bytes after append", () => readFileSync(file, "latin1"));
  await ask("context after append", () => manager.buildSessionContext());
  await ask("getTree after append", () => flat(manager.getTree()));
  await ask("forkFrom", () => {
    const fork = pi.SessionManager.forkFrom(file, dir, join(dir, "forks"));
    return [
      fork.getHeader(),
      fork.getEntries(),
      fork.getLeafId(),
      readFileSync(fork.getSessionFile(), "latin1"),
    ];
  });
  await ask("createBranchedSession", () => {
    const path = manager.createBranchedSession(manager.getLeafId());
    // From then on the file is there whatever release of pi answers.
    manager.appendMessage({ role: "assistant", content: [], provider: "p", model: "m", timestamp: 2 });
    return [path, manager.getEntries(), readFileSync(path, "latin1")];
  });
}

async function askReads(manager, ask) {
  const entries = manager.getEntries();
  const ids = [
    ...new Set([...entries.slice(0, SAMPLES), ...entries.slice(-SAMPLES)].map((entry) => entry.id)),
  ];
  for (const method of READS) await ask(method, () => manager[method]());
  await ask("getTree", () => flat(manager.getTree()));
  await ask("getEntry", () => ids.map((id) => manager.getEntry(id)));
  await ask("getChildren", () => [...ids, null, ""].map((id) => manager.getChildren(id)));
  await ask("getBranch(id)", () => ids.map((id) => manager.getBranch(id).map((entry) => entry.id)));
  await ask("getLabel", () => entries.map((entry) => manager.getLabel(entry.id)));
  await ask("context of each", () =>
    ids.map((id) => {
      manager.branch(id);
      return manager.buildSessionContext();
    }),
  );
  if (entries.length > 0) manager.branch(entries.at(-1).id);
}

/** pi adds a missing last newline as it opens, we as we append: that difference has a test of its own. */
function mended(bytes, manager) {
  return manager && !bytes.endsWith("\n") ? `${bytes}\n` : bytes;
}

const READS = [
  "getHeader",
  "getSessionId",
  "getSessionFile",
  "getSessionDir",
  "getCwd",
  "isPersisted",
  "usesDefaultSessionDir",
  "getLeafId",
  "getLeafEntry",
  "getSessionName",
  "getEntries",
  "getBranch",
  "buildContextEntries",
  "buildSessionProjection",
  "buildSessionContext",
];

/** A tree as a list, because JSON cannot hold deep ones; shared nodes come as often as they stand there. */
function flat(roots) {
  const rows = [];
  const stack = roots.map((node) => [0, node]).reverse();
  while (stack.length > 0 && rows.length < 20_000) {
    const [depth, node] = stack.pop();
    rows.push([depth, node.entry?.id, node.label, node.labelTimestamp, Object.keys(node).join()]);
    for (const child of node.children.toReversed()) stack.push([depth + 1, child]);
  }
  return rows;
}

async function answerOf(question, plain) {
  try {
    return plain(JSON.stringify(await question()) ?? "undefined");
  } catch (error) {
    // The words of a TypeError name variables; that there is one is what callers see.
    return plain(`thrown: ${error instanceof TypeError ? "TypeError" : error.message}`);
  }
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const SHORT_ID = /(?<=["\s])[0-9a-f]{8}(?=["\s\\])/g;
const TIME = /20\d\d-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z/g;
const LONGEST_ANSWER = 20_000;

/** Replaces what differs from run to run: the folder, ids (by the order of their appearance) and present times. */
function plainIn(dir) {
  const names = new Map();
  const started = new Date(Date.now() - 1000).toISOString().replace(/[:.]/g, "-");
  const nameOf = (id) => {
    if (!names.has(id)) names.set(id, `id${names.size}`);
    return names.get(id);
  };
  return (text) => {
    const plain = text
      .replaceAll(dir, "<dir>")
      .replace(UUID, nameOf)
      .replace(SHORT_ID, nameOf)
      .replace(TIME, (time) => (time.replace(/[:.]/g, "-") >= started ? "<now>" : time));
    if (plain.length <= LONGEST_ANSWER) return plain;
    return `${plain.slice(0, LONGEST_ANSWER)}... ${createHash("sha256").update(plain).digest("hex")}`;
  };
}
