import { type ChildProcess, spawn } from "node:child_process";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { SessionDbError } from "../../errors.ts";
import { moduleAt } from "../../runtime/module-path.ts";
import { Thread } from "../../runtime/thread.ts";
import type { Gate } from "../../serve/gate.ts";
import { ChangeWatch } from "../../serve/index-changes.ts";
import { type Listening, listen } from "../../serve/listen.ts";
import { PageFiles } from "../../serve/page-files.ts";
import { pageHandler } from "../../serve/page-handler.ts";
import { type ErrorBody, type ExportAsked, type Exportation, pageRoutes } from "../../serve/page-routes.ts";
import {
  type BeginAnswerer,
  type NumberedAnswer,
  type NumberedQuestion,
  QuestionQueue,
} from "../../serve/question-queue.ts";
import { SignIn } from "../../serve/sign-in.ts";
import { SqlAnswers } from "../../serve/sql-answers.ts";
import type { Context } from "../command-line/command.ts";
import { packageRoot } from "../command-line/package.ts";
import type { AnswerOrders } from "./answer-orders.ts";
import { errorIn } from "./told-error.ts";

export interface PageSettings {
  /** The first port that is tried; 0 for any. */
  port: number;
  /** Of the page below localhost; null for 127.0.0.1 itself. */
  name: string | null;
  /** Another name and port that the page is reached by. */
  publicAuthority: string | undefined;
  orders: AnswerOrders;
}

export interface PageServer {
  /** A link that opens the page at a place, once, within a minute. */
  link(at: string): string;
  close(): Promise<void>;
}

/** Begins to serve the page. @throws SessionDbError as `listen` */
export async function startPageServer(context: Context, settings: PageSettings): Promise<PageServer> {
  const { world, config, talk } = context;
  const { orders, name } = settings;
  const signIn = new SignIn(world.steady);
  const gate: Gate & { authorities: string[] } = { authorities: [], opens: (token) => signIn.holds(token) };
  const questions = new QuestionQueue(beginAnswering(orders));
  // Loading what answers takes as long as many answers.
  questions.begin();
  const app = pageRoutes({
    about: orders.about,
    files: new PageFiles(new URL("dist/src/serve/page/", packageRoot())),
    signIn,
    questions,
    longQuestions: new QuestionQueue(beginAnswering(orders)),
    changes: new ChangeWatch(config.location),
    sql: new SqlAnswers({ location: config.location, program: world.sqlProgram, reveal: orders.reveal }),
    exported: (query, asked) => exported(query, orders, asked),
    onStolenCode: () =>
      talk.note("a link came a second time: whoever had opened the page with it is signed out."),
  });
  const handler = pageHandler(gate, app);
  const server: Listening = await (name === null
    ? listen(handler, settings.port, ["127.0.0.1"])
    : listen(handler, settings.port));
  if (settings.port !== 0 && server.port !== settings.port)
    talk.note(`port ${settings.port} is taken: the page is at ${server.port}.`);
  const authority = `${name === null ? "127.0.0.1" : `${name}.localhost`}:${server.port}`;
  gate.authorities.push(
    authority,
    ...(settings.publicAuthority === undefined ? [] : [settings.publicAuthority]),
  );
  return {
    link: (at) => `http://${settings.publicAuthority ?? authority}${at}#code=${signIn.issue()}`,
    close: () => server.close(),
  };
}

function beginAnswering(orders: AnswerOrders): BeginAnswerer {
  return (hear, fail) => {
    const thread = new Thread<AnswerOrders, NumberedQuestion, NumberedAnswer>({
      module: moduleAt("src/cli/serve/answer-thread"),
      orders,
      hear,
      fail,
    });
    thread.unref();
    return thread;
  };
}

const TYPES: Readonly<Record<string, string>> = {
  md: "text/markdown; charset=utf-8",
  html: "text/html; charset=utf-8",
  jsonl: "application/jsonl",
};

/** The command that exports, in a process of its own: the largest pages are a hundred megabytes, and nobody waits twice. */
async function exported(
  query: [string, string][],
  orders: AnswerOrders,
  { signal, breakOff }: ExportAsked,
): Promise<Exportation | ErrorBody> {
  const { session = "", format = "html", branch, ...more } = Object.fromEntries(query);
  const type = TYPES[format];
  const [other] = Object.keys(more);
  // No argument of a process holds a NUL.
  const isPassed = !`${session}${branch ?? ""}`.includes("\0");
  if (type === undefined || other !== undefined || session === "" || !isPassed) {
    throw new SessionDbError("usage", "an export is asked for with session, format and branch");
  }
  const child = spawn(
    process.execPath,
    [
      fileURLToPath(moduleAt("src/cli/main")),
      ...orders.places,
      "export",
      "--no-sync",
      `--format=${format}`,
      ...(branch === undefined ? [] : [`--branch=${branch}`]),
      ...(orders.reveal ? ["--reveal"] : []),
      "--json",
      "--",
      session,
    ],
    { stdio: ["ignore", "pipe", "pipe"], signal, killSignal: "SIGKILL" },
  );
  const pieces = await piecesOf(child, breakOff);
  return "code" in pieces ? pieces : { type, pieces };
}

/**
 * What a process writes; its first bytes come only where nothing went wrong. Else what it has said was wrong. Where it fails
 * later, the answer breaks off: half a file must not look like a whole one.
 */
async function piecesOf(
  child: ChildProcess,
  breakOff: () => void,
): Promise<ReadableStream<Uint8Array> | ErrorBody> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("a process without pipes");
  let said = "";
  stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const code = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  // It comes at the end of nothing, too.
  const hasBegun = new Promise<boolean>((resolve) => {
    stdout.once("readable", () => stdout.readableLength > 0 && resolve(true));
  });
  const isWell = await Promise.race([hasBegun, code.then((number) => number === 0)]);
  if (!isWell) return errorIn(said);
  const whole = async function* (): AsyncGenerator<Buffer> {
    yield* stdout;
    if ((await code.catch(() => null)) !== 0) breakOff();
  };
  return Readable.toWeb(Readable.from(whole(), { objectMode: false })) as ReadableStream<Uint8Array>;
}
