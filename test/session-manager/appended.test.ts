/** Entries whose form depends on others: pi and we append the same. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SessionManager } from "../../src/session/session-manager.ts";
import { session } from "../helpers/session-builder.ts";
import { describeWithEachPi, piWithFirstWriteOf1x, type SessionManagerClass } from "./pi.ts";
import { difference, outcome, plainWith } from "./twins.ts";

const hello = { role: "user" as const, content: "hello", timestamp: 1 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_760_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Entries that an edit of the context may be meant for, the last one on another branch. */
function editable(Manager: SessionManagerClass): SessionManager {
  const manager = Manager.inMemory("project");
  const from = manager.appendMessage(hello);
  const toolResult = session()
    .toolResult("done")
    .entries.map((entry) => entry.message);
  const answer = session()
    .assistant()
    .entries.map((entry) => entry.message);
  for (const message of [...answer, ...toolResult]) Reflect.apply(manager.appendMessage, manager, [message]);
  manager.appendMessage({ role: "custom", customType: "c", content: "x", display: true, timestamp: 1 });
  manager.appendCustomMessageEntry("c", "x", true);
  manager.appendCustomEntry("c", {});
  const leaf = manager.getLeafId() ?? "";
  manager.branch(from);
  manager.appendMessage(hello);
  manager.branch(leaf);
  return manager;
}

const REPLACEMENTS: unknown[] = [
  null,
  undefined,
  "text",
  5,
  {},
  { content: 5 },
  { content: "edited" },
  { content: "edited", more: true },
  { content: [] },
  { content: [{ type: "text", text: "edited" }], more: true },
];

const [read, write] = ["read", "write"].map((name) => ({ name, description: name, parameters: {} }));

/** System messages that follow one another: the compaction after them keeps what they come to. */
const SYSTEM_MESSAGES: Record<string, object[]> = {
  none: [],
  texts: [
    { content: "one", timestamp: 1 },
    { content: "", timestamp: 2 },
    { content: "two", timestamp: 3 },
  ],
  blocks: [
    {
      content: [
        { type: "text", text: "a" },
        { type: "note", text: "no" },
        { type: "text", text: "b" },
      ],
      timestamp: 1,
    },
    { content: [], timestamp: 2 },
  ],
  sections: [
    { content: "one", sections: { style: "dry", tone: "kind" }, timestamp: 1 },
    { content: "", sections: { style: null, more: "x" }, timestamp: 2 },
  ],
  "sections that were all removed": [
    { content: "one", sections: { style: "dry" }, timestamp: 1 },
    { content: "", sections: { style: null }, timestamp: 2 },
  ],
  tools: [
    { content: "", toolsAdded: [read, write], timestamp: 1 },
    { content: "", toolsRemoved: [read], timestamp: 2 },
    {
      content: "",
      toolsRemoved: [write],
      toolsAdded: [read, { ...write, description: "anew" }],
      timestamp: 3,
    },
  ],
  "without a time": [{ content: "one" }],
  "tools without a time": [{ content: "one", toolsAdded: [read] }],
};

describeWithEachPi("what is appended", (release) => {
  test.each(REPLACEMENTS)(
    "I-2: an edit of each kind of entry with %j is taken, or refused, as by pi",
    async (replacement) => {
      const lived = [];
      for (const Manager of [SessionManager, await piWithFirstWriteOf1x(release)]) {
        const manager = editable(Manager);
        const targets = [...manager.getEntries().map(({ id }) => id), "nowhere"];
        const twin = { Manager, manager, dir: "/", plain: plainWith("<none>") };
        const edit = (id: string) => Reflect.apply(manager.appendContextEdit, manager, [id, replacement]);
        const results = [];
        for (const id of targets) results.push(await outcome(twin, () => edit(id)));
        const context = twin.plain([manager.getEntries(), manager.buildSessionContext()]);
        lived.push({ results: results.join("\n"), context });
      }
      const [own = {}, theirs = {}] = lived;
      expect(difference(own, theirs)).toBeNull();
    },
  );

  test.each(Object.entries(SYSTEM_MESSAGES))(
    "I-2: a compaction keeps of system messages what pi keeps: %s",
    async (_, messages) => {
      const lived = [];
      for (const Manager of [SessionManager, await piWithFirstWriteOf1x(release)]) {
        const manager = Manager.inMemory("project");
        for (const message of messages) {
          Reflect.apply(manager.appendMessage, manager, [{ role: "system", ...message }]);
        }
        manager.appendCompaction("s", manager.appendMessage(hello), 1);
        lived.push(plainWith("<none>")([manager.getEntries(), manager.buildSessionContext()]));
      }
      expect(lived[0]).toBe(lived[1]);
    },
  );
});
