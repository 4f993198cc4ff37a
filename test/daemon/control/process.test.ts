import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive } from "../../../daemon/control/process.ts";
import { asNobody } from "../../files/as-nobody.ts";
import { pollUntil } from "../../helpers/poll-until.ts";
import { endWithTest } from "../../helpers/processes.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

test("a process is alive until it has ended", async () => {
  const child = endWithTest(spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"]));
  const pid = child.pid ?? 0;
  expect([isAlive(process.pid), isAlive(pid)]).toEqual([true, true]);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(isAlive(pid)).toBe(false);
});

test.skipIf(process.platform !== "linux")(
  "a process that has ended is not alive, though nobody has taken notice of its end",
  async () => {
    // The shell becomes a program that never asks for its children.
    const parent = endWithTest(spawn("sh", ["-c", "sleep 0.01 & echo $!; exec sleep 1000"]));
    const [told] = await once(parent.stdout, "data");
    const pid = Number(String(told));
    await pollUntil(() => !isAlive(pid), { what: "its end" });
    expect(process.kill(pid, 0)).toBe(true);
  },
);

test.skipIf(process.platform === "win32")("a process is alive that is another user's", () => {
  expect(asNobody(() => isAlive(1))).toBe(true);
});

test.skipIf(process.platform === "win32")(
  "a process is alive whatever its program is called, also where the name looks like the state of one that has ended",
  async () => {
    const program = join(tempDir(), "a) Z 1");
    symlinkSync("/bin/sh", program);
    const child = endWithTest(spawn(program, ["-c", "echo ready; read line"], { argv0: "sh" }));
    await once(child.stdout, "data");
    expect(isAlive(child.pid ?? 0)).toBe(true);
  },
);
