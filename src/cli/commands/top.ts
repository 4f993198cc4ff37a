import { setTimeout as pause } from "node:timers/promises";
import { askIndex } from "../../api/ask.ts";
import { type ActiveSession, activeSessions } from "../../reports/active-sessions.ts";
import { formatCount, formatMoney } from "../../text/numbers.ts";
import { apiOf } from "../api-of.ts";
import { countOf, isSet } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { shownPath, shownWhen } from "../output/fields.ts";
import { printDocument } from "../output/json-output.ts";
import { type AnswerColumn, answerTable } from "../output/table.ts";
import { INDEX_OPTIONS } from "../with-index.ts";

const USUAL_MINUTES = 15;
const MINUTE_MS = 60_000;
/** How often it is looked, in ms. */
const LOOK_MS = 1000;

export const top: Command = {
  options: {
    minutes: {
      value: "N",
      describe: `Sessions that were written in so many minutes [default: ${USUAL_MINUTES}]`,
    },
    once: { describe: "Say how it is now, and end; so it is in a pipe, and with --json" },
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 top", "what your agents are doing, until Ctrl-C"],
    ["$0 top --once --minutes 60", "what was done in the last hour"],
  ],
  async run(context, args) {
    const minutes = countOf(args, "minutes", "Give a number of minutes.") || USUAL_MINUTES;
    const sync = !isSet(args, "no-sync");
    const found = await look(context, minutes, sync);
    if (context.json) printDocument(context.out, { sessions: found });
    else if (isSet(args, "once") || !context.out.isTerminal) print(context, found, minutes);
    else await watch(context, { minutes, sync, found });
    return ExitCode.done;
  },
};

function look(context: Context, minutes: number, sync: boolean): Promise<ActiveSession[]> {
  const { roots } = context.config;
  const since = context.world.now() - minutes * MINUTE_MS;
  return askIndex(apiOf(context), { sync, needs: { search: false } }, (index) =>
    activeSessions(index, { since, roots }),
  );
}

const [ALTERNATE, USUAL, HOME] = [
  "\u001b[?1049h\u001b[?25l",
  "\u001b[?25h\u001b[?1049l",
  "\u001b[H\u001b[2J",
];

/** Shows it again and again, on a screen of its own, until it is told to end. */
async function watch(
  context: Context,
  { minutes, sync, found }: { minutes: number; sync: boolean; found: ActiveSession[] },
): Promise<void> {
  const { out, world } = context;
  await world.interruptible(async (signal) => {
    out.stream.write(ALTERNATE);
    try {
      for (let now = found; !signal.aborted; now = await look(context, minutes, sync)) {
        out.stream.write(HOME);
        print(context, now, minutes);
        await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      out.stream.write(USUAL);
    }
  });
}

function print(context: Context, sessions: readonly ActiveSession[], minutes: number): void {
  const { out, talk, world } = context;
  const spent = sessions.reduce((sum, { cost }) => sum + cost, 0);
  const { rows } = world.stdout;
  const room = out.isTerminal && rows ? Math.max(1, rows - 4) : sessions.length;
  if (sessions.length > 0) out.print(answerTable(context, columnsFor(context), sessions.slice(0, room)));
  const hidden = sessions.length > room ? `, ${sessions.length - room} not shown` : "";
  const count = sessions.length === 1 ? "1 session was" : `${sessions.length} sessions were`;
  const cost = spent > 0 ? `, for ${formatMoney(spent)}` : "";
  talk.say(`${count} written in the last ${minutes} minutes${cost}${hidden}.`, talk.paint.dim);
}

const WORDS = { model: "thinks", tool: "runs", you: "waits for you", nobody: "has stopped" } as const;

function columnsFor(context: Context): AnswerColumn<ActiveSession>[] {
  const { yellow, cyan } = context.out.paint;
  return [
    { name: "id", value: ({ id }) => id },
    {
      name: "waitsFor",
      value: ({ waitsFor }) => waitsFor,
      title: "Now",
      shown: ({ waitsFor, tool }) => (waitsFor === "tool" ? `runs ${tool ?? ""}` : WORDS[waitsFor]),
      shrinkTo: 8,
      paint: yellow,
    },
    {
      name: "title",
      value: ({ title }) => title,
      title: "Session",
      shown: ({ agent, title }) => (agent === null ? title : `└ ${agent}: ${title}`),
      shrinkTo: 12,
      weight: 3,
    },
    {
      name: "project",
      value: ({ project }) => project,
      title: "Project",
      shown: ({ project }) => shownPath(context, project),
      shrinkTo: 10,
      cut: "path",
      expendable: 2,
      paint: cyan,
    },
    ...figures(context),
  ];
}

function figures(context: Context): AnswerColumn<ActiveSession>[] {
  return [
    { name: "tool", value: ({ tool }) => tool, title: "Last tool", expendable: 3, shrinkTo: 6 },
    { name: "model", value: ({ model }) => model, title: "Model", expendable: 4, shrinkTo: 8 },
    {
      name: "totalTokens",
      value: ({ totalTokens }) => totalTokens,
      title: "Tokens",
      align: "right",
      shown: ({ totalTokens }) => formatCount(totalTokens),
      expendable: 1,
    },
    {
      name: "cost",
      value: ({ cost }) => cost,
      title: "Cost",
      align: "right",
      shown: ({ cost }) => formatMoney(cost),
    },
    {
      name: "modifiedAt",
      value: ({ modifiedAt }) => modifiedAt,
      title: "Written",
      shown: ({ modifiedAt }) => shownWhen(context, modifiedAt),
    },
  ];
}
