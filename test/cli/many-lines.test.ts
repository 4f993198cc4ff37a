import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson } from "./pretend-world.ts";

/** More than a call of a function takes arguments. */
const MANY = 150_000;
const agentDir = emptyAgent(sharedTempDir());

beforeAll(async () => {
  const many = session().user("line\n".repeat(MANY), { id: "root" });
  for (let at = 0; at < MANY; at++) many.branchFrom("root").user("again");
  many.writeBelow(join(agentDir, "sessions"));
  await runJson(["list"], { agentDir });
});

test.each([
  ["a message of as many lines", ["show", "latest"], "  line"],
  ["a tree of as many branches", ["tree", "latest"], "─ user  again"],
  [
    "a table of as many rows",
    ["sql", "--limit", "0", "SELECT 'a row' AS text FROM entries WHERE line > 2"],
    "a row",
  ],
])("%s is printed whole", async (_what, argv, line) => {
  const { code, stdout } = await runCli([...argv, "--no-sync"], { agentDir });
  expect([code, stdout.split("\n").filter((each) => each.includes(line)).length]).toEqual([0, MANY]);
});
