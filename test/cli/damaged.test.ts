import { spawnSync } from "node:child_process";
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { IndexLocation } from "../../src/store/location.ts";
import { loadSqlite } from "../../src/store/native.ts";
import { openIndex } from "../../src/store/open.ts";
import { everyOf, SEED } from "../helpers/fuzz.ts";
import { indexIn } from "../helpers/open-index.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import {
  emptyAgent,
  type Outcome,
  type PretendOptions,
  runCli,
  runJson,
  sampleAgent,
  takeIn,
} from "./pretend-world.ts";

/** An agent folder, by default of the samples, indexed, with its index and a trash. */
async function indexed(folder = tempDir(), agentIn = sampleAgent) {
  const world = { agentDir: agentIn(folder), trash: join(folder, "trash") };
  mkdirSync(world.trash);
  await takeIn(world);
  return { world, location: indexIn(join(world.agentDir, "sessiondb")) };
}

/** Few sessions: each of very many commands makes their index anew. */
function smallAgent(folder: string): string {
  const agentDir = emptyAgent(folder);
  const sessions = join(agentDir, "sessions");
  const read = { name: "read", arguments: { path: "/home/ada/README.md" } };
  session({ id: "one" })
    .user("when is the harvest?", { id: "asked" })
    .assistant({ toolCalls: [read] })
    .toolResult("of apples")
    .assistant()
    .label("asked", "todo")
    .writeBelow(sessions);
  session({ id: "two", timestamp: "2026-11-02T10:00:00Z" })
    .user("the harvest again")
    .assistant()
    .writeBelow(sessions);
  return agentDir;
}

function overwrite(path: string, at: number, length: number): void {
  const fd = openSync(path, "r+");
  writeSync(fd, Buffer.alloc(length, 0xa5), 0, length, at);
  closeSync(fd);
}

/** The first page of a table. */
function overwriteTable(path: string, table: string): void {
  const database = new (loadSqlite())(path, { readonly: true });
  const page = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(table);
  database.close();
  overwrite(path, (Number(page) - 1) * 4096, 4096);
}

function changeIn(path: string, sql: string): void {
  const database = new (loadSqlite())(path);
  database.unsafeMode();
  database.exec(sql);
  database.close();
}

const BLOCKS = "UPDATE entry_text_data SET block = x'ffffffffffffffff' WHERE id = 10";

/** What happens to one of the two files. */
const DAMAGES: Record<string, (path: string) => void> = {
  "a header of garbage": (path) => overwrite(path, 0, 100),
  "half of it": (path) => truncateSync(path, statSync(path).size / 2),
  nothing: (path) => truncateSync(path, 0),
  "a garbled schema": (path) => overwrite(path, 100, 3900),
  "a text": (path) => writeFileSync(path, "dear diary, ".repeat(1000)),
};

const OF_ROWS: Record<string, (path: string) => void> = {
  ...DAMAGES,
  "garbled entries": (path) => overwriteTable(path, "entry_rows"),
  "garbled texts": (path) => overwriteTable(path, "message_rows"),
  "garbled sessions": (path) => overwriteTable(path, "sessions"),
  "no table of labels": (path) => changeIn(path, "DROP TABLE labels"),
};

const OF_TEXT: Record<string, (path: string) => void> = {
  ...DAMAGES,
  "no file": (path) => rmSync(path),
  "garbled words": (path) => changeIn(path, BLOCKS),
  "no table of blocks": (path) => changeIn(path, "DROP TABLE key_blocks"),
};

/** Every command that reads the index, and answers the same however often it is asked. */
const COMMANDS =
  `list|list --no-sync|search harvest|search harvest --no-sync|search --substring harvest|show latest
usage --all|usage session --all --no-sync|tree latest|labels|files README.md|resume latest|export latest --format jsonl|schema
sql SELECT$role,text$FROM$messages$ORDER$BY$entry_key|daemon status|verify|verify --no-sync|`
    .split(/[|\n]/)
    .map((line) => line.split(" ").map((word) => word.replaceAll("$", " ")));

/** Each command meets every so many damages, and each damage every so many commands: others each time. */
const EVERY = Math.min(3, everyOf(1));

function commandsFor(damage: string, damages: object): string[][] {
  const first = SEED + Object.keys(damages).indexOf(damage);
  return COMMANDS.filter((_, at) => (at + first) % EVERY === 0);
}

function notesOf({ stderr }: Outcome): string[] {
  return stderr.split("\n").filter((line) => /damaged|full text/.test(line));
}

describe.each([
  ["index-v1.db", OF_ROWS],
  ["search-v1.db", OF_TEXT],
] as const)("D9: of %s there is left", (name, damages) => {
  const folder = sharedTempDir();
  const whole = (async () => {
    const { world, location } = await indexed(folder, smallAgent);
    const kept = join(folder, "kept");
    cpSync(join(world.agentDir, "sessiondb"), kept, { recursive: true });
    const answers = new Map<string, Outcome>();
    for (const command of COMMANDS) answers.set(String(command), await ask(command, world));
    return { world, location, kept, answers };
  })();

  async function ask(command: string[], world: PretendOptions): Promise<Outcome> {
    const asked =
      command[0] === "export" || command[0] === "" ? command.filter(Boolean) : [...command, "--json"];
    const outcome = await runCli(asked, world);
    // Not the sizes of the files of the index, nor what the front page says of its full text, which that does not need.
    const [answer = ""] = outcome.stdout.replace(/"(bytes|sizeBytes)": \d+/g, "").split("\nIndex ");
    return { ...outcome, stdout: answer };
  }

  test.each(Object.keys(damages))(
    `%s: every command answers as before, with one note at most (seed ${SEED})`,
    async (damage) => {
      const { world, kept, answers } = await whole;
      const place = join(world.agentDir, "sessiondb");
      for (const command of commandsFor(damage, damages)) {
        rmSync(place, { recursive: true });
        cpSync(kept, place, { recursive: true });
        damages[damage]?.(join(place, name));
        const outcome = await ask(command, world);
        const notes = notesOf(outcome);
        const before = answers.get(String(command));
        expect([command, outcome.code, outcome.stdout]).toEqual([command, 0, before?.stdout]);
        expect([command, notes.length > 1 ? notes : []]).toEqual([command, []]);
        const isAside = readdirSync(place).some((each) => each.endsWith(".damaged"));
        if (isAside)
          expect([command, notes]).toEqual([command, [expect.stringMatching(/^note: .* was damaged;/)]]);
      }
    },
  );
});

test("D9: what cannot be read of rows is met, and said, by each command that needs it", async () => {
  const { world, location } = await indexed();
  overwriteTable(location.indexPath, "sessions");
  const { stderr } = await runCli(["list"], world);
  expect(stderr).toBe(
    "note: the index was damaged; it was put aside (*.damaged), and is made anew from the session files.\n",
  );
  expect(existsSync(`${location.indexPath}.damaged`)).toBe(true);
  expect((await runCli(["list"], world)).stderr).toBe("");
});

test("D9: a session is deleted although the full text is damaged, and no word of it stays", async () => {
  const { world, location } = await indexed();
  changeIn(location.searchPath, BLOCKS);
  const { code, stderr } = await runCli(["delete", "01a1bfc2", "--yes"], world);
  expect([code, stderr]).toEqual([0, expect.stringContaining("the full text of the index was damaged")]);
  expect(existsSync(`${location.searchPath}.damaged`)).toBe(false);
});

const PROGRAM = join(import.meta.dirname, "..", "..", "dist", "src", "cli", "main.js");

test.each([
  ["index-v1.db", "sync"],
  ["index-v1.db", "sync --rebuild"],
  ["search-v1.db", "sync"],
  ["search-v1.db", "sync --rebuild"],
  ["index-v1.db", "doctor"],
])("D9: where %s is cut in half, %s makes it anew", async (name, command) => {
  const { world, location } = await indexed();
  const before = await runJson(["search", "harvest"], world);
  truncateSync(join(world.agentDir, "sessiondb", name), 20_000);
  const env = { ...process.env, PI_CODING_AGENT_DIR: world.agentDir };
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...command.split(" ")], {
    env,
    encoding: "utf8",
  });
  expect([status, stderr.match(/^note: the .* was damaged; it was put aside/gm)?.length]).toEqual([0, 1]);
  const index = openIndex(location, { readonly: true });
  expect(index.hasFullText).toBe(true);
  index.close();
  const after = await runCli(["search", "harvest", "--no-sync", "--json"], world);
  expect([JSON.parse(after.stdout), notesOf(after)]).toEqual([before, []]);
});

test("D9, D24: what is damaged again within the hour is left; questions are answered from the files", async () => {
  const { world, location } = await indexed();
  const before = await runJson(["list"], world);
  const cut = () => truncateSync(location.indexPath, 20_000);
  cut();
  await runJson(["list"], world);
  cut();
  for (const argv of [
    ["list", "--json"],
    ["list", "--json", "--no-sync"],
  ]) {
    const { stdout, stderr } = await runCli(argv, world);
    expect(JSON.parse(stdout)).toEqual(before);
    expect(stderr).toMatch(
      /^note: the index is damaged again, .*; the answer was read from the session files\.\n$/,
    );
  }
  expect(statSync(location.indexPath).size).toBe(20_000);
  const { code, stderr } = await runCli(["verify"], world);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("sync --rebuild makes the index anew all the same"),
  ]);
});

describe("D9: an index that --db has named", () => {
  async function named() {
    const { world } = await indexed();
    const location: IndexLocation = { indexPath: join(tempDir(), "my.db"), searchPath: "" };
    location.searchPath = location.indexPath.replace(".db", ".search.db");
    await takeIn(world, "--db", location.indexPath);
    return { world, location, option: ["--db", location.indexPath] };
  }

  test.each(["indexPath", "searchPath"] as const)(
    "is made anew where it bears our mark: %s",
    async (which) => {
      const { world, location, option } = await named();
      const before = await runJson(["search", "harvest", ...option], world);
      truncateSync(location[which], 20_000);
      expect(await runJson(["search", "harvest", ...option], world)).toEqual(before);
      expect(existsSync(`${location[which]}.damaged`)).toBe(true);
    },
  );

  test.each([
    ["a text", (path: string) => writeFileSync(path, "dear diary, ".repeat(1000))],
    ["another program's database", (path: string) => changeIn(path, "CREATE TABLE mine (a)")],
  ])("is refused, and left as it is, where it is %s", async (_name, write) => {
    const { world } = await indexed();
    const path = join(tempDir(), "notes.db");
    write(path);
    const bytes = readFileSync(path);
    for (const command of ["list", "list --no-sync", "search harvest", "usage", "verify", "sql SELECT$1"]) {
      const argv = command.split(" ").map((word) => word.replaceAll("$", " "));
      const { code, stderr } = await runCli([...argv, "--db", path], world);
      expect([command, code, stderr]).toEqual([
        command,
        1,
        expect.stringMatching(/^error: .*no.* session index.*\n$/),
      ]);
      expect(readFileSync(path).equals(bytes)).toBe(true);
    }
  });
});
