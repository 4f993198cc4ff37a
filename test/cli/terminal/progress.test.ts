import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { Output } from "../../../src/cli/terminal/output.ts";
import { ProgressBars } from "../../../src/cli/terminal/progress.ts";

test("work of which nothing is known yet has no bar, least of all a full one", async () => {
  const terminal = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY: true, columns: 80 });
  let now = 0;
  const bars = new ProgressBars(new Output(terminal, "never"), { steady: () => now, env: {} });
  now = 1000;
  bars.update({ phase: "search", done: 0, total: 0 });
  await bars.draw();
  const before = String(terminal.read() ?? "");
  bars.update({ phase: "search", done: 1, total: 4 });
  await bars.draw();
  bars.stop();
  expect([before, String(terminal.read())]).toEqual([
    "",
    expect.stringMatching(/Full text .* 25 % {2}1 of 4/),
  ]);
});
