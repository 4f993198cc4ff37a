import { readFileSync, writeFileSync } from "node:fs";
import { type DefaultTreeAdapterTypes, parseFragment } from "parse5";
import { expect, test } from "vitest";
import { htmlOf } from "../../src/export/html.ts";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { type HtmlPiece, readHtmlPiece } from "../../src/render/conversation-piece.ts";
import { Cleaner } from "../../src/render/exported-session.ts";
import { OpenConversations } from "../../src/reports/open-conversations.ts";
import { readConversation, readOutline } from "../../src/reports/read-conversation.ts";
import type { Index } from "../../src/store/open.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";
import { HTML_PAYLOADS } from "../helpers/html-payloads.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { indexOf, indexOfSessions } from "../reports/indexed.ts";

/** What happens next: `calls` asks for that many tools at once; a result answers one of the last few calls, or none. */
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("ask" as const, "say" as const) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("call" as const), calls: fc.nat(3) }) },
    { weight: 8, arbitrary: fc.record({ kind: fc.constant("result" as const), of: fc.nat(4) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("note" as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("back" as const), to: fc.nat(30) }) },
  ),
  { minLength: 3, maxLength: 60 },
);
type Steps = typeof steps extends fc.Arbitrary<infer T> ? T : never;

/** Plays them; every entry says `«N»` with its number, from 0. */
function played(built: SessionBuilder, drawn: Steps): SessionBuilder {
  const ids: string[] = [];
  for (const step of drawn) {
    const mark = `«${built.entries.length}»`;
    const ask = (id: string) => ({ id, name: "bash", arguments: { command: `do ${id}` } });
    switch (step.kind) {
      case "ask":
        built.user(mark);
        break;
      case "say":
        built.assistant({ text: mark });
        break;
      case "call": {
        const calls = Array.from({ length: step.calls + 1 }, (_, at) => `c${built.entries.length}-${at}`);
        ids.push(...calls);
        built.assistant({ text: mark, toolCalls: calls.map(ask) });
        break;
      }
      case "result":
        built.toolResult(mark, { toolCallId: ids.at(-1 - step.of) ?? "none", toolName: "bash" });
        break;
      case "note":
        built.modelChange("p", mark);
        break;
      case "back":
        built.branchFrom(
          String(built.entries[step.to % Math.max(1, built.entries.length)]?.id ?? "") || null,
        );
    }
  }
  return built;
}

type Line = Record<string, unknown> & { id: string; parentId: string | null; message?: unknown };

/** The numbers of the entries from the root to the last line, by the ids that the lines state. */
function branchOf(lines: readonly Line[]): number[] {
  const byId = new Map(lines.map((line, at) => [line.id, at]));
  const branch: number[] = [];
  for (let at: number | undefined = lines.length - 1; at !== undefined; ) {
    branch.unshift(at);
    at = byId.get(lines[at]?.parentId ?? "");
  }
  return branch;
}

const linesOf = (path: string): Line[] =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line) as Line);

const numbersIn = (html: string): number[] =>
  [...html.matchAll(/«(\d+)»/g)].map(([, number]) => Number(number));

const withoutForks = (html: string): string => html.replaceAll(/<p class="fork".*<\/p>\n/g, "");

function piecesOf(index: Index, name: string, count: number, branch?: string): HtmlPiece[] {
  const open = new OpenConversations();
  const pieces: HtmlPiece[] = [];
  for (let from = 0, total = 1; from < total; ) {
    const options = { from, count, timezone: "UTC", ...(branch !== undefined && { branch }) };
    const piece = readHtmlPiece(index, name, options, open);
    expect(piece.from).toBe(from);
    expect(piece.next).toBeGreaterThan(from);
    pieces.push(piece);
    from = piece.next;
    total = piece.total;
  }
  return pieces;
}

const textOf = (pieces: readonly HtmlPiece[]): string => pieces.map(({ html }) => html).join("");

test("pieces one after the other are the whole, with each entry once, and every result with its call", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 9 }), (drawn, count) => {
      const root = tempDir();
      const path = played(session({ id: "drawn" }).user("«0»"), drawn).writeBelow(root);
      const lines = linesOf(path);
      const branch = branchOf(lines);
      const index = indexOf(root);
      const pieces = piecesOf(index, "drawn", count);
      expect(textOf(pieces)).toBe(readHtmlPiece(index, "drawn", { count: 0, timezone: "UTC" }).html);
      expect(pieces[0]?.total).toBe(branch.length);
      expect(numbersIn(withoutForks(textOf(pieces))).toSorted((a, b) => a - b)).toEqual(
        branch.toSorted((a, b) => a - b),
      );
      for (const { from, next, html } of pieces) {
        const here = branch.slice(from, next).toSorted((a, b) => a - b);
        expect(numbersIn(withoutForks(html)).toSorted((a, b) => a - b)).toEqual(here);
      }
      for (const [, id, place] of textOf(pieces).matchAll(/ id="L(\d+)" data-place="(\d+)"/g))
        expect(branch[Number(place)]).toBe(Number(id) - 2);
      expectResultsWithCalls(lines, branch, pieces);
    }),
    { numRuns: runs(20) },
  );
});

/** Of every result that comes before anybody speaks again the call is in its piece. */
function expectResultsWithCalls(
  lines: readonly Line[],
  branch: readonly number[],
  pieces: readonly HtmlPiece[],
) {
  const pieceOf = (place: number) => pieces.findIndex(({ from, next }) => from <= place && place < next);
  const messageAt = (place: number) => {
    const message = lines[branch[place] ?? -1]?.message;
    return message as
      | { role: string; toolCallId?: string; content: { type: string; id?: string }[] }
      | undefined;
  };
  for (const place of branch.keys()) {
    const result = messageAt(place);
    if (result?.role !== "toolResult") continue;
    let above = place - 1;
    while (above >= 0 && (messageAt(above)?.role ?? "toolResult") === "toolResult") above--;
    const asked = messageAt(above);
    if (asked?.role !== "assistant") continue;
    if (asked.content.some(({ id }) => id === result.toolCallId)) expect(pieceOf(place)).toBe(pieceOf(above));
  }
}

test("a piece from anywhere begins there, or at the call whose results would be cut off", () => {
  fc.assert(
    fc.property(steps, fc.nat(70), fc.integer({ min: 1, max: 9 }), (drawn, asked, count) => {
      const root = tempDir();
      const path = played(session({ id: "drawn" }).user("«0»"), drawn).writeBelow(root);
      const branch = branchOf(linesOf(path));
      const index = indexOf(root);
      const piece = readHtmlPiece(index, "drawn", { from: asked, count, timezone: "UTC" });
      const wanted = Math.min(asked, branch.length);
      expect(piece.from).toBeLessThanOrEqual(wanted);
      expect(piece.next).toBeGreaterThanOrEqual(Math.min(wanted + count, branch.length));
      const here = branch.slice(piece.from, piece.next).toSorted((a, b) => a - b);
      expect(numbersIn(withoutForks(piece.html)).toSorted((a, b) => a - b)).toEqual(here);
      // What stands before it ends where it begins, however it is asked for.
      const before = readHtmlPiece(index, "drawn", { from: 0, count: piece.from || 1, timezone: "UTC" });
      if (piece.from > 0) expect(before.next).toBe(piece.from);
      const whole = readHtmlPiece(index, "drawn", { count: 0, timezone: "UTC" }).html;
      expect(whole).toContain(piece.html);
    }),
    { numRuns: runs(20) },
  );
});

test("pieces of a branch are what its export shows, but for places and forks", () => {
  const built = session({ id: "shown" })
    .user("begin")
    .assistant({ toolCalls: [{ name: "bash" }] });
  built.toolResult("one\ntwo").assistant({ text: "**done**" });
  const fork = built.lastId ?? "";
  built.user("left").branchFrom(fork).user("on").label(fork, "good").compaction("so far");
  const index = indexOfSessions(built);
  const open = new OpenConversations();
  const { session: found, tree } = open.branchOf(index, "shown", {});
  const exported = {
    session: found,
    realPath: "",
    nodes: tree.nodes,
    branch: tree.nodes.named(":6"),
    costs: [],
    clean: new Cleaner({ reveal: false }),
    timezone: "UTC",
    home: "/",
  };
  const [, main = ""] = /<main>\n.*\n([\s\S]*)<\/main>/.exec([...htmlOf(exported)].join("")) ?? [];
  const pieces = textOf(piecesOf(index, "shown", 2, ":6"));
  expect(withoutForks(pieces).replaceAll(/ data-place="\d+"/g, "")).toBe(main);
  expect(pieces).toContain("<mark>good</mark>");
});

test("where another branch leaves, a link names it, says how much it holds and what was asked", () => {
  const built = session({ id: "forked" }).user("begin").assistant({ text: "first" });
  const fork = built.lastId ?? "";
  const usage = { input: 1, output: 1, cost: { total: 0.25 } };
  built.modelChange("p", "m");
  const side = built.lastId ?? "";
  built.user("with <regex>").assistant({ text: "there", usage });
  built.branchFrom(fork).user("another way").branchFrom(null).user("a second root");
  const index = indexOfSessions(built);
  const html = (branch: string) => readHtmlPiece(index, "forked", { branch, timezone: "UTC" }).html;
  const forks = [...html(":7").matchAll(/<p class="fork".*/g)].map(([line]) => line);
  expect(forks).toEqual([
    expect.stringMatching(
      /^<p class="fork" data-branch="\w{8}"><a .*<\/a>: 1 entry · <bdi>a second root<\/bdi>/,
    ),
    `<p class="fork" data-branch="${side}"><a href="?branch=${side}">Another branch</a>: 3 entries · $0.25 · <bdi>with &lt;regex&gt;</bdi></p>`,
  ]);
  expect(html(side)).toContain("there");
  expect(html(side)).toContain("<bdi>another way</bdi>");
});

test("of very many branches that leave at one place the newest are named, the others counted", () => {
  const built = session({ id: "many" }).user("begin");
  const fork = built.lastId;
  for (let at = 0; at < 50; at++) built.user(`way ${at}`).branchFrom(fork);
  built.user("on");
  const { html } = readHtmlPiece(indexOfSessions(built), "many", { timezone: "UTC" });
  expect(html.match(/way \d+/g)).toEqual(Array.from({ length: 20 }, (_, at) => `way ${49 - at}`));
  expect(html).toContain('<p class="fork">30 older branches</p>');
});

test("files of v1 have pieces, and branches of entries that share an id or a line are named by their lines", () => {
  const old = session({ id: "old", version: 1 }).user("one").assistant({ text: "two" }).user("three");
  const doubled = session({ id: "doubled" }).user("begin", { id: "a" });
  doubled.user("left", { id: "b", parentId: "a" }).user("deeper", { id: "b", parentId: "b" });
  doubled.user("on", { id: "c", parentId: "a" });
  const index = indexOfSessions(old, doubled);
  const pieces = piecesOf(index, "old", 2);
  expect(pieces.map(({ from, next, total }) => [from, next, total])).toEqual([
    [0, 2, 3],
    [2, 3, 3],
  ]);
  expect(textOf(pieces)).toMatch(/one[\s\S]*two[\s\S]*three/);
  expect(textOf(piecesOf(index, "doubled", 50))).toContain('data-branch=":3"');
});

test("says where a parent is missing, and where a line has changed since", () => {
  const root = tempDir();
  const path = session({ id: "broken" }).user("one").user("two", { parentId: "lost" }).writeBelow(root);
  const index = indexOf(root);
  const html = () => textOf(piecesOf(index, "broken", 1));
  expect(html()).toContain("a gap: what line 3 answers (lost) is not in the file");
  writeFileSync(path, readFileSync(path, "utf8").replace("two", "TWO").replace('"user"', '"USER"'));
  writeFileSync(path, "\n".repeat(5000));
  expect(html()).toContain('<p class="note error" id="L3" data-place="0">Line 3 has changed.</p>');
});

test("holds nothing but text of a hostile transcript", () => {
  const built = session({ id: "hostile" }).user("begin").assistant({ text: "x" });
  const fork = built.lastId;
  for (const payload of HTML_PAYLOADS) {
    const call = { name: payload, arguments: { path: payload, [payload]: payload } };
    built
      .user(payload, { id: payload })
      .branchFrom(fork)
      .assistant({ text: payload, thinking: payload, toolCalls: [call] });
    built.toolResult(`${payload}\n${payload}`, { toolName: payload }).label(fork ?? "", payload);
  }
  const index = indexOfSessions(built);
  const tags = new Set<string>();
  const attributes = new Set<string>();
  const waiting: DefaultTreeAdapterTypes.Node[] = [parseFragment(textOf(piecesOf(index, "hostile", 7)))];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if ("tagName" in node) {
      tags.add(node.tagName);
      for (const { name, value } of node.attrs) {
        attributes.add(name);
        if (name === "href") expect(value).toMatch(/^(?:#L\d+$|https?:\/\/|\?branch=[\w%.!~*'()-]*$)/);
      }
    }
    if ("childNodes" in node) waiting.push(...node.childNodes);
    if ("content" in node) waiting.push(node.content);
  }
  expect(
    [...tags].filter((tag) =>
      /^(?:script|iframe|object|embed|base|link|form|template|math|svg|style|meta|img)$/.test(tag),
    ),
  ).toEqual([]);
  expect([...attributes].filter((name) => /^on|^style$|^src/.test(name))).toEqual([]);
});

test("secrets are masked unless they are to be revealed", () => {
  const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  const index = indexOfSessions(session({ id: "secret" }).user(`my ${token}`).name(token));
  const piece = (reveal: boolean) =>
    JSON.stringify(readHtmlPiece(index, "secret", { reveal, timezone: "UTC" }));
  expect(piece(false)).not.toContain(token.slice(8));
  expect(piece(true)).toContain(token);
});

test("of texts too long for a browser there is the beginning, without half a secret; pictures are whole", () => {
  const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  const data = Buffer.alloc(400_000, 7).toString("base64");
  const index = indexOfSessions(
    session({ id: "long" })
      .user(`${"abc ".repeat(74_998)}${token} ${"x ".repeat(500_000)}end.`)
      .user([{ type: "image", mimeType: "image/png", data }])
      .user("after"),
  );
  const { html } = readHtmlPiece(index, "long", { timezone: "UTC" });
  expect(html).toContain("more characters: an export of the session has them.");
  for (const gone of ["end.", "ghp_"]) expect(html).not.toContain(gone);
  for (const there of ["after", data]) expect(html).toContain(there);
  expect(html.length).toBeLessThan(400_000 + data.length);
});

test("an open conversation goes on with its file, and is read once until then, whatever other files do", () => {
  const root = tempDir();
  const built = session({ id: "live" }).user("one");
  built.writeBelow(root);
  const index = indexOf(root);
  const open = new OpenConversations();
  const tree = () => open.branchOf(index, "live", {}).tree;
  const read = () => {
    const { total } = readConversation(index, "live", {}, open);
    return [
      total,
      readOutline(index, "live", {}, open).total,
      readHtmlPiece(index, "live", { timezone: "UTC" }, open).total,
    ];
  };
  const first = tree();
  session({ id: "other" }).user("elsewhere").writeBelow(root);
  syncAll(index, [root]);
  // By now the file has come to rest, which the index notes.
  index.database.exec("UPDATE files SET settled = 1 - settled");
  expect([read(), tree() === first]).toEqual([[1, 1, 1], true]);
  built
    .label(built.lastId ?? "", "mark")
    .user("two")
    .writeBelow(root);
  syncAll(index, [root]);
  expect([read(), tree().nodes.all[0]?.label]).toEqual([[3, 3, 3], "mark"]);
  const rewritten = session({ id: "live" }).user("another").user("text").user("here");
  rewritten.writeBelow(root);
  syncAll(index, [root]);
  expect(tree().nodes.all.map(({ preview }) => preview)).toEqual(["another", "text", "here"]);
});
