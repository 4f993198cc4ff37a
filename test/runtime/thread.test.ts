import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { type Serve, Thread } from "../../src/runtime/thread.ts";
import { endWithTest, finished } from "../helpers/processes.ts";
import { compiled, printedBy, WITHOUT_THREADS } from "../helpers/scripts.ts";

/** A module that can be loaded wherever there is a thread. */
function moduleOf(code: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** Says what it was given, and is told. */
const ECHO = moduleOf(`import { isMainThread } from "node:worker_threads";
  export function serve(port, orders) {
    port.postMessage(["begun", orders, isMainThread]);
    port.on("message", (told) => {
      port.postMessage(["told", told]);
      port.close();
    });
  }`);

interface Program {
  /** How the module is loaded here; without it there is no `here`. */
  here?: string;
  /** What is done first, and when the thread has ended. */
  before?: string;
  after?: string;
}

/** A program that tells a thread to end before it can have begun, and prints what that says, and fails of. */
function program({ here, before = "", after = "" }: Program): string {
  return `import { Thread } from ${compiled("src/runtime/thread.js")};
    const module = new URL(${JSON.stringify(ECHO.href)});
    const said = [];
    ${before}
    const thread = new Thread({
      module,
      orders: 5,
      hear: (answer) => said.push(answer),
      fail: (error) => said.push(error.code),
      ${here === undefined ? "" : `here: () => ${here},`}
    });
    thread.tell("end");
    await thread.ended;
    ${after}
    console.log(JSON.stringify(said));`;
}

const HERE = "import(module.href)";

/** What a thread of these contents says, and fails of. */
async function saidBy(code: string, limits = {}): Promise<unknown[]> {
  const said: unknown[] = [];
  const here = (): Promise<{ serve: Serve<null> }> => Promise.reject(new Error("it was begun here"));
  const fail = (error: unknown) => said.push(error instanceof Error ? error.message : error);
  await new Thread({ module: moduleOf(code), orders: null, limits, fail, here }).ended;
  return said;
}

describe("a thread", () => {
  test.each([[[]], [["--max-old-space-size=200"]]])(
    "is given its orders, is told more, and ends when it has closed its port, in a process with the options %j",
    async (options) => {
      expect(await printedBy(program({ here: HERE }), options)).toEqual([
        ["begun", 5, false],
        ["told", "end"],
      ]);
    },
  );

  test("that fails once it has begun is no reason to begin it here", async () => {
    const throws = `export function serve() { throw new Error("not like this"); }`;
    expect(await saidBy(throws)).toEqual(["not like this"]);
    const fills = `export function serve() { for (const all = []; ; ) all.push([...Array(1000).keys()]); }`;
    expect(await saidBy(fills, { maxOldGenerationSizeMb: 16 })).toEqual([
      expect.stringContaining("memory limit"),
    ]);
  });

  test("that finds nothing to do in its module fails", async () => {
    expect(await saidBy("export const other = 1;")).toEqual(["serve is not a function"]);
  });
});

describe("where no thread may be started", () => {
  test("the same is done here", async () => {
    expect(await printedBy(program({ here: HERE }), WITHOUT_THREADS)).toEqual([
      ["begun", 5, true],
      ["told", "end"],
    ]);
  });

  test("one that is not to be done here has failed and ended", async () => {
    expect(await printedBy(program({}), WITHOUT_THREADS)).toEqual(["ERR_ACCESS_DENIED"]);
  });

  test("one that cannot be done here either has failed of that, and ended", async () => {
    const here = `Promise.reject({ code: "mine" })`;
    expect(await printedBy(program({ here }), WITHOUT_THREADS)).toEqual(["mine"]);
  });
});

describe.skipIf(process.platform === "win32")("a thread that finds no descriptors on its way up", () => {
  /** Descriptors are all taken while it begins, and given back for what is printed. */
  async function printed(here?: string): Promise<unknown> {
    const before = `import { closeSync, openSync } from "node:fs";
      await ${HERE};
      const taken = [];
      try {
        for (;;) taken.push(openSync("/dev/null", "r"));
      } catch (error) {
        if (error.code !== "EMFILE") throw error;
      }`;
    const after = "for (const fd of taken) closeSync(fd);";
    const script = program({ before, after, ...(here && { here }) });
    const argv = [
      "-c",
      'ulimit -n 200; exec "$@"',
      "sh",
      process.execPath,
      "--input-type=module",
      "-e",
      script,
    ];
    const child = spawn("sh", argv, { stdio: ["ignore", "pipe", "pipe"] });
    const { stdout, stderr } = await finished(endWithTest(child));
    expect(stderr).toBe("");
    return JSON.parse(stdout);
  }

  test("is done without, with what it was told meanwhile", async () => {
    expect(await printed(HERE)).toEqual([
      ["begun", 5, true],
      ["told", "end"],
    ]);
  });

  test("has failed and ended where it is not to be done here", async () => {
    expect(await printed()).toEqual(["ERR_WORKER_INIT_FAILED"]);
  });
});
