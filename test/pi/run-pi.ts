import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { peersDir } from "../helpers/peers.ts";

export const project = join(import.meta.dirname, "..", "..");
const PI = join(peersDir, "node_modules/@mariozechner/pi-coding-agent/dist/cli.js");
const FAUX_MODEL = join(import.meta.dirname, "faux-model.mjs");
const SAMPLES = join(project, "test", "samples", "agent", "sessions");

/** A world for pi: an agent folder with the sample sessions, and a directory to be in. */
export interface PiWorld {
  agentDir: string;
  cwd: string;
  /** The package to load the extension from. */
  extension: string;
  path?: string;
}

export function piWorld(dir: string, options: { extension?: string; path?: string } = {}): PiWorld {
  const world = { agentDir: join(dir, "agent"), cwd: join(dir, "work"), extension: project, ...options };
  mkdirSync(world.cwd);
  cpSync(SAMPLES, join(world.agentDir, "sessions"), { recursive: true });
  return world;
}

function argumentsOf({ extension }: PiWorld): string[] {
  return [PI, "-e", extension, "-e", FAUX_MODEL, "--model", "faux/parrot"];
}

function optionsOf({ agentDir, cwd, path }: PiWorld) {
  const offline = { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" };
  const env = { ...process.env, ...offline, PI_CODING_AGENT_DIR: agentDir, ...(path && { PATH: path }) };
  return { cwd, env };
}

/** A pi for a terminal of its own. */
export function piCommand(world: PiWorld): { words: string[]; env: Record<string, string>; cwd: string } {
  const { agentDir, cwd } = world;
  const env = { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_CODING_AGENT_DIR: agentDir };
  return { words: [process.execPath, ...argumentsOf(world)], env, cwd };
}

/** `pi -p MESSAGE`. */
export function printWithPi(world: PiWorld, message: string): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const words = [...argumentsOf(world), "-p", message];
    const child = execFile(process.execPath, words, optionsOf(world), (error, stdout, stderr) =>
      error ? reject(error) : resolve({ stdout, stderr }),
    );
    child.stdin?.end();
  });
}

type Message = Record<string, unknown>;

/** A pi that is talked to over RPC. */
export class RpcPi implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #seen: Message[] = [];
  #onMessage: () => void = () => undefined;
  #end: string | undefined;

  constructor(world: PiWorld) {
    this.#child = spawn(process.execPath, [...argumentsOf(world), "--mode", "rpc"], optionsOf(world));
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      this.#seen.push(JSON.parse(line) as Message);
      this.#onMessage();
    });
    let stderr = "";
    this.#child.stderr.on("data", (data: Buffer) => {
      stderr += data.toString();
    });
    this.#child.on("exit", (code) => {
      this.#end = `pi ended with ${code}: ${stderr}`;
      this.#onMessage();
    });
  }

  send(message: Message): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** The next message that has these fields. */
  async next(fields: Message): Promise<Message> {
    for (;;) {
      const at = this.#seen.findIndex((each) =>
        Object.entries(fields).every(([key, value]) => each[key] === value),
      );
      const [found] = at < 0 ? [] : this.#seen.splice(at, 1);
      if (found) return found;
      if (this.#end !== undefined) throw new Error(this.#end);
      await new Promise<void>((resolve) => {
        this.#onMessage = resolve;
      });
    }
  }

  /** The data with which pi answers. */
  async ask(type: string): Promise<Message> {
    this.send({ type });
    return (await this.next({ type: "response", command: type })).data as Message;
  }

  /** What it does in the background ends with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#end !== undefined) return;
    const ended = once(this.#child, "exit");
    this.#child.kill();
    await ended;
  }
}
