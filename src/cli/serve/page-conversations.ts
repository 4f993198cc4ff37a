import { usingIndex } from "../../api/in-index.ts";
import { SessionDbError } from "../../errors.ts";
import { readHtmlPiece } from "../../render/conversation-piece.ts";
import { OpenConversations } from "../../reports/open-conversations.ts";
import { readConversation, readOutline } from "../../reports/read-conversation.ts";
import type { PageQuestion } from "../../serve/page-routes.ts";
import type { AnswerOrders } from "./answer-orders.ts";

const PLACE = "conversation/";

/** Whether a question is about one conversation: these are answered by the library, not by a command. */
export function isOfConversation({ path }: PageQuestion): boolean {
  return path.startsWith(PLACE);
}

/** Conversations that the page reads piece by piece. */
export class PageConversations {
  readonly #orders: AnswerOrders;
  readonly #open = new OpenConversations();

  constructor(orders: AnswerOrders) {
    this.#orders = orders;
  }

  /** The outline of a branch, or a piece of it. @throws SessionDbError as `readConversation`; `usage` */
  answer({ path, query }: PageQuestion): Promise<object> {
    const { location, roots, reveal, about } = this.#orders;
    const { session, branch, from, count } = wordsOf(query);
    const options = {
      roots,
      reveal,
      ...(branch !== undefined && { branch }),
      ...(from !== undefined && { from: countIn(from) }),
      ...(count !== undefined && { count: countIn(count) }),
    };
    return usingIndex(location, { readonly: true }, (index) => {
      switch (path.slice(PLACE.length)) {
        case "outline":
          return { schemaVersion: 1, ...readOutline(index, session, options, this.#open) };
        case "entries":
          return { schemaVersion: 1, ...readConversation(index, session, options, this.#open) };
        case "html": {
          const { timezone } = about;
          return { schemaVersion: 1, ...readHtmlPiece(index, session, { ...options, timezone }, this.#open) };
        }
        default:
          throw new SessionDbError("not_found", "there is no such question");
      }
    });
  }
}

const NAMES = ["session", "branch", "from", "count"] as const;
type Name = (typeof NAMES)[number];

function wordsOf(query: PageQuestion["query"]): { session: string } & Partial<Record<Name, string>> {
  const words: Partial<Record<Name, string>> = {};
  for (const [name, value] of query) {
    const known = NAMES.find((each) => each === name);
    if (known === undefined)
      throw new SessionDbError("usage", `a conversation is not asked for with ${name}`);
    words[known] = value;
  }
  const { session = "" } = words;
  if (session === "") throw new SessionDbError("usage", "which session is meant is not said");
  return { ...words, session };
}

function countIn(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SessionDbError("usage", `this is no whole number: ${text}`);
}
