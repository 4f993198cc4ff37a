import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { listSessions } from "../../src/reports/sessions.ts";
import { sumUsage } from "../../src/reports/usage/usage-report.ts";
import { USAGE_GROUPINGS } from "../../src/reports/usage/usage-shapes.ts";
import { checkedFiles, Verifier } from "../../src/reports/verify/verify-sessions.ts";
import type { Index } from "../../src/store/open.ts";
import { fc } from "../helpers/drawn.ts";
import { runs } from "../helpers/fuzz.ts";
import { withIndex } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { LATER } from "./store.ts";

/*
 * Families of sub-agents as pi-subagents writes them, and what happens to their files. What was spent is known from how
 * they were made: each request has a price of its own, and a result states the requests of the sub-agents it has run.
 */

const START = Date.UTC(2026, 10, 20, 10);
const iso = (time: number) => new Date(time).toISOString();

interface Plan {
  /** Requests between results. */
  turns: number;
  results: { children: Plan[]; named: boolean; withoutFile: boolean }[];
  /** Which of those that it works for it names in the end, from the nearest on, in a result that has cost something itself. */
  names: number | null;
}

const names = fc.option(fc.nat(2), { freq: 1 });

const { plan } = fc.letrec<{ plan: Plan; leaf: Plan }>((tie) => ({
  leaf: fc.record({ turns: fc.integer({ min: 1, max: 3 }), results: fc.constant([]), names }),
  plan: fc.record({
    names,
    turns: fc.integer({ min: 1, max: 3 }),
    results: fc.array(
      fc.record({
        children: fc.array(fc.oneof({ depthSize: "small" }, tie("leaf"), tie("plan")), {
          minLength: 1,
          maxLength: 2,
        }),
        named: fc.boolean(),
        withoutFile: fc.boolean(),
      }),
      { maxLength: 2 },
    ),
  }),
}));

/** Writes families and knows what each file holds: requests by their numbers, and those that its results state. */
class Families {
  readonly root = join(tempDir(), "sessions");
  #requests = 0;
  #clock = START;
  #sessions = 0;
  /** Lines of each session by its id, and the requests that they hold or state. */
  readonly stated = new Map<string, number[]>();

  constructor(plans: Plan[]) {
    for (const [at, each] of plans.entries()) {
      const stem = join(this.root, `--p${at}--`, `${iso(this.#clock).replace(/[:.]/g, "-")}_root${at}`);
      this.#write(each, `${stem}.jsonl`, `root${at}`);
    }
  }

  #tick(): number {
    this.#clock += 1000;
    return this.#clock;
  }

  /** @returns all requests of the session and of those below it */
  #write(plan: Plan, path: string, id: string, bosses: readonly string[] = []): number[] {
    const created = this.#tick();
    const lines: unknown[] = [{ type: "session", version: 3, id, timestamp: iso(created), cwd: "/p" }];
    const held: number[] = [];
    const all: number[] = [];
    const turns = () => {
      for (let turn = 0; turn < plan.turns; turn++) {
        const request = this.#requests++;
        held.push(request);
        all.push(request);
        lines.push(
          this.#message(id, lines.length, {
            role: "assistant",
            content: [{ type: "text", text: `said ${request}` }],
            provider: "anthropic",
            model: "m",
            stopReason: "stop",
            usage: usageOf([request]),
          }),
        );
      }
    };
    const tell = (spent: number[], results: unknown[]) => {
      held.push(...spent);
      all.push(...spent);
      lines.push(
        this.#message(id, lines.length, {
          role: "toolResult",
          toolCallId: `call-${lines.length}`,
          toolName: "subagent",
          content: [],
          isError: false,
          usage: usageOf(spent),
          details: { results },
        }),
      );
    };
    turns();
    for (const { children, named, withoutFile } of plan.results) {
      const spent: number[] = [];
      const results: unknown[] = [];
      for (const child of children) {
        const sub = `child${this.#sessions++}`;
        const file = join(path.replace(/\.jsonl$/, ""), sub, "run-0", "session.jsonl");
        spent.push(...this.#write(child, file, sub, [path, ...bosses]));
        if (named) results.push({ agent: `agent-${sub}`, exitCode: 0, sessionFile: file });
      }
      if (withoutFile) spent.push(this.#requests++);
      tell(spent, results);
      turns();
    }
    const boss = plan.names === null ? undefined : bosses[plan.names];
    if (boss !== undefined) tell([this.#requests++], [{ agent: "boss", sessionFile: boss }]);
    this.stated.set(id, held);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return all;
  }

  #message(id: string, at: number, message: object): unknown {
    const time = this.#tick();
    return {
      type: "message",
      id: `${id}-${at}`,
      parentId: at === 1 ? null : `${id}-${at - 1}`,
      timestamp: iso(time),
      message: { ...message, timestamp: time },
    };
  }

  files(): string[] {
    return readdirSync(this.root, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .sort()
      .map((name) => join(this.root, name));
  }

  /** The requests that the files hold or state, each once. */
  spent(): Set<number> {
    return new Set(
      this.files().flatMap((path) => {
        const { id, of = id } = JSON.parse(readFileSync(path, "utf8").split("\n")[0] ?? "") as {
          id: string;
          of?: string;
        };
        return this.stated.get(of) ?? [];
      }),
    );
  }
}

/** Every request has tokens and a price that no other has: powers of two would not do, sums of cents that differ do. */
function usageOf(requests: number[]) {
  const sum = (of: (request: number) => number) =>
    requests.reduce((total, request) => total + of(request), 0);
  const [input, output] = [sum((request) => 1000 + request), sum((request) => 10 + request)];
  const cost = sum((request) => (request + 1) / 64);
  return {
    input,
    output,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: input + output,
    cost: { input: cost / 2, output: cost / 2, cacheRead: 0, cacheWrite: 0, total: cost },
  };
}

type Change = { kind: "delete" | "fork" | "copy" | "renameRun" | "moveRoot" | "sync"; which: number };

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom("delete", "fork", "copy", "renameRun", "moveRoot", "sync"),
  which: fc.nat(50),
});

let made = 0;

function happen(families: Families, { kind, which }: Change): void {
  const files = families.files();
  const path = files[which % Math.max(1, files.length)];
  if (path === undefined || kind === "sync") return;
  const [header = "", ...lines] = readFileSync(path, "utf8").split("\n");
  const { id, of = id } = JSON.parse(header) as { id: string; of?: string };
  const number = made++;
  // Nothing says whose sub-agents lie in the folder of `session.jsonl` once that is gone, and only a copy of it is left.
  if ((kind === "copy" || kind === "fork") && basename(path) === "session.jsonl") return;
  if (kind === "delete") rmSync(path);
  if (kind === "copy") cpSync(path, join(dirname(path), `copy-${number}.jsonl`));
  if (kind === "fork") {
    const fork = {
      type: "session",
      version: 3,
      id: `fork${number}`,
      of,
      timestamp: iso(START + 9e8 + number),
      cwd: "/p",
      parentSession: path,
    };
    writeFileSync(join(families.root, `fork-${number}.jsonl`), [JSON.stringify(fork), ...lines].join("\n"));
  }
  if (kind === "renameRun" && basename(path) === "session.jsonl") {
    const run = dirname(path);
    const target = join(dirname(run), `run-${number + 1}`);
    if (!existsSync(target)) renameSync(run, target);
  }
  if (kind === "moveRoot") {
    const [project = ""] = path.slice(families.root.length + 1).split("/");
    if (project.startsWith("--"))
      renameSync(join(families.root, project), join(families.root, `--moved-${number}--`));
  }
}

function differences(index: Index): unknown[] {
  const verifier = new Verifier(index);
  try {
    for (const file of checkedFiles(index)) verifier.file(file);
    verifier.counted();
    verifier.families();
    return verifier.result.differences;
  } finally {
    verifier.close();
  }
}

const ROWS = `SELECT f.path, s.origin, s.agent, s.cost, s.requests, s.inherited_cost, p.path AS parent, r.path AS root
  FROM sessions s JOIN files f ON f.id = s.file_id LEFT JOIN files p ON p.id = s.parent_file_id
  LEFT JOIN files r ON r.id = s.root_file_id ORDER BY f.path`;

test("G1, I-7: what sub-agents spend counts once, whatever becomes of the files of a family", () => {
  fc.assert(
    fc.property(
      fc.array(plan, { minLength: 1, maxLength: 2 }),
      fc.array(change, { maxLength: 8 }),
      (plans, changes) => {
        const families = new Families(plans);
        const folder = tempDir();
        const check = () =>
          withIndex(folder, (index) => {
            syncAll(index, [families.root], { now: LATER });
            const cost = [...families.spent()].reduce((sum, request) => sum + (request + 1) / 64, 0);
            for (const by of USAGE_GROUPINGS) {
              expect([by, sumUsage(index, { by, timezone: "UTC" }).totals.cost]).toEqual([
                by,
                expect.closeTo(cost, 9),
              ]);
            }
            const listed = listSessions(index).sessions;
            const own = listed.reduce(
              (sum, { usage, inherited, subagents }) => sum + usage.cost - inherited.cost + subagents.cost,
              0,
            );
            expect(own).toBeCloseTo(cost, 9);
            expect(differences(index)).toEqual([]);
            return index.database.prepare(ROWS).all();
          });
        check();
        for (const each of changes) {
          happen(families, each);
          if (each.kind === "sync") check();
        }
        const rows = check();
        const rebuilt = withIndex(tempDir(), (index) => {
          syncAll(index, [families.root], { now: LATER });
          return index.database.prepare(ROWS).all();
        });
        expect(rows).toEqual(rebuilt);
      },
    ),
    { numRuns: runs(60) },
  );
});

test.each([
  [
    "through another folder",
    (file: string) => `${dirname(file)}/../${basename(dirname(file))}//${basename(file)}`,
  ],
  ["as a URL", (file: string) => pathToFileURL(file).href],
  ["from its working directory", (file: string) => relative("/home/ada", file)],
])("G1: money counts once where a result names its sub-agent's session %s", (_how, told) => {
  const root = tempDir();
  const child = join(root, "others", "scout.jsonl");
  const usage = { input: 100, output: 10, cost: { total: 0.5 } };
  session({ id: "child" }).user("look").assistant({ text: "seen", usage }).write(child);
  session({ id: "parent", cwd: "/home/ada" })
    .user("send it out")
    .assistant({ toolCalls: [{ name: "subagent" }], usage: { input: 7, cost: { total: 0.25 } } })
    .toolResult("done", { usage, details: { results: [{ agent: "scout", sessionFile: told(child) }] } })
    .write(join(root, "p", "parent.jsonl"));
  withIndex(tempDir(), (index) => {
    syncAll(index, [root], { now: LATER });
    expect(sumUsage(index, { by: "source", timezone: "UTC" }).totals.cost).toBe(0.75);
    expect(differences(index)).toEqual([]);
  });
});

/** Answers of a store after its files have come one by one, in several orders. */
function inAnyOrder(files: readonly string[], root: string, check: (index: Index) => void): void {
  const away = tempDir();
  const hidden = (file: string) => join(away, relative(root, file).replaceAll("/", "+"));
  for (let first = 0; first < files.length; first++) {
    for (const order of [files, files.toReversed()]) {
      for (const file of files) renameSync(file, hidden(file));
      withIndex(tempDir(), (index) => {
        for (const file of [...order.slice(first), ...order.slice(0, first)]) {
          renameSync(hidden(file), file);
          syncAll(index, [root], { now: LATER });
        }
        check(index);
        expect(differences(index)).toEqual([]);
      });
    }
  }
}

test("G1: a result that names the session which its own works for makes no sub-agent of that one", () => {
  const root = tempDir();
  const [parent, child, grandchild] = ["p.jsonl", "c.jsonl", "g.jsonl"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  const write = (path: string, minute: number, told: string[]) => {
    const lines = session({ id: basename(path), timestamp: iso(START + minute * 60_000) }).user("go");
    for (const sessionFile of told) {
      lines.assistant({ toolCalls: [{ name: "tell" }], usage: { input: 1, cost: { total: 1 } } });
      lines.toolResult("told", {
        usage: { input: 1, cost: { total: 1 / 4 } },
        details: { results: [{ agent: "a", sessionFile }] },
      });
    }
    lines.write(path);
  };
  write(parent, 0, [child]);
  write(child, 1, [grandchild, parent]);
  write(grandchild, 2, [parent]);
  inAnyOrder([parent, child, grandchild], root, (index) => {
    expect(listSessions(index).sessions.map(({ path }) => path)).toEqual([parent]);
    // Of the results of parent and child nothing is left: what they state their sub-agents have spent.
    expect(sumUsage(index, { by: "agent", timezone: "UTC" }).totals.cost).toBe(4 + 2 / 4);
  });
});

test("G1: money counts once where the session whose sub-agent it was is gone, and left a copy and a fork", () => {
  const root = tempDir();
  const name = "2026-11-20T10-00-00-000Z_parent";
  const [original, copy, fork] = [`${name}.jsonl`, "copy.jsonl", "fork.jsonl"].map((each) =>
    join(root, each),
  ) as [string, string, string];
  const child = join(root, name, "run-0", "session.jsonl");
  const usage = { input: 100, output: 10, cost: { total: 0.5 } };
  const parent = session({ id: "parent", timestamp: iso(START) })
    .user("send it out")
    .assistant({ toolCalls: [{ name: "subagent" }], usage: { input: 7, cost: { total: 0.25 } } })
    .toolResult("done", { usage });
  parent.write(copy);
  session({ id: "child", timestamp: iso(START) })
    .user("look")
    .assistant({ text: "seen", usage })
    .write(child);
  const lines = readFileSync(copy, "utf8").split("\n").slice(1);
  const header = {
    type: "session",
    version: 3,
    id: "fork",
    timestamp: iso(START + 9e6),
    cwd: "/p",
    parentSession: original,
  };
  writeFileSync(fork, [JSON.stringify(header), ...lines].join("\n"));
  inAnyOrder([copy, child, fork], root, (index) => {
    expect(sumUsage(index, { by: "source", timezone: "UTC" }).totals.cost).toBe(0.75);
  });
});

test("G4: sub-agents stay in their family where two of those between them and its person go at once", () => {
  const root = join(tempDir(), "sessions");
  const path = (...names: string[]) => `${join(root, ...names)}.jsonl`;
  const [person, first, , third] = [
    ["a"],
    ["a", "b"],
    ["a", "b", "c"],
    ["a", "b", "c", "d"],
    ["a", "b", "c", "d", "e"],
  ].map((names, at) => {
    session({ id: names.join(""), timestamp: iso(START + at * 60_000) })
      .user("go")
      .write(path(...names));
    return path(...names);
  }) as [string, string, string, string];
  withIndex(tempDir(), (index) => {
    syncAll(index, [root], { now: LATER });
    for (const file of [first, third]) rmSync(file);
    syncAll(index, [root], { now: LATER });
    expect(listSessions(index).sessions).toMatchObject([{ path: person, subagents: { sessions: 2 } }]);
    expect(differences(index)).toEqual([]);
  });
});
