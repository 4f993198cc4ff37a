import { type CommandLine, CommandLineError } from "./command-line.ts";
import { type Json, numberOf, objectOf, objectsIn, textOf } from "./json-document.ts";
import type { Asked } from "./panel-source.ts";
import { oneLine, restBelow } from "./text.ts";

/** A session as a list shows it, without secrets. */
export interface SessionRow {
  id: string;
  path: string;
  /** The entry with which it goes on; empty where it has none. */
  leafId: string;
  cwd: string;
  /** Empty where it was given none. */
  name: string;
  /** The name, else the beginning of the first question. */
  title: string;
  /** Its beginning. */
  firstMessage: string;
  /** ISO 8601. */
  modified: string;
  messages: number;
  models: string;
  /** US dollars. */
  cost: number;
  /** Of its sub-agents. */
  subagents: { sessions: number; cost: number };
}

/** Other orders than that of the index, which has the last active one first. */
const ORDERS: Readonly<Record<string, (one: SessionRow, other: SessionRow) => number>> = {
  cost: (one, other) => other.cost - one.cost,
  messages: (one, other) => other.messages - one.messages,
  title: (one, other) => one.title.localeCompare(other.title),
  oldest: (one, other) => one.modified.localeCompare(other.modified),
};
export const SESSION_SORTS = ["recent", "cost", "messages", "title"];

/** This many are enough for a first look. */
const FIRST = 100;

/** The sessions of all projects, last active first: kept from one look to the next, so that a list is there at once. */
export class KnownSessions {
  readonly #commandLine: CommandLine;
  #rows: readonly SessionRow[] = [];
  #questions = 0;
  /** The number of the question that the rows answer; 0 for a first look. */
  #answered = 0;

  constructor(commandLine: CommandLine) {
    this.#commandLine = commandLine;
  }

  /**
   * Reads the index as it stands: all of it, or the few of a first look, which never take the place of all. An index that
   * does not exist yet holds none.
   *
   * @throws CommandLineError
   */
  async read(cwd: string, { all }: { all: boolean }): Promise<void> {
    const question = all ? ++this.#questions : 0;
    const words = ["list", "--masked", "--no-sync", "--limit", all ? "0" : String(FIRST)];
    try {
      const { sessions } = await this.#commandLine.ask(words, { cwd });
      // What was asked later may have been answered sooner.
      if (question < this.#answered) return;
      this.#rows = objectsIn(sessions).map(sessionRow);
      this.#answered = question;
    } catch (error) {
      if (!(error instanceof CommandLineError) || error.code !== "not_found") throw error;
    }
  }

  /**
   * Those that hold every word that was typed, in title, first message, project, model or id. A handle (`01a0e225:16`) stands for
   * its session.
   */
  matching(
    { query, here, named = false, sort = "" }: Pick<Asked, "query" | "here"> & Partial<Asked>,
    cwd: string,
  ): SessionRow[] {
    const typed = query.toLowerCase().split(/\s+/).filter(Boolean);
    const words = typed.map((word) => word.replace(/^([0-9a-f]{8}[0-9a-f-]*):\d+(?:\.\d+)?$/, "$1"));
    const found = this.#rows.filter(
      (row) =>
        (!here || restBelow(row.cwd, cwd) !== null) && (!named || row.name !== "") && holdsAll(row, words),
    );
    const order = ORDERS[sort];
    return order === undefined ? found : found.sort(order);
  }
}

function sessionRow(json: Json): SessionRow {
  return {
    id: textOf(json.id),
    path: textOf(json.path),
    leafId: textOf(json.leafId),
    cwd: textOf(json.cwd),
    name: oneLine(textOf(json.name)),
    title: oneLine(textOf(json.title)) || "(empty)",
    firstMessage: oneLine(textOf(json.firstMessage)),
    modified: textOf(json.modifiedAt),
    messages: numberOf(json.messageCount),
    models: Array.isArray(json.models) ? oneLine(json.models.map(textOf).join(", ")) : "",
    cost: numberOf(objectOf(json.usage).cost),
    subagents: {
      sessions: numberOf(objectOf(json.subagents).sessions),
      cost: numberOf(objectOf(json.subagents).cost),
    },
  };
}

function holdsAll({ title, firstMessage, cwd, models, id }: SessionRow, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = [title, firstMessage, cwd, models, id].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}
