import { type ChildProcess, spawn } from "node:child_process";
import { request } from "node:http";
import { pollUntil } from "./poll-until.ts";
import { askToEndWithTest } from "./processes.ts";
import { MAIN } from "./program.ts";

export interface Said {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

export interface Asking {
  body?: string;
  signal?: AbortSignal;
  /** Is told of all that has come so far. */
  hear?: (text: string) => void;
}

/** A request with exactly these headers, and Host, to the server that listens at a port of this machine. */
export function ask(
  at: { port: number; host: string; address?: string },
  path: string,
  { body, headers = {}, signal, hear }: Asking & { headers?: Record<string, string> } = {},
): Promise<Said> {
  const json =
    body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: at.address ?? "127.0.0.1",
        port: at.port,
        agent: false,
        path,
        method: body === undefined ? "GET" : "POST",
        headers: { host: at.host, ...json, ...headers },
        ...(signal && { signal }),
      },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (piece: string) => {
          text += piece;
          hear?.(text);
        });
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
        answer.on("error", reject);
      },
    );
    asked.on("error", reject).end(body);
  });
}

/** `sessiondb serve`, as it runs, until the test ends. */
export class ServedPage {
  readonly child: ChildProcess;
  /** What it has printed. */
  stdout = "";
  stderr = "";

  private constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.on("data", (piece) => {
      this.stdout += piece;
    });
    child.stderr?.on("data", (piece) => {
      this.stderr += piece;
    });
  }

  /** @param args behind `serve --no-open`; any port is taken */
  static async start(
    args: readonly string[],
    before: readonly string[] = [],
    program: string = MAIN,
  ): Promise<ServedPage> {
    const child = spawn(
      process.execPath,
      [program, ...before, "serve", "--no-open", "--port", "0", ...args],
      {
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const page = new ServedPage(askToEndWithTest(child));
    await pollUntil(() => page.stderr.includes("Ctrl-C ends") || child.exitCode !== null, {
      what: "the page",
    });
    if (child.exitCode !== null) throw new Error(page.stderr);
    return page;
  }

  /** The link that was printed last. */
  get link(): URL {
    return new URL(this.stdout.trim().split("\n").at(-1) ?? "");
  }

  get at(): { port: number; host: string } {
    return { port: Number(this.link.port), host: this.link.host };
  }

  get code(): string {
    return this.link.hash.slice("#code=".length);
  }

  login(code = this.code): Promise<Said> {
    return ask(this.at, "/api/v1/login", { body: JSON.stringify({ code }) });
  }

  /** Asks with the token for the code, which it is exchanged for once. */
  async signIn(): Promise<(path: string, asking?: Asking) => Promise<Said>> {
    const { token } = JSON.parse((await this.login()).text) as { token: string };
    const headers = { authorization: `Bearer ${token}` };
    return (path, asking = {}) => ask(this.at, `/api/v1/${path}`, { ...asking, headers });
  }
}
