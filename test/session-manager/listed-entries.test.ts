import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { syncAll } from "../../src/indexing/sync-run.ts";
import { SessionManager } from "../../src/session/session-manager.ts";
import { withIndex } from "../helpers/open-index.ts";
import { type SessionBuilder, session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { describeWithEachPi, piAsReleased } from "./pi.ts";

const text = (words: unknown) => ({ type: "text", text: words });
const said = (role: string, content: unknown, fields: object = {}) => ({ role, content, ...fields });
const at = (timestamp: unknown) => said("user", "hello", { timestamp });

/** What stands in a session beside a user's words, or in the place of them. */
const ODD: Record<string, (built: SessionBuilder) => SessionBuilder> = {
  "a name": (built) => built.user("hello").name(" tide "),
  "a name of spaces, after another": (built) => built.user("hello").name("tide").name("  "),
  "a name that is null, after another": (built) =>
    built.user("hello").name("tide").entry("session_info", { name: null }),
  "a name that is missing": (built) => built.user("hello").entry("session_info", {}),
  "a name that is a number": (built) => built.user("hello").entry("session_info", { name: 7 }),
  "several texts in a message": (built) => built.user([text("high"), text("water")] as never),
  "a text that is missing": (built) => built.user([text("high"), text(undefined)] as never),
  "a text that is empty, before another": (built) => built.user("").user("hello"),
  "nothing but empty texts": (built) => built.user("").user([text("")] as never),
  "blocks of other types": (built) => built.user([{ type: "image" }, text("water"), 7, "words"] as never),
  "a block that is null": (built) => built.user([text("high"), null] as never),
  "words of the model alone": (built) => built.assistant({ text: "hello" }),
  "the model's words before the user's": (built) => built.assistant({ text: "hello" }).user("hi"),
  "words of a tool alone": (built) => built.message(said("toolResult", "done")),
  "a message that is null": (built) => built.user("hello").entry("message", { message: null }),
  "a message that is missing": (built) => built.user("hello").entry("message", {}),
  "a message that is a string": (built) => built.user("hello").entry("message", { message: "hi" }),
  "a message without content": (built) => built.user("hello").message({ role: "user" }),
  "a message without a role": (built) => built.user("hello").message({ content: "hi" }),
  "content that is null": (built) => built.user("hello").message(said("user", null)),
  "content that is a number": (built) => built.user("hello").message(said("user", 7)),
  "messages of no time but 0": (built) => built.message(at(0)).message(at(0)),
  "messages of times before 1970": (built) => built.message(at(-86_400_000)),
  "messages whose times are texts": (built) => built.message(at("2026-11-03T00:00:00Z")),
  "times that fall": (built) => built.message(at(1_790_000_900_000)).message(at(1_790_000_800_000)),
};

describeWithEachPi("sessions with odd entries", (release) => {
  test("are listed as by pi, or not at all as by pi, with an index and without", async () => {
    const agentDir = join(tempDir(), "agent");
    vi.stubEnv("PI_CODING_AGENT_DIR", agentDir);
    const root = join(agentDir, "sessions");
    for (const [name, add] of Object.entries(ODD)) add(session({ id: name })).writeBelow(root);
    const listed = async (Manager: typeof SessionManager) =>
      Object.fromEntries((await Manager.listAll()).map((info) => [info.id, JSON.stringify(info)]));
    const theirs = await listed((await piAsReleased(release)) as unknown as typeof SessionManager);
    expect(await listed(SessionManager)).toEqual(theirs);
    withIndex(join(agentDir, "sessiondb"), (index) => {
      syncAll(index, [root], { now: () => Date.now() + 60_000 });
    });
    expect(await listed(SessionManager)).toEqual(theirs);
    expect(Object.keys(theirs).length).toBeLessThan(Object.keys(ODD).length);
  });
});
