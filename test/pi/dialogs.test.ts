import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resumeSession } from "../../src/pi/dialogs.ts";
import type { CommandContext, Dialogs } from "../../src/pi/host.ts";
import { session } from "../helpers/session-builder.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** What pi is told when a session is chosen in its own `own`, while it works or not. */
async function choosing(path: string, own: string, work: "idle" | "stays" | "leaves"): Promise<string[]> {
  const told: string[] = [];
  const ui: Partial<Dialogs> = {
    notify: (message) => told.push(message.replace(/:.*/s, "")),
    confirm: async () => work === "leaves",
  };
  await resumeSession(path, {
    ui,
    hasUI: true,
    sessionManager: { getSessionFile: () => own },
    isIdle: () => work === "idle",
    switchSession: async () => told.push("switched"),
  } as unknown as CommandContext);
  return told;
}

test("a session is resumed only where it is there and another one, and where nobody wants to stay", async () => {
  const dir = tempDir();
  const [own, other, gone] = [join(dir, "own.jsonl"), join(dir, "other.jsonl"), join(dir, "gone.jsonl")];
  for (const path of [own, other]) session().user("tide").write(path);
  expect(await choosing(own, own, "idle")).toEqual(["You are in this session already."]);
  symlinkSync(own, join(dir, "link.jsonl"));
  expect(await choosing(join(dir, "link.jsonl"), own, "idle")).toEqual(["You are in this session already."]);
  expect(await choosing(own, join(dir, "link.jsonl"), "idle")).toEqual(["You are in this session already."]);
  expect(await choosing(gone, own, "idle")).toEqual(["The session is gone"]);
  expect(await choosing(other, own, "stays")).toEqual([]);
  expect(await choosing(other, own, "leaves")).toEqual(["switched"]);
  expect(await choosing(other, own, "idle")).toEqual(["switched"]);
});
