import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { describe, expect, test } from "vitest";
import { SessionManager } from "../../src/session-manager.ts";
import { HTML_PAYLOADS } from "../helpers/html-payloads.ts";
import { writeWithLongLine } from "../helpers/long-line.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, sampleAgent } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());
const samples = { agentDir };
const BRANCHED = "01a1221b";
/** In two pieces, so that nobody takes this file for one that holds a secret. */
const TOKEN = `ghp_${"Zk3rT9vQ1xW7bN5mL2pH8sD4fG6jK0aYcE1u"}`;

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
      expect(value).toMatch(/^data:image\/(png|jpeg|gif|webp);base64,/);
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

  test("plots what each turn has cost, and how it added up", async () => {
    const { stdout } = await runCli(["export", BRANCHED, "--format", "html"], samples);
    const elements = elementsOf(stdout);
    const labels = attributesOf(
      elements.filter(({ tagName }) => tagName === "svg"),
      "aria-label",
    );
    expect(labels.map(({ value }) => value)).toEqual(["Cost of each turn", "Cost over time"]);
    const bars = elements.filter(({ tagName }) => tagName === "rect").map((bar) => textOf(bar));
    expect(bars).toHaveLength(4);
    expect(bars[0]).toMatch(/^Turn 1 · \$0\.08 · Every morning/);
    expect(stdout).toContain("$0.14 in all");
  });

  test("shows the pictures of a session", async () => {
    const data =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const page = await pageOf(session().user([{ type: "image", data, mimeType: "image/png" }]));
    expect(attributesOf(elementsOf(page), "src").map(({ value }) => value)).toEqual([
      `data:image/png;base64,${data}`,
    ]);
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

describe("jsonl", () => {
  test("is the session file, byte for byte where nothing is masked", async () => {
    for (const id of [BRANCHED, "01a1a830", "01a17d8d"]) {
      const { stdout } = await runCli(["export", id, "--format", "jsonl"], samples);
      const { stdout: shown } = await runCli(["show", id, "--json"], samples);
      const { path } = (JSON.parse(shown) as { session: { path: string } }).session;
      expect(stdout).toBe(readFileSync(path, "utf8"));
    }
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
});

describe("A29: a line too long to be read", () => {
  const agentDir = emptyAgent(sharedTempDir());
  writeWithLongLine(join(agentDir, "sessions", "a.jsonl"), 600 * 1024 * 1024);

  test.each(["md", "html"])("is named in %s", async (format) => {
    const { code, stdout } = await runCli(["export", "a", "--branch", ":3", "--format", format], {
      agentDir,
    });
    expect([code, stdout.includes("Line 3 is too long to be shown: 629 MB.")]).toEqual([0, true]);
  });

  test("is the end of an export as jsonl, which says so and leaves no file", async () => {
    const target = join(tempDir(), "a.jsonl");
    const { code, stderr } = await runCli(["export", "a", "-o", target], { agentDir });
    expect([code, stderr.includes("line 3 is too long to be exported. It has 629 MB.")]).toEqual([1, true]);
    expect(existsSync(target)).toBe(false);
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

  test("F1, I-10: is never written among the session files", async () => {
    const target = join(agentDir, "sessions", "x.jsonl");
    const { code, stderr } = await runCli(["export", BRANCHED, "-o", target], samples);
    expect([code, existsSync(target)]).toEqual([2, false]);
    expect(stderr).toContain("lies among the session files");
  });

  test("F1, I-10: is never written among the session files by way of a link", async () => {
    const link = join(tempDir(), "link");
    symlinkSync(join(agentDir, "sessions"), link);
    const { code } = await runCli(["export", BRANCHED, "-o", join(link, "x.jsonl")], samples);
    expect([code, existsSync(join(agentDir, "sessions", "x.jsonl"))]).toEqual([2, false]);
  });

  test("that cannot be written is an error, and nothing is left of it", async () => {
    const { code, stderr } = await runCli(["export", BRANCHED, "-o", "/nonexistent/folder/x.md"], samples);
    expect(code).toBe(1);
    expect(stderr).toContain("/nonexistent/folder/x.md cannot be written (ENOENT). Name a file in a folder");
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
    expect([code, stderr]).toEqual([2, expect.stringContaining("lies among the session files")]);
  });
});

test("Ctrl-C while a file is written leaves nothing of it, and what stood there before", async () => {
  const folder = tempDir();
  const path = join(folder, "session.html");
  writeFileSync(path, "before");
  const argv = ["export", BRANCHED, "--no-sync", "-o", path];
  await runCli(["sync"], samples);
  const { code, stderr } = await runCli(argv, { ...samples, interrupted: true });
  expect([code, stderr]).toEqual([130, "error: interrupted; nothing was written.\n"]);
  expect([readdirSync(folder), readFileSync(path, "utf8")]).toEqual([["session.html"], "before"]);
});
