import { type CommandLine, CommandLineError } from "../panels/command-line.ts";
import { moneyOf } from "../panels/draw.ts";
import { type Json, numberOf, objectOf, objectsIn, textOf } from "../panels/json-document.ts";
import { oneLine } from "../panels/text.ts";
import { say } from "./dialogs.ts";
import type { Context } from "./host.ts";

const STATES = ["within", "warns", "over"];
const WHEN: Readonly<Record<string, string>> = {
  day: "today",
  week: "this week",
  month: "this month",
  total: "in all",
};

/** What today has cost, where that is shown. */
export interface CostStatus {
  isShown(): boolean;
  show(today: Json, context: Context): void;
}

/**
 * Says when a budget begins to warn, and when it is over: once for each limit and period. What was so before the session
 * is known already. Asked in the background after each turn, one question at a time; nobody ever waits for it.
 */
export class BudgetNotes {
  readonly #commandLine: CommandLine;
  readonly #cost: CostStatus | undefined;
  readonly #end = new AbortController();
  /** How bad each limit of each period was, as a place in `STATES`; undefined until that was asked. */
  #known: Map<string, number> | undefined;
  #isAsking = false;
  #isToAskAgain = false;

  /** @param cost gets what today has cost, after each turn, also where there are no budgets */
  constructor(commandLine: CommandLine, cost?: CostStatus) {
    this.#commandLine = commandLine;
    this.#cost = cost;
  }

  /** Takes what holds as a session begins, from the index as it stands. */
  async begin(context: Context): Promise<void> {
    await this.#ask(context, ["--no-sync"]);
    if (this.#isToAskAgain) await this.turnEnded(context);
  }

  /** Looks whether a turn has crossed a line; at nothing where there are no budgets, and the cost is not shown. */
  async turnEnded(context: Context): Promise<void> {
    if (this.#known?.size === 0 && this.#cost?.isShown() !== true) return;
    this.#isToAskAgain = true;
    while (this.#isToAskAgain && !this.#isAsking && !this.#end.signal.aborted) {
      this.#isToAskAgain = false;
      await this.#ask(context, []);
    }
  }

  end(): void {
    this.#end.abort();
  }

  async #ask(context: Context, options: readonly string[]): Promise<void> {
    this.#isAsking = true;
    try {
      const words = ["usage", "statusline", ...options];
      const { signal } = this.#end;
      const { budgets, today } = await this.#commandLine.ask(words, { cwd: context.cwd, signal });
      if (signal.aborted) return;
      this.#take(objectsIn(budgets), context);
      if (this.#cost?.isShown()) this.#cost.show(objectOf(today), context);
    } catch (error) {
      // Nobody has asked; whoever asks for the costs gets the error.
      if (!(error instanceof CommandLineError)) throw error;
    } finally {
      this.#isAsking = false;
    }
  }

  #take(limits: readonly Json[], context: Context): void {
    const before = this.#known;
    const known = new Map(before);
    for (const limit of limits) {
      const line = JSON.stringify([limit.name, limit.period, limit.since]);
      const state = STATES.indexOf(textOf(limit.state));
      if (before !== undefined && state > (before.get(line) ?? 0)) tell(limit, context);
      known.set(line, Math.max(state, known.get(line) ?? 0));
    }
    this.#known = known;
  }
}

function tell(limit: Json, context: Context): void {
  const { spent, period, state } = limit;
  const sizes = `${moneyOf(numberOf(spent))} of ${moneyOf(numberOf(limit.limit))} ${WHEN[textOf(period)] ?? ""}`;
  const says = state === "over" ? "is over" : "warns";
  say(context, `The budget ${oneLine(textOf(limit.name))} ${says}: ${sizes}`, "warning");
}
