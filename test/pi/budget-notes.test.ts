import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandLine, type Run } from "../../src/panels/command-line.ts";
import { BudgetNotes } from "../../src/pi/budget-notes.ts";
import type { Context } from "../../src/pi/host.ts";
import { pollUntil } from "../helpers/poll-until.ts";
import { MAIN } from "../helpers/program.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { failing, printing } from "./programs.ts";

/** A screen of pi that keeps what is said on it. */
function screen() {
  const said: [text: string, type: string | undefined][] = [];
  const ui = { notify: (text: string, type?: string) => said.push([text, type]) };
  return { said, context: { cwd: process.cwd(), hasUI: true, ui } as unknown as Context };
}

const limit = (state: string, change: object = {}) => ({
  ...{ name: "work", period: "month", since: "2026-11-01", spent: 160.4, limit: 200, state },
  ...change,
});

/** Notes whose questions get these answers, one after the other, once each is let through. */
function asking(...answers: object[][]) {
  const asked: { words: string[]; answer: () => void }[] = [];
  const run: Run = (_command, args) =>
    new Promise((resolve) => {
      const document = { schemaVersion: 1, budgets: answers[asked.length] ?? [] };
      asked.push({ words: args, answer: () => resolve(printing(JSON.stringify(document))) });
    });
  return { notes: new BudgetNotes(new CommandLine([{ command: "sessiondb", before: [] }], run)), asked };
}

/** What is said after each answer but the first, which says what held before. */
async function saidAfter(...answers: object[][]) {
  const { notes, asked } = asking(...answers);
  const { said, context } = screen();
  const turns = [notes.begin(context)];
  asked[0]?.answer();
  await turns[0];
  for (const at of answers.slice(1).keys()) {
    const turn = notes.turnEnded(context);
    asked[at + 1]?.answer();
    await turn;
  }
  return said;
}

test("a budget that begins to warn is told of once, and once when it is over", async () => {
  const said = await saidAfter(
    [limit("within")],
    [limit("warns")],
    [limit("warns", { spent: 170 })],
    [limit("over", { spent: 201 })],
    [limit("over", { spent: 202 })],
  );
  expect(said).toEqual([
    ["The budget work warns: $160.40 of $200.00 this month", "warning"],
    ["The budget work is over: $201.00 of $200.00 this month", "warning"],
  ]);
});

test("what held as the session began is not told, and neither is what got better and worse again", async () => {
  expect(await saidAfter([limit("over")], [limit("over")])).toEqual([]);
  expect(await saidAfter([limit("warns")], [limit("within")], [limit("warns")])).toEqual([]);
});

test("each limit and each period is told of for itself", async () => {
  const said = await saidAfter(
    [limit("warns"), limit("within", { period: "day", since: "2026-11-20" })],
    [limit("warns"), limit("warns", { period: "day", since: "2026-11-20", limit: 5, spent: 4.5 })],
    [limit("warns", { since: "2026-12-01" })],
  );
  expect(said.map(([text]) => text)).toEqual([
    "The budget work warns: $4.50 of $5.00 today",
    "The budget work warns: $160.40 of $200.00 this month",
  ]);
});

test("without budgets nothing is asked after a turn", async () => {
  const { notes, asked } = asking([]);
  const { context } = screen();
  const begun = notes.begin(context);
  asked[0]?.answer();
  await begun;
  await notes.turnEnded(context);
  expect(asked.map(({ words }) => words)).toEqual([["--json", "usage", "statusline", "--no-sync"]]);
});

test("turns that end while a question is being answered are one question more", async () => {
  const { notes, asked } = asking([limit("within")], [limit("within")], [limit("over")]);
  const { said, context } = screen();
  const begun = notes.begin(context);
  void notes.turnEnded(context);
  void notes.turnEnded(context);
  expect(asked.length).toBe(1);
  asked[0]?.answer();
  await pollUntil(() => asked.length === 2, { what: "another question" });
  void notes.turnEnded(context);
  asked[1]?.answer();
  await pollUntil(() => asked.length === 3, { what: "one more" });
  asked[2]?.answer();
  await begun;
  expect([asked.length, said.length]).toEqual([3, 1]);
});

test("an error is nobody's business, and nothing is said once pi is done with the session", async () => {
  const { said, context } = screen();
  const broken = new BudgetNotes(new CommandLine([failing("io")]));
  await broken.begin(context);
  await broken.turnEnded(context);
  const { notes, asked } = asking([limit("within")], [limit("over")]);
  const begun = notes.begin(context);
  asked[0]?.answer();
  await begun;
  const turn = notes.turnEnded(context);
  notes.end();
  asked[1]?.answer();
  await turn;
  expect(said).toEqual([]);
});

test("a name that would drive the terminal does not", async () => {
  const [note] = await saidAfter([limit("within")], [limit("over", { name: "w\u001b[2Jork" })]);
  expect(note?.[0]).toMatch(/^The budget work is over/);
});

test("the program says what the notes are made of, of a turn that has just ended", async () => {
  const dir = tempDir();
  const [agentDir, config] = [join(dir, "agent"), join(dir, "config.json")];
  const spend = (id: string, total: number) =>
    session({ id, timestamp: new Date().toISOString() })
      .at(Date.now())
      .assistant({ text: id, usage: { input: 1, cost: { total } } })
      .writeBelow(join(agentDir, "sessions"));
  mkdirSync(join(agentDir, "sessions"), { recursive: true });
  writeFileSync(config, JSON.stringify({ budgets: [{ name: "all", total: 1 }] }));
  const before = [MAIN, "--agent-dir", agentDir, "--config", config];
  const notes = new BudgetNotes(new CommandLine([{ command: process.execPath, before }]));
  const { said, context } = screen();
  spend("first", 0.1);
  await notes.turnEnded(context);
  spend("second", 0.75);
  await notes.turnEnded(context);
  spend("third", 0.5);
  await notes.turnEnded(context);
  expect(said).toEqual([
    ["The budget all warns: $0.85 of $1.00 in all", "warning"],
    ["The budget all is over: $1.35 of $1.00 in all", "warning"],
  ]);
});

test("what today has cost is told after each turn, without budgets too, unless that is switched off", async () => {
  const asked: string[][] = [];
  const run: Run = (_command, args) => {
    asked.push(args);
    return Promise.resolve(printing(JSON.stringify({ budgets: [], today: { cost: asked.length } })));
  };
  const shown: unknown[] = [];
  let isShown = true;
  const notes = new BudgetNotes(new CommandLine([{ command: "sessiondb", before: [] }], run), {
    isShown: () => isShown,
    show: ({ cost }) => shown.push(cost),
  });
  const { context } = screen();
  await notes.begin(context);
  await notes.turnEnded(context);
  isShown = false;
  await notes.turnEnded(context);
  expect([shown, asked.length]).toEqual([[1, 2], 2]);
});
