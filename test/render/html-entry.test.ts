import { expect, test } from "vitest";
import type { JsonObject } from "../../src/format/json.ts";
import { Colours } from "../../src/render/code-colours.ts";
import { Cleaner } from "../../src/render/exported-session.ts";
import { entryToHtml } from "../../src/render/html-entry.ts";
import type { EntryNode } from "../../src/store/tables/entry-nodes.ts";

/** The only entry of a session as a page shows it. */
function shown(message: JsonObject, about: Partial<EntryNode> = {}): string {
  const place = { key: 1, line: 2, offset: 100, length: 100, realPath: "/x/one.jsonl", version: 3 };
  const role = String(message.role);
  const kind = { type: "message", entryId: "a", parentId: null, role, tool: null, isError: false };
  const node = { ...place, ...kind, timestamp: null, label: null, preview: "", ...about };
  const subject = { node, clean: new Cleaner({ reveal: false }), colours: new Colours(), timezone: "UTC" };
  return entryToHtml(subject, { type: "message", message }, new Map()).source;
}

function shownCall(args: JsonObject, name = "bash"): string {
  const page = shown({ role: "assistant", content: [{ type: "toolCall", id: "c", name, arguments: args }] });
  return page.match(/<(details|p) class="call">.*<\/\1>/s)?.[0] ?? "";
}

const long = `grep ${"x".repeat(300)}`;

test.each([
  ["of several lines", { command: "\n  cat > x.py <<EOF\nprint(1)\nEOF" }, "cat &gt; x.py &lt;&lt;EOF"],
  ["beside other arguments", { command: "set -e\nnpm test", timeout: 10 }, "set -e"],
  ["that is long", { command: long }, `${long.slice(0, 99)}…`],
  ["that edits", { path: "a.ts", oldText: "a", newText: "<b>" }, "a.ts"],
  ["with arguments in each other", { edits: [{ oldText: "const a\nconst b" }] }, "const a"],
])("a call %s begins in sight and is folded as a whole", (_what, args: JsonObject, beginning) => {
  expect(shownCall(args)).toMatch(/^<details/);
  expect(shownCall(args)).toMatch(/<\/summary><pre[ >]/);
  expect(shownCall(args)).toContain(`<summary><b>bash</b> <code>${beginning}</code><`);
});

test("an edit is folded as a diff, with nothing in it that runs", () => {
  expect(shownCall({ path: "a.ts", oldText: "a", newText: "<b>" })).toContain(
    '<pre tabindex="0" role="group"><del>-a</del><ins>+&lt;b&gt;</ins></pre></details>',
  );
});

test("a fold holds every line of its call", () => {
  expect(shownCall({ command: "one\ntwo" })).toContain(">one\ntwo</pre>");
  expect(shownCall({ command: long })).toContain(`>${long}</pre>`);
});

test("a call of one short value folds nothing", () => {
  expect(shownCall({ isDeep: true })).toBe('<p class="call"><b>bash</b> <code>true</code></p>');
  expect(shownCall({})).toBe('<p class="call"><b>bash</b></p>');
});

test("of a command of the user's that failed the exit code is said, not that its output failed", () => {
  const command = { role: "bashExecution", command: "false", output: "no", exitCode: 1 };
  const page = shown(command, { isError: true });
  expect(page).toContain('<p class="result error"><code>no</code></p><p class="error">exit code 1</p>');
});

test("a file that is written whole is folded in the colours of its ending", () => {
  const page = shownCall({ path: "a.ts", content: "const a = '<b>';\nlet b\n" }, "write");
  expect(page).toContain("<summary><b>write</b> <code>a.ts</code><small> · 2 lines</small></summary>");
  expect(page).toContain(
    `<span class="c-keyword">const</span> a = <span class="c-string">&#x27;&lt;b&gt;&#x27;</span>`,
  );
});
