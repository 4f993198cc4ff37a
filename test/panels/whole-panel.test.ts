import * as tui from "@mariozechner/pi-tui";
import { describe, expect, onTestFinished, test } from "vitest";
import { editorCommand } from "../../src/cli/browse/shell-actions.ts";
import { footerOf, keyWordsOf } from "../../src/panels/key-words.ts";
import { Panel } from "../../src/panels/panel.ts";
import { type PanelSource, RESUME } from "../../src/panels/panel-source.ts";
import { styledLines } from "../../src/panels/text.ts";
import { pollUntil } from "../helpers/poll-until.ts";

const WORDS = ["a bell", "浅草寺の鐘が鳴る", "e\u0301 👩‍👩‍👧 ｆｕｌｌ", "x".repeat(300)];

/** Rows in pairs below a heading, in several scripts. */
const SOURCE: PanelSource<number> = {
  title: "Bells",
  hint: "type something",
  rowHeight: 1,
  heading: { of: (row) => String(row >> 1), draw: (row) => `head ${row >> 1}` },
  sorts: ["up", "down"],
  roles: ["user"],
  pauseMs: 0,
  most: 30,
  actions: [RESUME, { name: "copy", key: "ctrl+y", about: "copy it" }],
  news: () => [],
  find: ({ most }) =>
    Promise.resolve({ rows: [...Array(most).keys()], note: `${most} bells`, hasMore: most < 100 }),
  keyOf: String,
  row: (row) => [`${row} ${WORDS[row % WORDS.length]}`],
  detail: () => [],
  preview: (row) => Promise.resolve(`before\n▶ about ${row}\n${WORDS.join("\n")}\n${"after\n".repeat(60)}`),
};

async function open(rows: number, source = SOURCE) {
  const terminal = { rows };
  const panel = new Panel(
    source,
    {
      tui,
      screen: { requestRender: () => undefined, terminal },
      theme: { fg: (_color, text) => text, bold: String },
      keys: tui.getKeybindings(),
      isWhole: true,
      done: () => undefined,
    },
    "",
  );
  onTestFinished(() => panel.dispose());
  const seen = (width: number) => panel.render(width).join("\n");
  const sees = (width: number, text: string) => pollUntil(() => seen(width).includes(text), { what: text });
  await sees(80, "30 bells");
  return { panel, terminal, seen, sees };
}

describe("a panel on the whole screen", () => {
  test.each([6, 12, 13, 24, 60])("of %i lines fills exactly these, in any width", async (rows) => {
    const { panel, seen, sees } = await open(rows);
    for (const width of [20, 40, 80, 99, 100, 161]) {
      if (rows > 12) await sees(width, "▶ about 0");
      const lines = seen(width).split("\n");
      expect([width, lines.length]).toEqual([width, rows]);
      expect(lines.filter((line) => tui.visibleWidth(line) > width)).toEqual([]);
    }
    panel.handleInput("?");
    expect(seen(40).split("\n").length).toBe(rows);
  });

  test("shows the conversation beside the rows, below them, or when it is asked for", async () => {
    const { panel, terminal, seen, sees } = await open(24);
    await sees(100, " │ ▶ about 0");
    await sees(99, "\n▶ about 0");
    terminal.rows = 12;
    expect(seen(100)).not.toContain("about 0");
    panel.handleInput("\u001b[C");
    await sees(100, "▶ about 0");
    expect(seen(100)).not.toContain("head 0");
  });

  test("goes on past the rows that were asked for, and keeps its place", async () => {
    const { panel, seen, sees } = await open(24);
    for (let at = 0; at < 40; at++) panel.handleInput("\u001b[B");
    await sees(80, "60 bells");
    expect(seen(80)).toContain("› 29 ");
  });

  test("what is in a conversation reaches the terminal without what that would obey", () => {
    expect(styledLines("a\u001b[31mred\u001b[0m\u001b]0;title\u0007\u001b[2Jb\u0007\nc")).toEqual([
      "a\u001b[31mred\u001b[0mb",
      "c",
    ]);
  });
});

test("the narrower the screen, the fewer keys; the way out is the last to go", () => {
  const words = keyWordsOf(SOURCE, { hasRows: true });
  const shown = [...Array(140).keys()].map((width) => footerOf(words, width));
  for (const [width, footer] of shown.entries()) {
    expect(footer.length).toBeLessThanOrEqual(width);
    const keys = footer.split(" · ");
    const wider = shown[width + 1]?.split(" · ") ?? keys;
    expect(wider).toEqual(expect.arrayContaining(keys.filter(Boolean)));
    if (footer !== "") expect(keys.at(-1)).toBe("esc close");
  }
  expect(footerOf(keyWordsOf(SOURCE, { hasRows: false }), 140)).not.toContain("resume");
});

test.each([
  [{ VISUAL: "emacs -nw", EDITOR: "vi" }, ["emacs", "-nw", "+7", "/a b.jsonl"]],
  [{ EDITOR: "code --wait" }, ["code", "--wait", "--goto", "/a b.jsonl:7"]],
  [{}, ["vi", "+7", "/a b.jsonl"]],
])("an editor named %j is called in its way", (env, command) => {
  expect(editorCommand(env, "/a b.jsonl", 7)).toEqual(command);
  expect(editorCommand({ EDITOR: "nano" }, "/a", undefined)).toEqual(["nano", "/a"]);
});
