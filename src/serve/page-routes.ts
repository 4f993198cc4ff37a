import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { type ErrorCode, SessionDbError } from "../errors.ts";
import type { QuestionQueue } from "../runtime/question-queue.ts";
import { LOGIN } from "./gate.ts";
import type { ChangeWatch } from "./index-changes.ts";
import type { PageFiles } from "./page-files.ts";
import type { SignIn } from "./sign-in.ts";
import type { SqlAnswers } from "./sql-answers.ts";

/** A request as the server of Node has it. */
export interface Served {
  Bindings: HttpBindings;
}

/** A question to the index, as the page asks it: `usage`, with the names and values behind the question mark. */
export interface PageQuestion {
  path: string;
  query: [name: string, value: string][];
}

export interface PageAnswer {
  /** Of HTTP. */
  status: number;
  type: string;
  body: string;
  /** What the answer lacks, as sentences. */
  notes: string[];
}

/** What the page has to know to show anything; it holds as long as the server runs. */
export interface PageFacts {
  version: string;
  /** An IANA name: days begin at its midnights. */
  timezone: string;
  weekStart: string;
  /** Whether secrets are shown. */
  reveals: boolean;
  /** Whether a team's database can be asked. */
  hasTeam: boolean;
  /** The user's home directory, for `~`. */
  home: string;
}

/** What answers, behind the gate. */
export interface PageAnswers {
  files: PageFiles;
  about: PageFacts;
  signIn: SignIn;
  questions: QuestionQueue<PageQuestion, PageAnswer>;
  /** Of those that take seconds in large stores, so that others need not wait for them. */
  longQuestions: QuestionQueue<PageQuestion, PageAnswer>;
  changes: ChangeWatch;
  sql: SqlAnswers;
  /** A session as a file, as it is written. */
  exported(query: [string, string][], asked: ExportAsked): Promise<Exportation | ErrorBody>;
  /** Is told when a code has come a second time, and its token was taken back. */
  onStolenCode(): void;
}

export interface ExportAsked {
  signal: AbortSignal;
  /** Ends the connection, so that whoever has asked sees that what has come is not all. */
  breakOff(): void;
}

export interface Exportation {
  type: string;
  pieces: ReadableStream<Uint8Array>;
}

const QUESTIONS = "/api/v1/";
/** They look at every file, or at every request. */
const LONG = ["doctor", "waste"];

/** What a team's database answers may take as long as its server wants. */
function isLong({ path, query }: PageQuestion): boolean {
  return LONG.includes(path) || query.some(([name]) => name === "team");
}

/** Between two signs of life of a stream, in ms: something between may close what is silent. */
const ALIVE_MS = 20_000;

/** Where a request goes that the gate has let in. */
export function pageRoutes(answers: PageAnswers): Hono<Served> {
  const app = new Hono<Served>();
  addPosts(app, answers);
  app.get(`${QUESTIONS}events`, (context) => streamChanges(context, answers.changes));
  app.get(`${QUESTIONS}about`, (context) => context.json({ schemaVersion: 1, ...answers.about }));
  app.get(`${QUESTIONS}export`, async (context) => {
    const { signal } = context.req.raw;
    const breakOff = (): void => void context.env.outgoing.destroy();
    const exported = await answers.exported(queryOf(context.req.url), { signal, breakOff });
    if ("code" in exported) return errorResponse(statusOf(exported.code), exported);
    return context.body(exported.pieces, 200, { "content-type": exported.type });
  });
  app.get(`${QUESTIONS}*`, async (context) => {
    const path = context.req.path.slice(QUESTIONS.length);
    const question = { path, query: queryOf(context.req.url) };
    const queue = isLong(question) ? answers.longQuestions : answers.questions;
    const { status, type, body, notes } = await queue.ask(question, context.req.raw.signal);
    return new Response(body, { status, headers: { "content-type": type, ...notesHeader(notes) } });
  });
  app.get("/api/*", () => {
    throw new SessionDbError("not_found", "there is no such question");
  });
  app.get("*", (context) => answers.files.answer(context.req.path));
  app.onError((error) => failed(error));
  return app;
}

/** Each change of the index, as long as somebody listens. */
function streamChanges(context: Context<Served>, changes: ChangeWatch): Response {
  return streamSSE(context, async (stream) => {
    const ended = new AbortController();
    const { outgoing } = context.env;
    stream.onAbort(() => ended.abort());
    // Of a connection that was closed before, nothing else tells.
    outgoing.once("close", () => ended.abort());
    if (outgoing.destroyed) ended.abort();
    const alive = setInterval(() => void stream.write(": \n\n"), ALIVE_MS);
    try {
      await stream.write(": \n\n");
      for await (const change of changes.changes(ended.signal))
        await stream.writeSSE({ event: "changed", data: JSON.stringify(change) });
    } finally {
      clearInterval(alive);
    }
  });
}

function addPosts(app: Hono<Served>, answers: PageAnswers): void {
  app.post(LOGIN, async (context) => {
    const body: unknown = await context.req.json();
    return logIn(codeIn(body), answers);
  });
  app.post(`${QUESTIONS}sql`, async (context) => {
    const answer = await answers.sql.run(await context.req.json(), context.req.raw.signal);
    return context.json(answer);
  });
  app.post("/api/*", () => {
    throw new SessionDbError("not_found", "there is no such question that is posted");
  });
}

function logIn(code: string, { signIn, onStolenCode }: PageAnswers): Response {
  const exchanged = signIn.exchange(code);
  if (typeof exchanged !== "string") return Response.json({ schemaVersion: 1, token: exchanged.token });
  if (exchanged === "again") onStolenCode();
  const message =
    exchanged === "late" ? "this link is too old" : "this link is not valid, or was used before";
  const hint = "Press Enter where sessiondb serve runs: it prints another one.";
  // What a page of somebody else's may have left at this address goes, too.
  return errorResponse(401, { code: "signed_out", message, hint }, { "clear-site-data": '"storage"' });
}

function codeIn(body: unknown): string {
  if (typeof body === "object" && body !== null && "code" in body && typeof body.code === "string")
    return body.code;
  throw new SessionDbError("usage", "a login is {code}");
}

function queryOf(url: string): [string, string][] {
  return [...new URL(url).searchParams];
}

/** Headers are ASCII. */
function notesHeader(notes: readonly string[]): Record<string, string> {
  return notes.length === 0 ? {} : { "sessiondb-notes": encodeURIComponent(JSON.stringify(notes)) };
}

/** What is wrong, and what to do about it. */
export interface ErrorBody {
  code: string;
  message: string;
  hint: string | null;
  choices?: readonly string[];
}

function errorResponse(status: number, error: ErrorBody, headers: Record<string, string> = {}): Response {
  return Response.json({ error }, { status, headers });
}

function failed(error: unknown): Response {
  if (error instanceof SessionDbError) {
    const { code, message, hint = null, choices } = error;
    return errorResponse(statusOf(code), { code, message, hint, ...(choices.length > 0 && { choices }) });
  }
  if (error instanceof SyntaxError)
    return errorResponse(400, { code: "usage", message: "this is no JSON", hint: null });
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return errorResponse(500, { code: "bug", message: `this is a bug in sessiondb: ${message}`, hint: null });
}

const STATUS: Partial<Record<string, number>> = {
  usage: 400,
  refused: 400,
  sql: 400,
  not_found: 404,
  ambiguous: 409,
  busy: 503,
  timeout: 504,
} satisfies Partial<Record<ErrorCode, number>>;

/** @param code of a SessionDbError, or another that a command has told */
export function statusOf(code: string): number {
  return STATUS[code] ?? 500;
}
