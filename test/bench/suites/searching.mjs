/** Searching: our queries, in process, and ripgrep, which counts the lines with the same words in the same files. */
import { join } from "node:path";
import { IdentifierFinder } from "../../../build/src/search/fts/identifiers.js";
import { inChild, median, moduleAt, timed } from "../measure.mjs";
import { PEERS } from "../peers.mjs";
import { Ripgrep } from "../ripgrep.mjs";
import { timesLess } from "../rows.mjs";

const SELECTIVE = 30;
const COMMON = 15;
const STRETCHES = 5;
const FEW_HITS = 1000;
/** In each round all queries of a kind are asked here, and then with ripgrep. */
const ROUNDS = 7;
/** How often the other words are searched for first: after some 300 searches V8 has compiled everything. */
const WARMING = 10;
/** How many processes search once. */
const PROCESSES = 5;

/** @param {import("../bench.mjs").Place} place */
export async function searching(place) {
  const { folder, root } = place.corpora.M;
  const { openIndex } = await moduleAt(join(place.built, "src/store/open.js"));
  const { searchEntries } = await moduleAt(join(place.built, "src/search/search.js"));
  const index = openIndex({
    indexPath: join(folder, "index-v1.db"),
    searchPath: join(folder, "search-v1.db"),
  });
  const ripgrep = PEERS.ripgrep.path === null ? null : new Ripgrep(PEERS.ripgrep.path);
  try {
    const search = (query, options) => searchEntries(index, query, { roots: [root], ...options });
    const words = wordsOf(index);
    // As the files are in the system's memory before ripgrep is measured, so our code has run before, on other words.
    const warmUp = () => {
      for (const { query } of words.warming) search(query, {});
    };
    for (let round = 0; round < WARMING; round++) warmUp();
    const sides = { search, warmUp, ripgrep, root };
    const selective = await compare(words.rare, sides);
    const common = await compare(words.common, sides);
    const shapes = shapesOf(index, words.common);
    const combined = await compare(shapes.combined, sides);
    const parts = await compare(shapes.parts, sides);
    const filtered = await compare(shapes.filtered, sides);
    const leftOut = await compare(shapes.leftOut, sides);
    const begun = await compare(shapes.phrasesBegun, sides);
    const bySubstring = await compare(words.rare.slice(0, 3).map(asSubstring), sides);
    const byStretch = await compare(stretchesIn(index).map(asSubstring), sides);
    const warm = `a selective query (< ${FEW_HITS} hits) in a process that has searched before`;
    return [
      rowOf(`${warm}, the median of ${SELECTIVE}`, selective, median, 100),
      rowOf("the slowest of them", selective, slowest, null),
      rowOf("each of them when it was asked for first, the median", selective.map(firstOnly), median, null),
      rowOf(
        "the first search of a process, with opening the index",
        firstSearches(place, selective),
        median,
        null,
      ),
      rowOf(`the ${COMMON} commonest words, the median`, common, median, null),
      rowOf("the slowest of them", common, slowest, 1),
      rowOf("phrases, ANDs, ORs and beginnings of common words, the slowest", combined, slowest, 1),
      rowOf(
        "words that are parts of hundreds of names, and Chinese characters, the slowest",
        parts,
        slowest,
        1,
      ),
      rowOf(`common words with each of ${shapes.filtered.length} filters, the slowest`, filtered, slowest, 1),
      rowOf("common words without a beginning of very many words, the slowest", leftOut, slowest, 1),
      rowOf(
        "phrases of common words that end with a beginning of very many words, the slowest",
        begun,
        slowest,
        1,
      ),
      rowOf("--substring of one rare word, all files", bySubstring, median, null),
      rowOf("--substring of a stretch of text with whole words in it", byStretch, median, null),
    ];
  } finally {
    ripgrep?.close();
    index.close();
  }
}

/** Words of 4 to 20 letters that few entries hold, all along the alphabet; as many others; words that most hold. */
function wordsOf(index) {
  index.search.exec("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'entry_text', 'row')");
  const rare = index.search
    .prepare("SELECT term FROM temp.words WHERE doc < ? AND doc > 1 AND length(term) BETWEEN 4 AND 20")
    .pluck()
    .all(FEW_HITS);
  const common = index.search
    .prepare("SELECT term FROM temp.words WHERE term GLOB '[a-z]*' ORDER BY doc DESC LIMIT ?")
    .pluck()
    .all(COMMON);
  const step = Math.max(1, Math.floor(rare.length / SELECTIVE));
  const spread = (from) => rare.filter((_, n) => n % step === from).slice(0, SELECTIVE);
  const asQuery = (term) => ({ query: term, text: term, options: {} });
  return {
    rare: spread(step >> 1).map(asQuery),
    warming: spread(0).map(asQuery),
    common: common.map(asQuery),
  };
}

/** ripgrep gets the first word only: it knows neither entries nor roles. */
function asShape(query) {
  return { query, text: query.replace(/["*]| .*/g, ""), options: {} };
}

function asSubstring({ text }) {
  return { query: text, text, options: { substring: true, limit: 0 } };
}

/** Stretches of messages that JSON writes in the same way. */
function stretchesIn(index) {
  const texts = index.database.prepare(
    "SELECT text FROM messages WHERE length(text) > 80 ORDER BY entry_key",
  );
  const stretches = texts
    .pluck()
    .all()
    .map((text) => ({ text: text.slice(20, 44) }));
  const plain = stretches.filter(({ text }) => /^[ !#-[\]-~]*$/.test(text) && /\w \w+ \w/.test(text));
  const step = Math.floor(plain.length / STRETCHES);
  return plain.filter((_, n) => n % step === step >> 1);
}

/** The kinds of queries that take the longest. */
function shapesOf(index, common) {
  const [first, second, third] = common.map(({ text }) => text);
  const one = (sql) => index.database.prepare(sql).pluck().get();
  // Among the commonest words the one that is a part of the most identifiers.
  const parts = commonParts(index, 1000);
  const named = parts.find((part) => common.some(({ text }) => text === part)) ?? first;
  const folder = one("SELECT cwd FROM sessions GROUP BY cwd ORDER BY count(*) DESC");
  const day = one(`SELECT date(timestamp / 1000, 'unixepoch') FROM entries
    ORDER BY key LIMIT 1 OFFSET (SELECT count(*) / 2 FROM entries)`);
  const filters = [
    "role:user",
    "role:assistant",
    "role:toolResult",
    "type:message",
    "type:compaction",
    "tool:bash",
    "model:sonnet",
    "provider:anthropic",
    "label:none",
    "has:error",
    "has:image",
    "has:branch",
    "origin:fork",
    "origin:interactive",
    "named:yes",
    `project:${folder}`,
    "project:/",
    `since:${day}`,
    `until:${day}`,
    `since:${day} until:${day}`,
    `since:${day} sort:oldest`,
  ];
  const queries = {
    combined: [
      `${first} ${second}`,
      `"${first} ${second}"`,
      '"of the"',
      `${second} -${third}`,
      `${first} OR ${third}`,
      `${first} sort:oldest`,
      "con* role:assistant",
      "str*",
      "pro*",
      "s*",
      `${first} s*`,
    ],
    parts: [...commonParts(index), ...commonCharacters(index)],
    filtered: filters.map((filter, n) => `${[first, second][n % 2]} ${filter}`),
    leftOut: [
      `${first} -s*`,
      `${second} -c*`,
      `${third} -t* -s*`,
      `${second} -pro*`,
      `${named} -c*`,
      `"of" -s*`,
      `${first} -c* role:assistant`,
      `${second} -c* -s* has:error`,
      `${first} -s* -t* until:${day}`,
      `${named} -e* role:user sort:newest`,
    ],
    phrasesBegun: [`"${first} s"*`, `"${second} c"*`, `"${third} pro"*`, '"of t"*'],
  };
  return Object.fromEntries(Object.entries(queries).map(([kind, all]) => [kind, all.map(asShape)]));
}

/** The parts of identifiers that most of them have. */
function commonParts(index, most = 4) {
  const finder = new IdentifierFinder();
  const counts = new Map();
  for (const text of index.database.prepare("SELECT text FROM messages LIMIT 20000").pluck().iterate()) {
    for (const part of finder.partsIn(Buffer.from(text))) counts.set(part, (counts.get(part) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([part]) => part)
    .slice(0, most);
}

function commonCharacters(index) {
  return index.search
    .prepare(
      "SELECT term FROM temp.words WHERE unicode(term) BETWEEN 0x4e00 AND 0x9fff ORDER BY doc DESC LIMIT 4",
    )
    .pluck()
    .all();
}

/**
 * Milliseconds of both sides, round by round. Ours are measured after a few searches for other words: ripgrep has moved
 * 600 MB through the processor's caches, and the first searches after that are half as slow again. Not so in the first
 * round.
 */
async function compare(queries, { search, warmUp, ripgrep, root }) {
  const pairs = queries.map((query) => ({ ...query, own: [], theirs: [] }));
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) warmUp();
    for (const pair of pairs) {
      const { ms, value } = await timed(() => search(pair.query, pair.options));
      pair.own.push(ms);
      pair.total = value.total;
    }
    if (ripgrep === null) continue;
    for (const { query, text, total, theirs } of pairs) {
      const { ms, lines } = await ripgrep.count(text, root);
      if (query === text) assertFindsAsMuch(text, lines, total);
      theirs.push(ms);
    }
  }
  return pairs.map(({ query, own, theirs }) => ({
    query,
    own: median(own),
    first: own[0],
    theirs: theirs.length === 0 ? null : median(theirs),
  }));
}

function firstOnly({ first, ...pair }) {
  return { ...pair, own: first };
}

function firstSearches({ built, corpora }, pairs) {
  const { folder, root } = corpora.M;
  const step = Math.max(1, Math.floor(pairs.length / PROCESSES));
  return pairs
    .filter((_, n) => n % step === 0)
    .map((pair) => ({ ...pair, own: inChild(["firstSearch", built, folder, root, pair.query]).ms }));
}

/** A line that holds a word holds its letters: so ripgrep finds at least as much as a search for that word. */
function assertFindsAsMuch(text, lines, found) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: accents are written in many ways.
  if (/^[\x00-\x7f]*$/.test(text) && lines < found) {
    throw new Error(`"${text}": ripgrep finds ${lines} lines, search ${found} entries`);
  }
}

function slowest(values) {
  return Math.max(...values);
}

/** The figure chosen from ours, and ripgrep's for the same query. */
function rowOf(what, pairs, choose, target) {
  const own = choose(pairs.map((pair) => pair.own));
  const chosen = pairs.find((pair) => pair.own === own);
  const named = choose === slowest ? `${what} (${chosen.query})` : what;
  const theirs = choose === slowest ? chosen.theirs : medianOrNull(pairs.map((pair) => pair.theirs));
  return timesLess(named, { name: "ripgrep", value: theirs }, own, target);
}

function medianOrNull(values) {
  return values.some((value) => value === null) ? null : median(values);
}
