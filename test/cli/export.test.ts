import { createHash } from "node:crypto";
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type DefaultTreeAdapterTypes, parse, serializeOuter } from "parse5";
import { describe, expect, test, vi } from "vitest";
import { SessionManager } from "../../src/session/session-manager.ts";
import { SessionNodes } from "../../src/store/tables/entry-nodes.ts";
import { HTML_PAYLOADS } from "../helpers/html-payloads.ts";
import { writeWithLongLine } from "../helpers/long-line.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, sampleAgent, takeIn } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());
const samples = { agentDir };
const BRANCHED = "01a1221b";
/** In two pieces, so that nobody takes this file for one that holds a secret. */
const TOKEN = `ghp_${"Zk3rT9vQ1xW7bN5mL2pH8sD4fG6jK0aYcE1u"}`;
const PASSWORD = `Xk29${"vQpL8rTz5mWn"}`;

type Element = DefaultTreeAdapterTypes.Element;

/** Every element of a page in document order, as a browser would build them. */
function elementsOf(page: string): Element[] {
  const found: Element[] = [];
  const waiting: DefaultTreeAdapterTypes.Node[] = [parse(page)];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if ("tagName" in node) found.push(node);
    if ("childNodes" in node) waiting.push(...node.childNodes.toReversed());
    if ("content" in node) waiting.push(node.content);
  }
  return found;
}

function attributesOf(elements: readonly Element[], name?: string): { name: string; value: string }[] {
  return elements
    .flatMap(({ attrs }) => attrs)
    .filter((attribute) => name === undefined || attribute.name === name);
}

function textOf(node: DefaultTreeAdapterTypes.ChildNode): string {
  if ("value" in node) return node.value;
  return "childNodes" in node ? node.childNodes.map(textOf).join("") : "";
}

/** Says a text in every place a session has for one. */
function saying(text: string): SessionBuilder {
  const call = { name: text, arguments: { path: text, [text]: text, lines: `a\n${text}` } };
  return session({ cwd: `/tmp/${text}` })
    .modelChange(text, text)
    .name(text)
    .user(text)
    .assistant({ text, thinking: text, toolCalls: [call], model: text, errorMessage: text })
    .toolResult(`${text}\n${text}`, { toolName: text })
    .user([{ type: "image", data: `" onerror="pwned()`, mimeType: text }])
    .user([{ type: "image", data: `${text}" onerror="pwned()`, mimeType: "image/png" }])
    .user([{ type: "image", data: "PHN2Zz4=", mimeType: "image/svg+xml" }])
    .bash(text, text, { exitCode: 1 })
    .customMessage(text, text)
    .hookMessage(text, text)
    .compaction(text)
    .branchSummary(text)
    .usage(text, { note: text })
    .system(text)
    .entry(text, { anything: text })
    .user("end", { id: text })
    .label(text, text)
    .branchFrom(null)
    .user(text);
}

async function pageOf(built: SessionBuilder, ...argv: string[]): Promise<string> {
  const agentDir = emptyAgent(tempDir());
  built.write(join(agentDir, "sessions", "project", "one.jsonl"));
  const { stdout, code } = await runCli(["export", "latest", "--format", "html", ...argv], { agentDir });
  expect(code).toBe(0);
  return stdout;
}

describe("a page", () => {
  test.each(HTML_PAYLOADS)("F10: runs nothing and loads nothing from a transcript: %j", async (payload) => {
    const page = await pageOf(saying(payload));
    const elements = elementsOf(page);
    const names = new Set(elements.map(({ tagName }) => tagName));
    for (const name of ["script", "iframe", "object", "embed", "base", "link", "form", "template", "math"]) {
      expect(names).not.toContain(name);
    }
    expect(elements.filter(({ tagName }) => tagName === "style")).toHaveLength(1);
    expect(elements.filter(({ tagName }) => tagName === "meta")).toHaveLength(6);
    const attributes = new Set(attributesOf(elements).map(({ name }) => name));
    expect([...attributes].filter((name) => /^on|^style$|^srcdoc$|^srcset$|^action$/.test(name))).toEqual([]);
    for (const { value } of attributesOf(elements, "href")) expect(value).toMatch(/^(?:#L\d+$|https?:\/\/)/);
    for (const { value } of attributesOf(elements, "src"))
      expect(value).toMatch(/^data:image\/(png|jpeg|gif|webp);base64,[\w+/]+=*$/);
  });

  test("is one body with everything in it, whatever was said", async () => {
    for (const payload of HTML_PAYLOADS) {
      const [html] = elementsOf(await pageOf(saying(payload))).filter(({ tagName }) => tagName === "html");
      const names = html?.childNodes.map(({ nodeName }) => nodeName);
      expect(names).toEqual(["head", "#text", "body"]);
    }
  });

  test("F10: forbids itself everything but its own style and pictures", async () => {
    const { stdout } = await runCli(["export", BRANCHED, "--format", "html"], samples);
    const elements = elementsOf(stdout);
    const [style] = elements.filter(({ tagName }) => tagName === "style");
    const text = style?.childNodes.map(textOf).join("") ?? "";
    const hash = createHash("sha256").update(text).digest("base64");
    const policies = attributesOf(elements, "content").map(({ value }) => value);
    expect(policies).toContain(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`,
    );
  });

  test("holds every text of every branch, and folds the branch that was left", async () => {
    const { stdout } = await runCli(["export", BRANCHED, "--format", "html"], samples);
    const elements = elementsOf(stdout);
    const text = elements
      .filter(({ tagName }) => tagName === "main")
      .map(textOf)
      .join("");
    expect(text).toContain("As expected the table is missing");
    expect(text).toContain("OK, that grew too big");
    const [fold] = elements.filter((element) =>
      attributesOf([element], "class").some(({ value }) => value === "branch"),
    );
    expect(fold && textOf(fold)).toContain(
      "Another branch: 8 entries · $0.03 · It does, there's a nightly backup",
    );
    expect(fold && textOf(fold)).not.toContain("OK, that grew too big");
    const ids = attributesOf(elements, "id").map(({ value }) => value);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { value } of attributesOf(elements, "href"))
      if (value.startsWith("#")) expect(ids).toContain(value.slice(1));
  });

  test("of a session that stands in one line leads to each of its entries", async () => {
    const agentDir = emptyAgent(tempDir());
    const built = session().user("one").assistant({ text: "two" }).user("three").assistant({ text: "four" });
    writeFileSync(join(agentDir, "sessions", "one.json"), JSON.stringify([built.header, ...built.entries]));
    const { stdout } = await runCli(["export", "latest", "--format", "html"], { agentDir });
    const elements = elementsOf(stdout);
    const saidAt = new Map(
      elements.flatMap((element) =>
        attributesOf([element], "id").map(({ value }) => [`#${value}`, textOf(element)]),
      ),
    );
    expect([...saidAt.keys()]).toEqual(["#L1.1", "#L1.2", "#L1.3", "#L1.4"]);
    const shown = await runCli(["show", "latest:1.3", "--context", "0"], { agentDir });
    expect([shown.stdout.includes("three"), saidAt.get("#L1.3")?.includes("three")]).toEqual([true, true]);
    const nav = elements.filter(({ tagName }) => tagName === "nav");
    const items = nav.flatMap((each) =>
      elementsOf(serializeOuter(each)).filter(({ tagName }) => tagName === "a"),
    );
    expect(items.map(textOf)).toEqual(["one", "three"]);
    for (const item of items) {
      const [link] = attributesOf([item], "href");
      expect(saidAt.get(link?.value ?? "")).toContain(textOf(item));
    }
    const links = attributesOf(elements, "href").map(({ value }) => value);
    expect(links.filter((link) => !saidAt.has(link))).toEqual([]);
  });

  test("of one branch holds that alone", async () => {
    const argv = ["export", BRANCHED, "--branch", "0de3fc84", "--format", "html"];
    const { stdout } = await runCli(argv, samples);
    expect(stdout).toContain("As expected the table is missing");
    expect(stdout).not.toContain("OK, that grew too big");
    const elements = elementsOf(stdout);
    const ids = attributesOf(elements, "id").map(({ value }) => `#${value}`);
    const links = attributesOf(elements, "href").map(({ value }) => value);
    expect(links.filter((link) => link.startsWith("#") && !ids.includes(link))).toEqual([]);
    const bars = elements.filter(({ tagName }) => tagName === "rect").map(textOf);
    expect(bars).toEqual([
      expect.stringContaining("Every morning"),
      expect.stringContaining("It does, there"),
    ]);
  });

  test("plots tokens where nothing has cost anything", async () => {
    const page = await pageOf(
      session()
        .user("one")
        .assistant({ usage: { input: 5, output: 2, cost: { total: 0 } } })
        .user("two"),
    );
    expect(page).toContain('aria-label="Tokens of each turn"');
  });

  test("begins with its prompts and labels, to jump to, where there are several", async () => {
    const { stdout } = await runCli(["export", BRANCHED, "--format", "html"], samples);
    const [nav] = elementsOf(stdout).filter(({ tagName }) => tagName === "nav");
    const contents = nav === undefined ? "" : textOf(nav);
    expect(contents).toContain("Every morning I have to sign in again");
    expect(contents).toContain("cause found");
    expect(elementsOf(await pageOf(session().user("one"))).map(({ tagName }) => tagName)).not.toContain(
      "nav",
    );
  });

  test("folds long output, unless it tells of a failure, and says so in words", async () => {
    const lines = "one\ntwo";
    const page = await pageOf(
      session()
        .user("go")
        .assistant({ toolCalls: [{ name: "bash" }] })
        .toolResult(lines)
        .assistant({ toolCalls: [{ name: "bash" }] })
        .toolResult(lines, { isError: true })
        .assistant({ toolCalls: [{ name: "bash" }] })
        .toolResult("no such file", { isError: true }),
    );
    const summary = (facts: string) => `<summary><b>bash</b>${facts}<small> · 2 lines</small></summary>`;
    const failed = '<small> · <span class="error">failed</span></small>';
    expect(page).toContain(`<details class="call">${summary("")}<div class="result" id="L4">`);
    expect(page).toContain(`<details class="call" open>${summary(failed)}<div class="result" id="L6">`);
    expect(page).toContain(
      `<b>bash</b>${failed}</p><div class="result error" id="L8"><code>no such file</code>`,
    );
  });

  test("plots what each turn has cost, and how it added up", async () => {
    const { stdout } = await runCli(["export", BRANCHED, "--format", "html"], samples);
    const elements = elementsOf(stdout);
    const labels = attributesOf(
      elements.filter(({ tagName }) => tagName === "svg"),
      "aria-label",
    );
    expect(labels.map(({ value }) => value)).toEqual(["Cost of each turn"]);
    const bars = elements.filter(({ tagName }) => tagName === "rect").map((bar) => textOf(bar));
    expect(bars).toHaveLength(4);
    expect(bars[0]).toMatch(/^Turn 1 · \$0\.08 · Every morning/);
    const axes = elements.filter((each) => attributesOf([each], "class")[0]?.value.startsWith("axis"));
    expect(axes.map((axis) => axis.childNodes.map(textOf).join(" "))).toEqual(["$0.08 0", "$0.14 0"]);
  });

  test("has one heading of the first level, below it one for each entry that somebody said", async () => {
    const elements = elementsOf(
      await pageOf(session().name("named").user("# one").assistant().bash("ls", "a")),
    );
    const headings = elements.filter(({ tagName }) => /^h\d$/.test(tagName));
    expect(headings.map((heading) => [heading.tagName, textOf(heading).split(/\d/)[0]])).toEqual([
      ["h1", "named"],
      ["h2", "user"],
      ["h3", "one"],
      ["h2", "assistant"],
      ["h2", "you ran"],
    ]);
  });

  test("is written from right to left where it says so: title, contents, texts, thoughts, what was left", async () => {
    const left = session().user("مرحبا").branchFrom(null);
    const built = left.name("שלום").user("مرحبا").assistant({ thinking: "שלום" }).user("`x` 1. مرحبا");
    const elements = elementsOf(await pageOf(built));
    const written = elements.filter((element) => attributesOf([element], "dir").length > 0);
    expect(written.map(({ tagName }) => tagName)).toEqual(["h1", "a", "p", "p", "pre", "p"]);
    expect(elements.filter(({ tagName }) => tagName === "bdi").map(textOf)).toEqual(["مرحبا", "שלום"]);
  });

  test("gives the links of a plot to whoever cannot see it", async () => {
    const { stdout } = await runCli(["export", BRANCHED, "--format", "html"], samples);
    const plots = elementsOf(stdout).filter(({ tagName }) => tagName === "svg");
    const hasLinks = (plot: Element) =>
      elementsOf(serializeOuter(plot)).some(({ tagName }) => tagName === "a");
    expect(plots.map((plot) => [attributesOf([plot], "role")[0]?.value, hasLinks(plot)])).toEqual([
      ["group", true],
    ]);
  });

  test("shows the pictures of a session", async () => {
    const data =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const page = await pageOf(session().user([{ type: "image", data, mimeType: "image/png" }]));
    expect(attributesOf(elementsOf(page), "src").map(({ value }) => value)).toEqual([
      `data:image/png;base64,${data}`,
    ]);
  });

  test("folds what was left without a walk through the session for each fold", async () => {
    const steps = vi.spyOn(SessionNodes.prototype, "parentOf");
    const left = session().user("first");
    for (let i = 0; i < 200; i++) {
      const { lastId } = left;
      left.user(`left ${i}`).branchFrom(lastId).user(`on ${i}`);
    }
    const page = await pageOf(left);
    expect(page.split("Another branch: 1 entry · <bdi>left ")).toHaveLength(201);
    expect(steps.mock.calls.length).toBeLessThan(10 * 400);
  });

  test("ends for cycles, and for branches within branches", async () => {
    const knotted = session()
      .user("first", { id: "a", parentId: "b" })
      .user("second", { id: "b", parentId: "a" });
    for (let i = 0; i < 300; i++) {
      const { lastId } = knotted;
      knotted.user(`left ${i}`).branchFrom(lastId).user(`deeper ${i}`);
    }
    const page = await pageOf(knotted);
    for (const text of ["first", "second", "left 299", "deeper 299"])
      expect(page).toContain(`<p>${text}</p>`);
    expect(page.split('<details class="branch">').length).toBe(page.split("</details>\n").length);
  });
});

describe("secrets", () => {
  const holder = () =>
    session()
      .user(`my token is ${TOKEN}`)
      .assistant({
        text: "ok",
        toolCalls: [{ name: "bash", arguments: { command: `curl -H "Authorization: Bearer ${TOKEN}"` } }],
      })
      .toolResult(`GITHUB_TOKEN=${TOKEN}`)
      .name(`about ${TOKEN}`);

  test.each(["md", "html", "jsonl"])("are masked in %s, and said to be", async (format) => {
    const agentDir = emptyAgent(tempDir());
    holder().writeBelow(join(agentDir, "sessions"));
    const masked = await runCli(["export", "latest", "--format", format], { agentDir });
    expect(masked.stdout).not.toContain(TOKEN.slice(4));
    expect(masked.stdout).toContain("masked");
    expect(masked.stderr).toMatch(/\d+ secrets masked; --reveal leaves them in\./);
    const revealed = await runCli(["export", "latest", "--format", format, "--reveal"], { agentDir });
    expect(revealed.stdout).toContain(TOKEN);
    expect(revealed.stderr).toBe("");
  });
});

test("a single secret is said to be masked too", async () => {
  const agentDir = emptyAgent(tempDir());
  session().name("one").user(`my token is ${TOKEN}`).writeBelow(join(agentDir, "sessions"));
  const { stderr } = await runCli(["export", "latest"], { agentDir });
  expect(stderr).toBe("1 secret masked; --reveal leaves them in.\n");
});

describe("jsonl", () => {
  test("is the session file, byte for byte where nothing is masked", async () => {
    for (const id of [BRANCHED, "01a1a830", "01a17d8d"]) {
      const { stdout } = await runCli(["export", id, "--format", "jsonl"], samples);
      const { stdout: shown } = await runCli(["show", id, "--json"], samples);
      const { path } = (JSON.parse(shown) as { session: { path: string } }).session;
      expect(stdout).toBe(readFileSync(path, "utf8"));
    }
  });

  test("leaves lines as they stand: numbers and blanks of the header, line ends, bytes that are no UTF-8", async () => {
    const agentDir = emptyAgent(tempDir());
    const linesAround = (secret: string) =>
      [
        '{"type":"session", "version":3.0,"id":"odd","timestamp":"2026-11-01T00:00:00Z","cwd":"/","n":12345678901234567890}',
        '\n{"type":"message","id":"a","parentId":null,"n":1.0,"message":{"role":"user","content":"one"}}',
        `\r\n{"type":"message","id":"b","parentId":"a","message":{"role":"user","content":"${secret}"}}`,
        '\r\n{"type":"message","id":"c","parentId":"b","message":{"role":"user","content":"caf\xe9"}}\n',
      ].join("");
    const [file, target] = [join(agentDir, "sessions", "odd.jsonl"), join(agentDir, "copy.jsonl")];
    writeFileSync(file, linesAround(TOKEN), "latin1");
    await runCli(["export", "odd", "--reveal", "-o", target], { agentDir });
    expect(readFileSync(target, "latin1")).toBe(linesAround(TOKEN));
    await runCli(["export", "odd", "-o", target], { agentDir });
    expect(readFileSync(target, "latin1")).toBe(linesAround("[masked GitHub token]"));
  });

  test("masks secrets in lines of any shape, says how many, and leaves all else of them as it stands", async () => {
    const agentDir = emptyAgent(tempDir());
    const file = join(agentDir, "sessions", "any.jsonl");
    const deep = `${"[".repeat(10_000)}"TOKEN"${"]".repeat(10_000)}`;
    const linesAround = (token: string, password: string) =>
      [
        '{"type":"session","version":3,"id":"any","timestamp":"2026-11-01T00:00:00Z","cwd":"/"}',
        `{"type":"custom","id":"a","parentId":null,"data":{"password":"${password}","tokenPrice":1.23456789e-7}}`,
        `{"type":"custom","id":"b","parentId":"a","data":${deep.replace("TOKEN", token)}}`,
        `{"type":"custom","id":"c","parentId":"b","data":{"k":"${token}","n":12345678901234567890,"m":1.10,"e":1e400,"x":1,"x":2,"s":"\\u00e9\\/"}}\n`,
      ].join("\n");
    writeFileSync(file, linesAround(TOKEN, PASSWORD));
    const { stdout, stderr } = await runCli(["export", "any", "--format", "jsonl"], { agentDir });
    expect(stdout).toBe(linesAround("[masked GitHub token]", "[masked secret]"));
    expect(stderr).toContain("3 secrets masked");
  });

  test("F8: gives a terminal nothing to obey, and a pipe every character", async () => {
    const agentDir = emptyAgent(tempDir());
    const evil = "\x1b[2J\u007f\u009b31m\u202e\r fine";
    const path = join(agentDir, "sessions", "evil.jsonl");
    session({ id: "evil", cwd: `/${evil}` })
      .user(evil)
      .write(path);
    const whole = readFileSync(path, "utf8").replace(',"', ',\r"');
    writeFileSync(path, whole);
    const { stdout } = await runCli(["export", "evil", "--format", "jsonl"], { agentDir, columns: 80 });
    expect(stdout).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e]/u);
    const values = (text: string) =>
      text
        .split("\n")
        .filter(Boolean)
        .map((line): unknown => JSON.parse(line));
    expect(values(stdout)).toEqual(values(whole));
    expect((await runCli(["export", "evil", "--format", "jsonl"], { agentDir })).stdout).toBe(whole);
  });

  test("is whole however long it is, in a file and on standard output", async () => {
    const agentDir = emptyAgent(tempDir());
    const built = session({ id: "long" });
    for (let n = 0; n < 300; n++) built.user(`${n} ${"word ".repeat(600)}`);
    const path = built.writeBelow(join(agentDir, "sessions"));
    const target = join(agentDir, "copy.jsonl");
    await runCli(["export", "long", "-o", target], { agentDir });
    const { stdout } = await runCli(["export", "long", "--format", "jsonl"], { agentDir });
    const whole = readFileSync(path, "utf8");
    expect([readFileSync(target, "utf8") === whole, stdout === whole]).toEqual([true, true]);
  });

  test("of a session that is one JSON array is a session file, a line an entry, and knows its parent", async () => {
    const agentDir = emptyAgent(tempDir());
    const built = session({ id: "array", parentSession: "/x/parent.jsonl" }).user("hi").assistant();
    built.write(join(agentDir, "sessions", "one.json"));
    const { stdout } = await runCli(["export", "array", "--format", "jsonl"], { agentDir });
    const [header, ...entries] = stdout
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(header).toMatchObject({ type: "session", id: "array", parentSession: "/x/parent.jsonl" });
    expect(entries).toEqual(built.entries);
  });

  test("is a session that opens, of one branch where one is asked for", async () => {
    const target = join(tempDir(), "branch.jsonl");
    await runCli(["export", BRANCHED, "--branch", "0de3fc84", "-o", target], samples);
    const texts = JSON.stringify(SessionManager.open(target).getEntries());
    expect(texts).toContain("As expected the table is missing");
    expect(texts).not.toContain("OK, that grew too big");
  });
});

describe("markdown", () => {
  test("has everything that was said on the branch, in fences that hold", async () => {
    const agentDir = emptyAgent(tempDir());
    session()
      .user("run it")
      .assistant({ toolCalls: [{ name: "bash", arguments: { command: "cat README.md" } }] })
      .toolResult("````\nfence\n````\n# no heading")
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["export", "latest"], { agentDir });
    expect(stdout).toMatch(/^# run it\n/);
    expect(stdout).toContain("**bash** `cat README.md`");
    expect(stdout).toContain("`````\n````\nfence\n````\n# no heading\n`````");
  });

  test("has output with very many empty lines in it, without those at its end", async () => {
    const agentDir = emptyAgent(tempDir());
    const lines = "\n".repeat(600_000);
    session().user("look").toolResult(`a${lines}b${lines}`).writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["export", "latest"], { agentDir });
    expect(stdout.endsWith(`\`\`\`\na${lines}b\n\`\`\`\n`)).toBe(true);
  });

  test("has what a text begins with as far to the right as it was, without blank lines around it", async () => {
    const agentDir = emptyAgent(tempDir());
    session()
      .user(" \n\n    if x:\n        y()\n \n")
      .assistant({ thinking: "\n  - one\n  - two\n\n", text: "  - three\n  - four\n" })
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["export", "latest"], { agentDir });
    expect(stdout).toMatch(/^## user[^\n]*\n\n {4}if x:\n {8}y\(\)\n\n## assistant/m);
    expect(stdout).toMatch(/\n>\n> {3}- one\n> {3}- two\n\n {2}- three\n {2}- four\n$/);
  });

  test("has a text that begins with millions of blank lines", async () => {
    const agentDir = emptyAgent(tempDir());
    session()
      .user(`${"\n".repeat(5_000_000)}  pear`)
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["export", "latest"], { agentDir });
    expect(stdout).toMatch(/\n\n {2}pear\n$/);
  });

  test("goes on after an answer that ended within a fence", async () => {
    const agentDir = emptyAgent(tempDir());
    session()
      .user("code?")
      .assistant({ text: "```js\nlet x" })
      .user("and then?")
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["export", "latest"], { agentDir });
    expect(stdout).toMatch(/```js\nlet x\n```\n\n## user/);
  });

  test("quotes what was thought, keeps backticks of a command, and counts the branches it leaves out", async () => {
    const agentDir = emptyAgent(tempDir());
    const command = "`date`";
    session()
      .user("when?")
      .assistant({ thinking: "first\n\nthen", toolCalls: [{ name: "bash", arguments: { command } }] })
      .writeBelow(join(agentDir, "sessions"));
    const { stdout } = await runCli(["export", "latest"], { agentDir });
    expect(stdout).toContain("> first\n>\n> then\n");
    expect(stdout).toContain("**bash** `` `date` ``\n");
    expect(stdout).not.toContain("not shown");
    const one = await runCli(["export", BRANCHED, "--branch", "0de3fc84"], samples);
    expect(one.stdout).toContain("As expected the table is missing");
    expect(one.stdout).not.toContain("OK, that grew too big");
    const branched = await runCli(["export", BRANCHED], samples);
    expect(branched.stdout).toMatch(/^## assistant · .* · \*\*cause found\*\*$/m);
    expect(branched.stdout).toMatch(/\n---\n\n\*1 other branch not shown\.\*\n$/);
  });
});

describe("the head of an export", () => {
  const headOf = async (agentDir: string, id: string): Promise<string> => {
    const { stdout } = await runCli(["export", id], { agentDir });
    return stdout.split("\n##")[0] ?? "";
  };

  test("says what there is to say of the session, and no more", async () => {
    const agentDir = emptyAgent(tempDir());
    const plain = session({ id: "plain", timestamp: "2026-11-01T10:00:00Z" }).user("hello");
    plain.writeBelow(join(agentDir, "sessions"));
    expect(await headOf(agentDir, "plain")).toBe(
      "# hello\n\n- Project: `~/project`\n- Session: plain\n- Time: 2026-11-01 10:00 (UTC)\n- Messages: 1\n",
    );
  });

  test("names what was spent before a fork, and how many branches there are", async () => {
    const agentDir = emptyAgent(tempDir());
    const parent = session({ id: "parent" })
      .user("one")
      .assistant({ usage: { input: 1, cost: { total: 1 } } });
    const fork = parent.fork({ id: "fork" });
    fork.user("two").assistant({ usage: { input: 1, cost: { total: 2 } } });
    for (const each of [parent, fork]) each.writeBelow(join(agentDir, "sessions"));
    expect(await headOf(agentDir, "fork")).toContain("- Cost: $3.00, $1.00 of it before the fork\n");
    expect(await headOf(agentDir, "parent")).not.toContain("before the fork");
    expect(await headOf(samples.agentDir, BRANCHED)).toContain("- Branches: 2\n");
  });
});

describe("A29: a line too long to read", () => {
  const agentDir = emptyAgent(sharedTempDir());
  writeWithLongLine(join(agentDir, "sessions", "a.jsonl"), 600 * 1024 * 1024);

  test.each(["md", "html"])("is named in %s", async (format) => {
    const { code, stdout } = await runCli(["export", "a", "--branch", ":3", "--format", format], {
      agentDir,
    });
    expect([code, stdout.includes("Line 3 is too long to show: 629 MB.")]).toEqual([0, true]);
  });

  test("is the end of an export as jsonl, which says so and leaves no file", async () => {
    const target = join(tempDir(), "a.jsonl");
    const { code, stderr } = await runCli(["export", "a", "-o", target], { agentDir });
    expect([code, stderr.includes("line 3 is too long to export. It is 629 MB long.")]).toEqual([1, true]);
    expect(existsSync(target)).toBe(false);
  });
});

describe("a file that was written anew since it was indexed", () => {
  const indexed = async () => {
    const agentDir = emptyAgent(tempDir());
    const built = session({ id: "moved" }).user("first").user(`my token is ${TOKEN}`);
    const path = built.writeBelow(join(agentDir, "sessions"));
    await takeIn({ agentDir });
    return { agentDir, path };
  };

  test.each([
    ["whose lines have moved", (whole: string) => whole.replace("first", "the very first")],
    ["that ends earlier", (whole: string) => whole.slice(0, whole.indexOf(TOKEN) + 20)],
  ])("is no copy as jsonl: one %s", async (_how, rewrite) => {
    const { agentDir, path } = await indexed();
    writeFileSync(path, rewrite(readFileSync(path, "utf8")));
    const target = join(tempDir(), "copy.jsonl");
    const { code, stderr } = await runCli(["export", "moved", "-o", target, "--no-sync"], { agentDir });
    expect([code, stderr]).toEqual([1, "error: the session file has changed; try again.\n"]);
    expect(existsSync(target)).toBe(false);
    const { stdout } = await runCli(["export", "moved", "--format", "jsonl", "--no-sync"], { agentDir });
    expect(stdout).not.toContain(TOKEN.slice(0, 20));
  });

  test.each(["md", "html"])("is said in %s to have changed, line by line", async (format) => {
    const { agentDir, path } = await indexed();
    writeFileSync(path, readFileSync(path, "utf8").replace("first", "the very first"));
    const { stdout } = await runCli(["export", "moved", "--format", format, "--no-sync"], { agentDir });
    expect(stdout.match(/Line \d has changed\./g)).toEqual(["Line 2 has changed.", "Line 3 has changed."]);
  });
});

describe("the file", () => {
  test("F6: is for its owner only, takes its format from its name, and replaces what was there", async () => {
    const dir = tempDir();
    for (const [name, beginning] of [
      ["a.html", "<!doctype html>"],
      ["a.md", "# "],
      ["a.jsonl", '{"type":"session"'],
    ] as const) {
      const target = join(dir, name);
      writeFileSync(target, "old", { mode: 0o644 });
      expect((await runCli(["export", BRANCHED, "-o", target], samples)).code).toBe(0);
      expect(statSync(target).mode & 0o777).toBe(0o600);
      expect(readFileSync(target, "utf8").startsWith(beginning)).toBe(true);
    }
    expect(readdirSync(dir).toSorted()).toEqual(["a.html", "a.jsonl", "a.md"]);
  });

  test("takes its format from endings in capitals and short ones too, and - is standard output", async () => {
    const dir = tempDir();
    for (const name of ["a.HTM", "b.Html"]) {
      await runCli(["export", BRANCHED, "-o", join(dir, name)], samples);
      expect(readFileSync(join(dir, name), "utf8")).toMatch(/^<!doctype html>/);
    }
    const { stdout } = await runCli(["export", BRANCHED, "-o", "-"], { ...samples, cwd: dir });
    expect([stdout.slice(0, 2), readdirSync(dir).length]).toEqual(["# ", 2]);
  });

  test("F1, I-10: is never written among the session files", async () => {
    const target = join(agentDir, "sessions", "x.jsonl");
    const { code, stderr } = await runCli(["export", BRANCHED, "-o", target], samples);
    expect([code, existsSync(target)]).toEqual([2, false]);
    expect(stderr).toContain("is inside a sessions folder");
  });

  test("F1, I-10: is never written among the session files by way of a link", async () => {
    const link = join(tempDir(), "link");
    symlinkSync(join(agentDir, "sessions"), link);
    const { code } = await runCli(["export", BRANCHED, "-o", join(link, "x.jsonl")], samples);
    expect([code, existsSync(join(agentDir, "sessions", "x.jsonl"))]).toEqual([2, false]);
  });

  test("is written where a link leads, also where nothing is yet, but not among the session files", async () => {
    const dir = tempDir();
    const link = join(dir, "link.md");
    symlinkSync("new.md", link);
    expect((await runCli(["export", BRANCHED, "-o", link], samples)).code).toBe(0);
    expect([readlinkSync(link), existsSync(join(dir, "new.md"))]).toEqual(["new.md", true]);
    const among = join(dir, "among.md");
    symlinkSync(join(agentDir, "sessions", "new.md"), among);
    expect((await runCli(["export", BRANCHED, "-o", among], samples)).code).toBe(2);
    const circle = join(dir, "circle.md");
    symlinkSync("circle.md", circle);
    const { code, stderr } = await runCli(["export", BRANCHED, "-o", circle], samples);
    expect([code, stderr]).toEqual([1, expect.stringContaining("cannot be written (ELOOP)")]);
  });

  test("F1, I-10: is never written among session files that a link leads to", async () => {
    const dir = tempDir();
    const folder = emptyAgent(dir);
    session({ id: "one" })
      .user("hi")
      .write(join(dir, "real", "one.jsonl"));
    symlinkSync(join(dir, "real"), join(dir, "link"));
    const argv = ["export", "one", "--sessions-dir", join(dir, "link"), "-o", join(dir, "real", "x.jsonl")];
    expect([(await runCli(argv, { agentDir: folder })).code, readdirSync(join(dir, "real"))]).toEqual([
      2,
      ["one.jsonl"],
    ]);
  });

  test("that cannot be written is an error, and nothing is left of it", async () => {
    const { code, stderr } = await runCli(["export", BRANCHED, "-o", "/nonexistent/folder/x.md"], samples);
    expect(code).toBe(1);
    expect(stderr).toContain(
      "/nonexistent/folder/x.md cannot be written (ENOENT). Choose a file in a folder",
    );
  });

  test("of a page is needed on a terminal", async () => {
    const { code, stdout } = await runCli(["export", BRANCHED, "--format", "html"], {
      ...samples,
      columns: 80,
    });
    expect([code, stdout]).toEqual([2, ""]);
  });
});

describe("the file to write", () => {
  test("that is a device is written into, and stays one", async () => {
    const device = join(tempDir(), "nothing");
    symlinkSync("/dev/null", device);
    const { code } = await runCli(["export", BRANCHED, "-o", device], samples);
    expect([code, statSync(device).isCharacterDevice()]).toEqual([0, true]);
  });

  test("that is a link leads to the file that is written", async () => {
    const folder = tempDir();
    writeFileSync(join(folder, "real.md"), "old");
    symlinkSync("real.md", join(folder, "link.md"));
    await runCli(["export", BRANCHED, "-o", join(folder, "link.md")], samples);
    expect(readdirSync(folder).toSorted()).toEqual(["link.md", "real.md"]);
    expect(readFileSync(join(folder, "real.md"), "utf8")).toContain("Signed out every night");
  });

  test("that is a link to a session file is refused", async () => {
    const link = join(tempDir(), "link.md");
    const [project = ""] = readdirSync(join(agentDir, "sessions"));
    const [file = ""] = readdirSync(join(agentDir, "sessions", project));
    symlinkSync(join(agentDir, "sessions", project, file), link);
    const { code, stderr } = await runCli(["export", BRANCHED, "-o", link], samples);
    expect([code, stderr]).toEqual([2, expect.stringContaining("is inside a sessions folder")]);
  });
});

test("Ctrl-C while a file is written leaves nothing of it, and what stood there before", async () => {
  const folder = tempDir();
  const path = join(folder, "session.html");
  writeFileSync(path, "before");
  const argv = ["export", BRANCHED, "--no-sync", "-o", path];
  await takeIn(samples);
  const { code, stderr } = await runCli(argv, { ...samples, interrupted: true });
  expect([code, stderr]).toEqual([130, "error: interrupted; nothing was written.\n"]);
  expect([readdirSync(folder), readFileSync(path, "utf8")]).toEqual([["session.html"], "before"]);
});

describe.skipIf(process.platform === "win32")("--open", () => {
  const OPENER = process.platform === "darwin" ? "open" : "xdg-open";

  /** A folder for PATH that holds nothing but a program to open files with. */
  function pathWith(script: string): string {
    const folder = tempDir();
    writeFileSync(join(folder, OPENER), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return folder;
  }

  test("opens the page that was written, whatever is in its name", async () => {
    const folder = tempDir();
    const page = join(folder, "a 'page' & $HOME.html");
    const PATH = pathWith(`printf %s "$1" > '${join(folder, "opened")}'`);
    const { code, stderr } = await runCli(["export", BRANCHED, "-o", page, "--open"], {
      ...samples,
      env: { PATH },
    });
    expect([code, stderr]).toEqual([0, `Written: ${page}\n`]);
    expect(readFileSync(join(folder, "opened"), "utf8")).toBe(page);
  });

  test.each([
    ["there is nothing to open it with", () => tempDir(), `there is no ${OPENER} here`],
    ["that fails", () => pathWith("exit 3"), `${OPENER} has failed (3)`],
  ])("says so where %s, and the page is there", async (_what, pathOf, why) => {
    const page = join(tempDir(), "page.html");
    const env = { PATH: pathOf() };
    const { code, stderr } = await runCli(["export", BRANCHED, "-o", page, "--open"], { ...samples, env });
    expect([code, stderr]).toEqual([0, `Written: ${page}\nIt could not be opened: ${why}.\n`]);
    expect(existsSync(page)).toBe(true);
  });

  test.each([
    ["without a file", ["--format", "html"]],
    ["of Markdown", ["-o", "/nowhere/x.md"]],
    ["of JSONL", ["-o", "/nowhere/x.jsonl"]],
  ])("is refused %s", async (_what, argv) => {
    const { code, stdout, stderr } = await runCli(["export", BRANCHED, "--open", ...argv], samples);
    expect([code, stdout, stderr]).toEqual([
      2,
      "",
      expect.stringContaining("Name it: -o session.html --open."),
    ]);
  });
});
