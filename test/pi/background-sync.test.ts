import { expect, test } from "vitest";
import { BackgroundSync } from "../../src/panels/background-sync.ts";
import { CommandLine } from "../../src/panels/command-line.ts";
import { answering, failing, program, recordingRun } from "./programs.ts";

const cwd = process.cwd();

function catchUpWith(answer: ReturnType<typeof program>) {
  const { run, asked } = recordingRun();
  return { catchUp: new BackgroundSync(new CommandLine([answer], run)), asked };
}

const did = (files: object) => catchUpWith(answering({ files })).catchUp.run(cwd);

test("who asks while it runs waits for the same run, who asks afterwards begins another", async () => {
  const { catchUp, asked } = catchUpWith(answering({ files: {} }));
  const both = [catchUp.run(cwd), catchUp.run(cwd)];
  expect(catchUp.isRunning).toBe(true);
  await Promise.all(both);
  expect([catchUp.isRunning, asked.length]).toEqual([false, 1]);
  await catchUp.run(cwd);
  expect(asked.length).toBe(2);
});

test("after one that failed another can be begun", async () => {
  const { catchUp, asked } = catchUpWith(failing("io"));
  await expect(catchUp.run(cwd)).rejects.toThrow("it broke");
  await expect(catchUp.run(cwd)).rejects.toThrow("it broke");
  expect(asked.length).toBe(2);
});

test("it may take as long as reading every session for the first time does", async () => {
  const { catchUp, asked } = catchUpWith(answering({ files: {} }));
  await catchUp.run(cwd);
  expect(asked.map(({ options }) => options.timeout)).toEqual([0]);
});

test("there is something new when sessions were read or have gone, or another process does the same", async () => {
  expect([await did({ indexed: 2 }), await did({ removed: 1 }), await did({ unchanged: 9 })]).toEqual([
    true,
    true,
    false,
  ]);
  expect(await catchUpWith(failing("busy")).catchUp.run(cwd)).toBe(true);
});

test("it ends when pi is done with the extension", async () => {
  const { catchUp } = catchUpWith(program("setInterval(() => undefined, 1000)"));
  const running = catchUp.run(cwd);
  expect(catchUp.hasEnded).toBe(false);
  catchUp.end();
  await expect(running).rejects.toMatchObject({ code: "aborted" });
  expect(catchUp.hasEnded).toBe(true);
});
