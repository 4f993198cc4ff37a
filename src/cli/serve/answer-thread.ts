import { existsSync } from "node:fs";
import type { MessagePort } from "node:worker_threads";
import { answerQuestions } from "../../runtime/question-queue.ts";
import { type PageAnswer, type PageQuestion, statusOf } from "../../serve/page-routes.ts";
import { maskSecrets } from "../../text/secrets.ts";
import { reportFailure } from "../output/failure.ts";
import { REGISTRY } from "../registry.ts";
import { run } from "../run.ts";
import { Collected, errorIn, maskedDocument, notesIn } from "../terminal/collected.ts";
import { Output } from "../terminal/output.ts";
import { worldOf } from "../terminal/thread-world.ts";
import type { AnswerOrders } from "./answer-orders.ts";
import { isOfConversation, PageConversations } from "./page-conversations.ts";
import { commandLineFor } from "./page-questions.ts";

/**
 * The thread that answers the page's questions, each by the command that answers it at the command line: so the page says
 * what the command says.
 */

export function serve(port: MessagePort, orders: AnswerOrders): void {
  const conversations = new PageConversations(orders);
  answerQuestions(port, (question: PageQuestion) => answerTo(question, orders, conversations));
}

/** A question is put again so often at most, while the index is deleted under it again and again. */
const MOST_TRIES = 5;

async function answerTo(
  question: PageQuestion,
  orders: AnswerOrders,
  conversations: PageConversations,
  nth = 1,
): Promise<PageAnswer> {
  const sync = orders.sync && (nth > 1 || !existsSync(orders.location.indexPath));
  const [out, talk] = [new Collected(), new Collected()];
  try {
    if (isOfConversation(question)) return jsonAnswer(await conversations.answer(question));
    const { reveal } = orders;
    const { argv, format, isMasked } = await commandLineFor(question, { registry: REGISTRY, sync, reveal });
    await run([...orders.places, ...argv], { ...worldOf(orders, out, talk), failsInJson: true });
    if (out.text !== "") {
      const body = isMasked ? out.text : masked(out.text, format);
      return { status: 200, type: TYPES[format], body, notes: notesIn(talk.text) };
    }
  } catch (error) {
    await reportFailure(error, new Output(talk, "never"), {
      json: true,
      debug: false,
      reportTo: async () => (await import("../command-line/package.ts")).packageFacts().reportTo,
    });
  }
  const error = errorIn(talk.text);
  // The index was deleted under it, or another process is just making it anew.
  const isGone = error.code === "io" ? nth < MOST_TRIES : error.code === "not_found" && !sync;
  if (orders.sync && isGone) return answerTo(question, orders, conversations, nth + 1);
  return jsonAnswer({ error }, statusOf(error.code));
}

const TYPES = { json: "application/json", csv: "text/csv; charset=utf-8" };

function masked(text: string, format: keyof typeof TYPES): string {
  return format === "csv" ? maskSecrets(text) : maskedDocument(text);
}

function jsonAnswer(document: object, status = 200): PageAnswer {
  return { status, type: TYPES.json, body: JSON.stringify(document), notes: [] };
}
