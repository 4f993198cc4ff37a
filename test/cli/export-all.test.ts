import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { describe, expect, test } from "vitest";
import { type ListedPage, listPagesOf } from "../../src/export/list-page.ts";
import { Cleaner } from "../../src/render/exported-session.ts";
import type { SessionList } from "../../src/reports/answers.ts";
import { HTML_PAYLOADS } from "../helpers/html-payloads.ts";
import { syncByProgram } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson, sampleAgent } from "./pretend-world.ts";

const samples = { agentDir: sampleAgent(sharedTempDir()) };
/** In two pieces, so that nobody takes this file for one that holds a secret. */
const TOKEN = `ghp_${"Zk3rT9vQ1xW7bN5mL2pH8sD4fG6jK0aYcE1u"}`;

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

function elementsIn(page: string): Element[] {
  const found: Element[] = [];
  const waiting: Node[] = [parse(page)];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if ("tagName" in node) found.push(node);
    if ("childNodes" in node) waiting.push(...node.childNodes.toReversed());
    if ("content" in node) waiting.push(node.content);
  }
  return found;
}

const textOf = (node: Node): string =>
  "value" in node ? node.value : "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
const attribute = ({ attrs }: Element, name: string) => attrs.find((each) => each.name === name)?.value;
const withClass = (elements: readonly Element[], name: string) =>
  elements.filter((element) => attribute(element, "class")?.split(" ").includes(name));
const read = (...path: string[]) => readFileSync(join(...path), "utf8");
const pages = (folder: string) => readdirSync(folder).filter((name) => !name.startsWith("index"));

/** What a list says of each session, row by row. */
function rowsIn(list: string) {
  return withClass(elementsIn(list), "facts").map((facts) => {
    const [name, ...others] = facts.childNodes;
    const [link] = name && "childNodes" in name ? name.childNodes : [];
    const href = link && "tagName" in link ? attribute(link, "href") : undefined;
    return { href, title: name && textOf(name), facts: others.map(textOf) };
  });
}

test("each session has its page, as its export is, and a row of the list, as sessions are listed", async () => {
  const folder = join(tempDir(), "made", "pages");
  const { code, stdout, stderr } = await runCli(["export", "--all", folder], samples);
  expect([code, stdout, stderr]).toEqual([0, "", `Written: ${folder}/index.html, 13 pages\n`]);
  const { sessions } = (await runJson(["list"], samples)) as SessionList;
  expect(pages(folder)).toEqual(sessions.map(({ id }) => `${id}.html`).toSorted());
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  for (const { id } of sessions) {
    const { stdout: single } = await runCli(["export", id, "--format", "html"], samples);
    const page = read(folder, `${id}.html`)
      .replace(/<meta name="sessiondb-page" content="\w{32}">\n/, "")
      .replace('<a href="index.html">All sessions</a> · ', "");
    expect(page).toBe(single);
  }
  const money = (cost: number) => (cost === 0 ? "" : `$${cost.toFixed(2)}`);
  expect(rowsIn(read(folder, "index.html"))).toEqual(
    sessions.map(({ id, title, project, modifiedAt, messageCount, usage, models }) => ({
      href: `${id}.html`,
      title,
      facts: [
        project.replace("/home/ada", "~"),
        modifiedAt.slice(0, 16).replace("T", " "),
        `${messageCount} messages`,
        money(usage.cost),
        models.join(", "),
      ],
    })),
  );
});

test("prompts lead to where they stand on their pages", async () => {
  const folder = tempDir();
  const agentDir = emptyAgent(tempDir());
  session({ id: "a" })
    .user("one")
    .assistant({ text: "x" })
    .user("two")
    .branchFrom(null)
    .user("three")
    .writeBelow(join(agentDir, "sessions"));
  const array = session({ id: "b" }).user("four").user("five");
  writeFileSync(join(agentDir, "sessions", "b.json"), JSON.stringify([array.header, ...array.entries]));
  await runCli(["export", "--all", folder], { agentDir });
  const links = elementsIn(read(folder, "index.html")).filter((element) =>
    attribute(element, "href")?.includes("#"),
  );
  expect(links.map((link) => [attribute(link, "href"), textOf(link)]).toSorted()).toEqual([
    ["a.html#L2", "one"],
    ["a.html#L4", "two"],
    ["a.html#L5", "three"],
    ["b.html#L1.1", "four"],
    ["b.html#L1.2", "five"],
  ]);
  for (const link of links) {
    const [file = "", place = ""] = attribute(link, "href")?.split("#") ?? [];
    const [target] = elementsIn(read(folder, file)).filter((element) => attribute(element, "id") === place);
    expect(target && textOf(target)).toContain(textOf(link));
  }
});

test("filters are those of a list", async () => {
  for (const argv of [
    ["--since", "2026-11-01"],
    ["--model", "haiku"],
    ["--project", "/home/ada/projects/orchard"],
    ["--named"],
  ]) {
    const folder = tempDir();
    await runCli(["export", "--all", folder, ...argv], samples);
    const { sessions } = (await runJson(["list", ...argv], samples)) as SessionList;
    expect(sessions.length).toBeGreaterThan(0);
    expect(pages(folder)).toEqual(sessions.map(({ id }) => `${id}.html`).toSorted());
  }
  const folder = join(tempDir(), "none");
  const { code, stderr } = await runCli(["export", "--all", folder, "--model", "nosuch"], samples);
  expect([code, existsSync(folder)]).toEqual([0, false]);
  expect(stderr).toContain("No session matches; nothing was written.");
});

test("sessions of sub-agents stand below the one they belong to", async () => {
  const [agentDir, folder] = [emptyAgent(tempDir()), tempDir()];
  const root = join(agentDir, "sessions", "--p--", "2026-11-03T10-00-00-000Z_root");
  const scout = join(root, "0a", "run-0", "session.jsonl");
  session({ id: "scout" }).user("look around").assistant({ text: "seen" }).write(scout);
  session({ id: "root" })
    .user("send them out")
    .assistant({ toolCalls: [{ name: "subagent" }] })
    .toolResult("done", { details: { results: [{ agent: "scout", sessionFile: scout }] } })
    .write(`${root}.jsonl`);
  session({ id: "other" }).user("alone").writeBelow(join(agentDir, "sessions"));
  const { stderr } = await runCli(["export", "--all", folder], { agentDir });
  expect(stderr).toContain("3 pages");
  const list = read(folder, "index.html");
  expect(list).toContain('<p class="where">3 sessions, 1 of sub-agents</p>');
  const families = withClass(elementsIn(list), "session")
    .filter(
      ({ parentNode }) =>
        parentNode && "tagName" in parentNode && attribute(parentNode, "class") === "sessions",
    )
    .map((row) =>
      withClass(elementsOf(row), "facts").map((facts) => facts.childNodes[0] && textOf(facts.childNodes[0])),
    );
  expect(families.toSorted()).toEqual([["alone"], ["send them out", "look around"]]);
});

function elementsOf(row: Element): Element[] {
  return [row, ...row.childNodes.flatMap((node) => ("tagName" in node ? elementsOf(node) : []))];
}

describe("a folder that has pages", () => {
  /** Two sessions, and when each page of the folder was written. */
  async function written() {
    const [dir, folder] = [tempDir(), tempDir()];
    const agentDir = emptyAgent(dir);
    const one = session({ id: "one" }).user("first").assistant({ text: "answer" });
    const two = session({ id: "two" }).user("second");
    const path = one.writeBelow(join(agentDir, "sessions"));
    two.writeBelow(join(agentDir, "sessions"));
    const run = async (...argv: string[]) => {
      const { stderr, code } = await runCli(["export", "--all", folder, ...argv], { agentDir });
      return { told: stderr, code };
    };
    const times = () => pages(folder).map((name) => `${name} ${statSync(join(folder, name)).ino}`);
    return { agentDir, folder, one, path, run, times, first: await run() };
  }

  test("has only those written again that would be others", async () => {
    const { agentDir, folder, one, run, times, first } = await written();
    expect(first.told).toContain("2 pages\n");
    const before = times();
    expect((await run()).told).toContain("0 pages, 2 up to date");
    syncByProgram(agentDir, "--rebuild");
    expect((await run()).told).toContain("0 pages, 2 up to date");
    expect(times()).toEqual(before);
    one.label(one.lastId ?? "", "marked").writeBelow(join(agentDir, "sessions"));
    expect((await run()).told).toContain("1 page, 1 up to date");
    expect(read(folder, "one.html")).toContain("<mark>marked</mark>");
    expect((await run("-z", "Asia/Tokyo")).told).toContain("2 pages\n");
    expect((await run("-z", "Asia/Tokyo", "--reveal")).told).toContain("2 pages\n");
  });

  test("keeps what others have put there, and pages of sessions that are not asked for", async () => {
    const { folder, run } = await written();
    writeFileSync(join(folder, "notes.html"), "mine");
    writeFileSync(join(folder, "index-x.html"), "mine");
    mkdirSync(join(folder, "deep.html"));
    const { told } = await run("--since", "2999-01-01");
    expect(told).toContain("No session matches");
    const again = await run("--role", "assistant");
    expect(again.told).toContain(
      "0 pages, 1 up to date\n1 page of another session is still there; the list does not lead to them.",
    );
    expect(pages(folder)).toEqual(["deep.html", "notes.html", "one.html", "two.html"]);
    expect(read(folder, "index.html")).not.toContain("two.html");
    expect([read(folder, "notes.html"), read(folder, "index-x.html")]).toEqual(["mine", "mine"]);
  });

  test("has no file written over that the command did not write", async () => {
    const { folder, run } = await written();
    writeFileSync(join(folder, "one.html"), "<p>mine</p>");
    rmSync(join(folder, "two.html"));
    const elsewhere = join(tempDir(), "x.html");
    writeFileSync(elsewhere, '<meta name="sessiondb-page" content="abc">');
    symlinkSync(elsewhere, join(folder, "two.html"));
    const { told, code } = await run();
    expect(code).toBe(1);
    expect(told).toContain(`${join(folder, "one.html")} was not written by this command, and stays.`);
    expect(told).toContain(`${join(folder, "two.html")} was not written by this command, and stays.`);
    expect([read(folder, "one.html"), read(elsewhere)]).toEqual([
      "<p>mine</p>",
      '<meta name="sessiondb-page" content="abc">',
    ]);
    writeFileSync(join(folder, "index.html"), "<p>mine</p>");
    const refused = await run();
    expect([refused.code, refused.told]).toEqual([
      2,
      expect.stringContaining("index.html was not written by this command"),
    ]);
  });

  test("has a row without a page for a session whose file cannot be read", async () => {
    const { folder, path, run } = await written();
    rmSync(path);
    rmSync(join(folder, "one.html"));
    const { told, code } = await run("--no-sync");
    expect([code, told]).toEqual([1, expect.stringContaining("the session file cannot be read (ENOENT)")]);
    expect(pages(folder)).toEqual(["two.html"]);
    expect(
      rowsIn(read(folder, "index.html"))
        .map(({ href }) => href)
        .toSorted(),
    ).toEqual(["two.html", undefined]);
  });
});

test("Ctrl-C leaves whole files, and the next run goes on from there", async () => {
  const whole = tempDir();
  await runCli(["export", "--all", whole], samples);
  for (const steps of [1, 4, 9, 17]) {
    const [folder, ctrlC] = [tempDir(), new AbortController()];
    let left = steps;
    const onStep = () => {
      left--;
      if (left === 0) ctrlC.abort();
    };
    const argv = ["export", "--all", folder, "--no-sync"];
    const { code, stderr } = await runCli(argv, { ...samples, ctrlC, onStep });
    const there = readdirSync(folder);
    expect([code, there.length < 14]).toEqual([130, true]);
    const many = there.length === 1 ? "1 page" : `${there.length} pages`;
    expect(stderr).toBe(
      `error: interrupted; ${many} written, but not the list of them; the next run goes on with the others.\n`,
    );
    for (const name of there) expect(read(folder, name)).toBe(read(whole, name));
    const { stderr: told } = await runCli(argv, samples);
    expect(told).toContain(there.length === 0 ? "13 pages\n" : `, ${there.length} up to date`);
    expect(readdirSync(folder)).toEqual(readdirSync(whole));
  }
});

test("F1: pages are called by ids that are names, and others by a number that stays the same", async () => {
  const [agentDir, folder] = [emptyAgent(tempDir()), join(tempDir(), "pages")];
  const ids = [
    "../../evil",
    "index",
    "CON",
    ".hidden",
    "a/b",
    "x".repeat(300),
    "twice",
    "twice",
    "Twice",
    "plain",
  ];
  for (const [at, id] of ids.entries())
    session({ id })
      .user(`I am ${at}`)
      .write(join(agentDir, "sessions", `${at}.jsonl`));
  expect((await runCli(["export", "--all", folder], { agentDir })).stderr).toContain("10 pages");
  const names = pages(folder);
  expect(names.filter((name) => /^session-\w{12}\.html$/.test(name))).toHaveLength(6);
  expect(names.filter((name) => /^twice-\w{12}\.html$/i.test(name))).toHaveLength(3);
  expect(names).toContain("plain.html");
  expect(names).toHaveLength(10);
  for (const { href, title } of rowsIn(read(folder, "index.html")))
    expect(read(folder, href ?? "")).toContain(title);
  expect((await runCli(["export", "--all", folder], { agentDir })).stderr).toContain(
    "0 pages, 10 up to date",
  );
  expect(readdirSync(join(folder, ".."))).toEqual(["pages"]);
});

test("F1, I-10: pages are never written among the session files", async () => {
  const sessions = join(samples.agentDir, "sessions");
  const { code, stderr } = await runCli(["export", "--all", join(sessions, "pages")], samples);
  expect([code, existsSync(join(sessions, "pages")), stderr]).toEqual([
    2,
    false,
    expect.stringContaining("inside a sessions folder"),
  ]);
});

test("what makes no sense together is refused before anything is written", async () => {
  const folder = join(tempDir(), "pages");
  for (const argv of [
    ["latest", "--all", folder],
    ["--all", folder, "-o", "x.html"],
    ["--all", folder, "--branch", "x"],
    ["--all", folder, "--format", "md"],
    ["--all", "-"],
    ["latest", "--since", "7d"],
  ])
    expect([argv, (await runCli(["export", ...argv], samples)).code]).toEqual([argv, 2]);
  expect(existsSync(folder)).toBe(false);
  writeFileSync(folder, "a file");
  expect((await runCli(["export", "--all", folder], samples)).code).toBe(1);
});

test("F10: the list runs its own script alone, whatever sessions and prompts are called", async () => {
  const [agentDir, folder] = [emptyAgent(tempDir()), tempDir()];
  for (const [at, payload] of HTML_PAYLOADS.entries())
    session({ id: `${at}`, cwd: `/tmp/${payload}` })
      .user(payload)
      .assistant({ text: payload, model: payload })
      .user(`other ${payload}`)
      .name(payload)
      .write(join(agentDir, "sessions", `${at}.jsonl`));
  await runCli(["export", "--all", folder], { agentDir });
  const elements = elementsIn(read(folder, "index.html"));
  const scripts = elements.filter(({ tagName }) => tagName === "script");
  const hash = createHash("sha256").update(scripts.map(textOf).join()).digest("base64");
  const policy = elements
    .map((element) => attribute(element, "content"))
    .find((content) => content?.startsWith("default-src"));
  expect([scripts.length, policy]).toEqual([
    1,
    expect.stringContaining(`script-src 'sha256-${hash}'; base-uri`),
  ]);
  expect(policy).not.toContain("unsafe");
  const names = new Set(elements.map(({ tagName }) => tagName));
  for (const name of ["iframe", "img", "object", "svg", "base", "link", "form", "template", "math"])
    expect(names).not.toContain(name);
  const attributes = new Set(elements.flatMap(({ attrs }) => attrs.map(({ name }) => name)));
  expect([...attributes].filter((name) => /^on|^style$|^src/.test(name))).toEqual([]);
  for (const element of elements) {
    const href = attribute(element, "href");
    if (href !== undefined) expect(href).toMatch(/^\d+\.html(?:#L\d+)?$/);
  }
});

test("secrets are masked in the list and on every page, unless they are to be revealed", async () => {
  const agentDir = emptyAgent(tempDir());
  session({ id: "one", cwd: `/tmp/${TOKEN}` })
    .name(`about ${TOKEN}`)
    .user(`my ${TOKEN}`)
    .assistant({ model: TOKEN })
    .writeBelow(join(agentDir, "sessions"));
  const text = async (...argv: string[]) => {
    const folder = tempDir();
    const { stderr } = await runCli(["export", "--all", folder, ...argv], { agentDir });
    return {
      stderr,
      all: readdirSync(folder)
        .map((name) => read(folder, name))
        .join(""),
    };
  };
  const masked = await text();
  expect([masked.all.includes(TOKEN.slice(8)), masked.stderr]).toEqual([
    false,
    expect.stringMatching(/\d secrets masked; --reveal leaves them in\./),
  ]);
  expect((await text("--reveal")).all.split(TOKEN).length).toBeGreaterThan(4);
});

test("a list of more than ten thousand sessions is several, and parts no family", () => {
  const row = (at: number, subagents: ListedPage[] = []): ListedPage => {
    const about = { title: `title ${at}`, project: "", time: "", messages: "", cost: "", models: "" };
    return { file: `${at}.html`, fileId: at, ...about, subagents };
  };
  const rows = [...Array.from({ length: 9_999 }, (_, at) => row(at)), row(9_999, [row(10_000)]), row(10_001)];
  const lists = listPagesOf(rows, { clean: new Cleaner({ reveal: false }), promptsOf: () => [] }).map(
    ({ file, pieces }) => ({ file, text: [...pieces].join("") }),
  );
  expect(lists.map(({ file, text }) => [file, text.match(/title \d+/g)?.length])).toEqual([
    ["index.html", 9_999],
    ["index-2.html", 3],
  ]);
  expect(lists[0]?.text).toContain('<p class="pages">Page <b>1</b> <a href="index-2.html">2</a></p>');
  expect(lists[1]?.text).toContain('<p class="where">10,002 sessions, 1 of sub-agents</p>');
});
