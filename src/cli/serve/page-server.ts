import { moduleAt } from "../../runtime/module-path.ts";
import { QuestionQueue, threadFor } from "../../runtime/question-queue.ts";
import type { Gate } from "../../serve/gate.ts";
import { ChangeWatch } from "../../serve/index-changes.ts";
import { type Listening, listen } from "../../serve/listen.ts";
import { PageFiles } from "../../serve/page-files.ts";
import { pageHandler } from "../../serve/page-handler.ts";
import { type PageAnswer, type PageQuestion, pageRoutes } from "../../serve/page-routes.ts";
import { SignIn } from "../../serve/sign-in.ts";
import { SqlAnswers } from "../../serve/sql-answers.ts";
import { Turns } from "../../serve/turns.ts";
import { Visitors } from "../../serve/visitors.ts";
import type { Context } from "../command-line/command.ts";
import { packageRoot } from "../command-line/package.ts";
import type { AnswerOrders } from "./answer-orders.ts";
import { exported } from "./page-exports.ts";

/** Each is a process, of hundreds of megabytes for the largest sessions. */
const EXPORTS_AT_ONCE = 3;

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
  const questions = queueFor(orders);
  questions.begin();
  const turns = new Turns(EXPORTS_AT_ONCE);
  const app = pageRoutes({
    about: orders.about,
    files: new PageFiles(new URL("dist/src/serve/page/", packageRoot())),
    signIn,
    questions,
    longQuestions: queueFor(orders),
    changes: new ChangeWatch(config.location),
    sql: new SqlAnswers({ location: config.location, program: world.sqlProgram, reveal: orders.reveal }),
    exported: (query, asked) => exported(query, { orders, turns }, asked),
    onStolenCode: () =>
      talk.note("a link came a second time: whoever had opened the page with it is signed out."),
  });
  const visitors = new Visitors();
  const addresses = name === null ? { addresses: ["127.0.0.1"] } : {};
  const handler = pageHandler(gate, app, visitors);
  const server: Listening = await listen(handler, settings.port, { visitors, ...addresses });
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

/** More wait in a page that is asked by one person only if something is wrong. */
const MOST_WAITING = 32;

function queueFor(orders: AnswerOrders): QuestionQueue<PageQuestion, PageAnswer> {
  const thread = moduleAt("src/cli/serve/answer-thread");
  return new QuestionQueue(threadFor(thread, orders), { most: MOST_WAITING });
}
