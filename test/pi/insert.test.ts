import { join } from "node:path";
import { expect, test } from "vitest";
import { BackgroundSync } from "../../src/panels/background-sync.ts";
import { CommandLine } from "../../src/panels/command-line.ts";
import { findHits } from "../../src/panels/hits.ts";
import { KnownSessions } from "../../src/panels/known-sessions.ts";
import type { CommandContext } from "../../src/pi/host.ts";
import { passage } from "../../src/pi/search-command.ts";
import { mentionOf } from "../../src/pi/sessions-command.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { project } from "./run-pi.ts";

const SECRET = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
const cwd = process.cwd();

/** The command line itself, with one session below its agent folder. */
function commandLineWith(built: ReturnType<typeof session>): CommandLine {
  const agentDir = join(tempDir(), "agent");
  built.writeBelow(join(agentDir, "sessions"));
  const main = join(project, "dist", "src", "cli", "main.js");
  const program = { command: process.execPath, before: [main, "--agent-dir", agentDir] };
  return new CommandLine([program]);
}

/** What is inserted of the first hit of `puffin`. */
async function inserted(built: ReturnType<typeof session>): Promise<string> {
  const commandLine = commandLineWith(built);
  const { hits } = await findHits(commandLine, { query: "puffin", limit: 1, options: [], cwd });
  const tools = { commandLine, catchUp: new BackgroundSync(commandLine) };
  return hits[0] ? passage(hits[0], tools, { cwd } as CommandContext) : "";
}

test("of a hit is inserted what was said around it, with its place, without secrets and what a terminal obeys", async () => {
  const built = session().user("birds and beasts");
  for (const word of ["ant", "bee", "cow"]) built.user(`the ${word}`);
  built.user(`the puffin \u001b[2J ${SECRET}\nand the auk`);
  for (const word of ["dog", "elk", "fox"]) built.user(`the ${word}`);
  const text = await inserted(built);
  expect(text).toMatch(/^From an earlier session of ours \([0-9a-f]{8}:6\):\n\n/);
  const words = ["ant", "bee", "cow", "puffin", "auk", "dog", "elk", "fox"];
  expect(words.filter((word) => text.includes(`the ${word}`))).toEqual(words.slice(1, -1));
  expect(text).not.toMatch(new RegExp(`\u001b|${SECRET}`));
  expect(text).toMatch(/\n\n$/);
});

test("of a hit that is long the beginning is inserted", async () => {
  const text = await inserted(session().user(`puffin ${"and more of it ".repeat(1000)}`));
  expect(text.length).toBeLessThan(6300);
  expect(text).toMatch(/…\n\n$/);
});

test("of a session are inserted its place, and its name where it has one: what was typed may be a secret", async () => {
  const mentioned = async (built: ReturnType<typeof session>) => {
    const commandLine = commandLineWith(built);
    await commandLine.ask(["sync"], { cwd });
    const rows = new KnownSessions(commandLine);
    await rows.read(cwd, { all: true });
    return rows.matching({ query: "", here: false }, cwd).map(mentionOf);
  };
  const built = session({ cwd: "/srv/tide" }).user(`my key is ${SECRET}`);
  const [unnamed = ""] = await mentioned(built);
  expect(unnamed).toMatch(/^Our earlier session \(\/srv\/tide, \d{4}-\d\d-\d\d\): \/.*\.jsonl\n$/);
  const [named = ""] = await mentioned(built.name("Puffins"));
  expect(named).toMatch(/^Our earlier session "Puffins" \(\/srv\/tide, /);
});
