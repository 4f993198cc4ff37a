import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** @typedef {{ cost: { total: number } }} Usage */
/**
 * @typedef {{ text?: string, thinking?: string, thinkingSignature?: string, data?: string, arguments?: object }} Block
 */
/** @typedef {{ role: string, model?: string, usage?: Usage, content: Block[] }} Message */
/**
 * A header or an entry, as the generator writes it.
 * @typedef {{ id: string, parentId: string | null, timestamp: string, type: string, parentSession?: string,
 *   summary?: string, name?: string, label?: string, usage?: Usage, message?: Message }} Entry
 */
/** @typedef {ReturnType<typeof emptyStats>} Stats */

/**
 * Reads a corpus and measures what it holds. Shares are shares of its bytes, with strings as they stand in the file.
 * @param {string} root a sessions root
 */
export function measureCorpus(root) {
  const stats = emptyStats();
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".jsonl"),
  );
  const lengths = names.map((name) => measureFile(join(root, name), stats)).sort((a, b) => a - b);
  const share = (/** @type {number} */ bytes) => Math.round((1000 * bytes) / stats.bytes) / 10;
  const { text, spoken, image, signature, foreign, outputs, sessions } = stats;
  return {
    sessions: names.length,
    projects: new Set(names.map((name) => dirname(name))).size,
    bytes: stats.bytes,
    medianFile: lengths[lengths.length >> 1] ?? 0,
    largestFile: lengths.at(-1) ?? 0,
    entries: stats.entries,
    bytesPerLine: Math.round(stats.bytes / Math.max(1, stats.entries)),
    percent: {
      text: share(text),
      userAndAssistantText: share(spoken),
      images: share(image),
      signatures: share(signature),
      chineseAndJapanese: share(foreign),
    },
    forks: stats.forks,
    copiedEntries: stats.copies,
    compactions: stats.compactions,
    branchSummaries: stats.branchSummaries,
    branchings: stats.branchings,
    models: [...stats.models].sort(),
    costInFiles: stats.cost,
    timesEachWord: { inToolOutputs: timesEach(outputs), inSessions: timesEach(sessions) },
  };
}

/** @typedef {{ words: number, different: number }} Repeats */

/** @param {Repeats} repeats */
function timesEach({ words, different }) {
  return Math.round((10 * words) / Math.max(1, different)) / 10;
}

function emptyStats() {
  const bytes = { bytes: 0, text: 0, spoken: 0, image: 0, signature: 0, foreign: 0 };
  const counts = {
    entries: 0,
    forks: 0,
    copies: 0,
    compactions: 0,
    branchSummaries: 0,
    branchings: 0,
    cost: 0,
  };
  const repeats = { outputs: { words: 0, different: 0 }, sessions: { words: 0, different: 0 } };
  return { ...bytes, ...counts, ...repeats, models: new Set(), seen: new Set() };
}

/**
 * @param {string} path
 * @param {Stats} stats
 */
function measureFile(path, stats) {
  const bytes = readFileSync(path);
  stats.bytes += bytes.length;
  const parents = new Set();
  /** @type {string[]} */
  const words = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    /** @type {Entry} */
    const entry = JSON.parse(bytes.toString("utf8", from, end));
    if (from === 0) stats.forks += entry.parentSession === undefined ? 0 : 1;
    else measureEntry(entry, stats);
    countWords(entry, words, stats);
    if (from > 0 && parents.has(entry.parentId)) stats.branchings += 1;
    parents.add(entry.parentId);
    from = end + 1;
  }
  // The longer a session, the fewer of its words are new: so all are compared over the same length.
  if (words.length >= SESSION_WORDS) addWords(stats.sessions, words.slice(0, SESSION_WORDS));
  return bytes.length;
}

/** The words of a session of about 700 KB. */
const SESSION_WORDS = 50_000;
/** Characters of a tool output of common length. */
const OUTPUT = { least: 1500, most: 3000 };

/**
 * @param {Entry} entry
 * @param {string[]} words those of the session so far
 * @param {Stats} stats
 */
function countWords({ message, summary = "" }, words, stats) {
  const texts = (message?.content ?? []).flatMap(({ text = "", thinking = "", arguments: given = {} }) => [
    text,
    thinking,
    ...Object.values(given).map(String),
  ]);
  const said = [summary, ...texts].join(" ");
  const here = said.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length < SESSION_WORDS) for (const word of here) words.push(word);
  const isCommon = said.length >= OUTPUT.least && said.length <= OUTPUT.most;
  if (message?.role === "toolResult" && isCommon) addWords(stats.outputs, here);
}

/**
 * @param {Repeats} repeats
 * @param {string[]} words
 */
function addWords(repeats, words) {
  repeats.words += words.length;
  repeats.different += new Set(words).size;
}

/**
 * @param {Entry} entry
 * @param {Stats} stats
 */
function measureEntry(entry, stats) {
  stats.entries += 1;
  const identity = entry.id + entry.timestamp;
  if (stats.seen.has(identity)) stats.copies += 1;
  stats.seen.add(identity);
  if (entry.type === "compaction") stats.compactions += 1;
  if (entry.type === "branch_summary") stats.branchSummaries += 1;
  stats.cost += (entry.usage ?? entry.message?.usage)?.cost.total ?? 0;
  if (entry.message?.model) stats.models.add(entry.message.model);
  for (const text of [entry.summary, entry.name, entry.label]) measureText(text, stats);
  const { role = "", content = [] } = entry.message ?? {};
  for (const block of content) measureBlock(role, block, stats);
}

/**
 * @param {string} role
 * @param {Block} block
 * @param {Stats} stats
 */
function measureBlock(role, block, stats) {
  const length = measureText(block.text, stats);
  if (role !== "toolResult") stats.spoken += length;
  measureText(block.thinking, stats);
  for (const argument of Object.values(block.arguments ?? {})) measureText(argument, stats);
  stats.image += (block.data ?? "").length;
  stats.signature += (block.thinkingSignature ?? "").length;
}

/**
 * @param {unknown} text
 * @param {Stats} stats
 */
function measureText(text, stats) {
  if (typeof text !== "string") return 0;
  const length = Buffer.byteLength(JSON.stringify(text)) - 2;
  stats.text += length;
  for (const run of text.match(/[\u3001-\u9fff]+/g) ?? []) stats.foreign += 3 * run.length;
  return length;
}
