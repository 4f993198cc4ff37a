import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, runJson, sampleAgent } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());
const samples = { agentDir };

describe("labels", () => {
  test("are told with their session, entry and place, newest first, or oldest", async () => {
    const { labels } = (await runJson(["labels"], samples)) as {
      labels: {
        label: string;
        timestamp: string;
        session: { path: string };
        entryId: string;
        copies: object[];
      }[];
    };
    expect(labels.length).toBe(11);
    expect(labels.flatMap(({ copies }) => copies).length).toBe(5);
    expect(labels[0]).toMatchObject({ label: "0.4.0 changelog", entryId: "88c57dac" });
    const times = labels.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted().reverse());
    const { labels: oldest } = (await runJson(["labels", "--sort", "oldest"], samples)) as {
      labels: object[];
    };
    expect(oldest).toHaveLength(11);
    expect(oldest[10]).toEqual(labels[0]);
  });

  test("are cut off where they are asked to be, which is said", async () => {
    const first = await runCli(["labels", "--limit", "2"], samples);
    expect(first.stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(first.stderr).toBe("Showing the first 2 labels; --limit 0 shows all.\n");
    expect((await runCli(["labels", "--limit", "11"], samples)).stderr).toBe("");
    expect((await runCli(["labels", "--limit", "2", "--json"], samples)).stderr).toBe("");
  });

  test("can be asked for by their text, case ignored", async () => {
    const { labels } = (await runJson(["labels", "--label", "CAUSE found"], samples)) as { labels: object[] };
    expect(labels).toMatchObject([
      {
        label: "cause found",
        session: { cwd: "/home/ada/projects/orchard" },
        line: 9,
        copies: [{ session: { cwd: "/home/ada/projects/orchard-sensors" }, line: 9 }],
      },
    ]);
    const inFork = ["labels", "--label", "cause found", "--project", "/home/ada/projects/orchard-sensors"];
    expect(await runJson(inFork, samples)).toMatchObject({
      labels: [{ session: { cwd: "/home/ada/projects/orchard-sensors" }, copies: [] }],
    });
  });

  test("can be asked for where what they were given to is not in the file", async () => {
    const agentDir = emptyAgent(tempDir());
    session().user("x").label("gone", "todo").writeBelow(join(agentDir, "sessions"));
    const document = await runJson(["labels", "--label", "TODO"], { agentDir });
    expect(document).toMatchObject({ labels: [{ label: "todo", entryId: "gone", line: null }] });
    expect((await runCli(["labels"], { agentDir })).stdout).toMatch(/\tgone\t\S+\.jsonl\t\n$/);
  });

  test("are none where none was given, and none that match where some were", async () => {
    const agentDir = emptyAgent(tempDir());
    expect((await runCli(["labels"], { agentDir })).stderr).toBe("No entry is labelled.\n");
    const { stderr } = await runCli(["labels", "--until", "2020"], samples);
    expect(stderr).toBe("No labelled entry matches.\n");
  });
});
