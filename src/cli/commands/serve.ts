import { askIndex } from "../../api/ask.ts";
import { isSystemError, messageOf, SessionDbError } from "../../errors.ts";
import type { Environment } from "../../runtime/env.ts";
import { apiOf } from "../api-of.ts";
import { type Args, countOf, isSet, textOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { REVEAL_OPTION } from "../command-line/options.ts";
import { packageFacts } from "../command-line/package.ts";
import { PLACE_WORDS } from "../command-line/session-argument.ts";
import { placeOptions } from "../place-options.ts";
import type { AnswerOrders } from "../serve/answer-orders.ts";
import { INDEX_OPTIONS } from "../with-index.ts";

/** Free on most machines, and easy to remember. */
const PORT = 7433;
const LAST_PORT = 65_535;

export const serve: Command = {
  positionals: { session: `${PLACE_WORDS}, to begin with` },
  completes: "sessions",
  options: {
    port: {
      value: "N",
      describe: `Where the page is served, or else at one of the next ports [default: ${PORT}]`,
    },
    plain: {
      describe: "At 127.0.0.1, by default at any port, for browsers that know no names below localhost",
    },
    open: { describe: "Open a browser where no terminal is, too" },
    "no-open": { describe: "Print the link, and open no browser" },
    "public-url": {
      value: "URL",
      describe: "What the page is reached by through a tunnel of ssh -L with another port",
    },
    ...REVEAL_OPTION,
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 serve", "the page, in your browser"],
    ["$0 serve latest", "at the conversation that was active last"],
    ["$0 demo serve", "the same over bundled sessions"],
    ["$0 serve --no-open --port 8300", "print the link, to be opened elsewhere"],
  ],
  async run(context, args) {
    // What was at 127.0.0.1 before may have left something in the browser there: not twice at the same port.
    const port = portIn(args) ?? (isSet(args, "plain") ? 0 : PORT);
    const { pageNameOf, publicAuthority } = await import("../serve/page-address.ts");
    const { startPageServer } = await import("../serve/page-server.ts");
    const url = textOf(args, "public-url");
    const sync = !isSet(args, "no-sync");
    if (sync) await prepare(context);
    const name = textOf(args, "session");
    const at = name === undefined ? "/" : `/s/${encodeURIComponent(name)}`;
    const server = await startPageServer(context, {
      port,
      name: isSet(args, "plain") ? null : pageNameOf(context.config.location),
      publicAuthority: url === undefined ? undefined : publicAuthority(url),
      orders: ordersOf(context, args),
    });
    try {
      await serving(context, args, () => server.link(at));
    } finally {
      await server.close();
    }
    return ExitCode.done;
  },
};

/** @throws SessionDbError `usage` */
function portIn(args: Args): number | undefined {
  const hint = `Ports go up to ${LAST_PORT}; 0 takes any.`;
  const port = countOf(args, "port", hint);
  if (port === undefined || port <= LAST_PORT) return port;
  throw new SessionDbError("usage", `there is no port ${port}`, { hint });
}

/** Rows, and a full text, be it empty: the page answers at once, and says what it cannot search yet. A demo is whole. */
async function prepare(context: Context): Promise<void> {
  const needs = { search: context.world.isDemo === true };
  await askIndex(apiOf(context), { sync: true, needs }, (index) => index.openFullText());
}

/** Shows the page until it is told to end; Enter on a terminal prints another link. */
async function serving(context: Context, args: Args, link: () => string): Promise<void> {
  const { world, talk, out } = context;
  const { keepUpToDate } = await import("../serve/keeper.ts");
  const isKept = !isSet(args, "no-sync") && world.isDemo !== true;
  await world.interruptible(async (signal) => {
    const keeper = isKept ? keepUpToDate(context) : null;
    const isOpened = !isSet(args, "no-open") && (out.isTerminal || isSet(args, "open"));
    const onLine = (): void => out.print(link());
    try {
      if (isSet(args, "reveal")) talk.note("secrets are shown on the page.");
      const url = link();
      // A link that has opened a browser is used up.
      out.print(isOpened && (await opens(context, url)) ? url.replace(/#.*/, "") : url);
      talk.say("A link works once, within a minute. Enter prints another one, Ctrl-C ends.");
      const { isInForeground } = await import("../terminal/foreground.ts");
      if (world.stdin.isTTY && isInForeground()) world.stdin.on("data", onLine).resume();
      await untilAborted(signal);
    } finally {
      world.stdin.off("data", onLine).pause();
      keeper?.end();
    }
  });
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
}

/** Time enough for a browser to begin, in ms. */
const OPENED_MS = 30_000;

/** Whether a browser has opened the link; else it says why not. */
async function opens({ talk, world }: Context, url: string): Promise<boolean> {
  const why = await whyNotOpened(url, world.env);
  if (why !== null) talk.say(`No browser was opened: ${why}. Open the link yourself.`, talk.paint.yellow);
  return why === null;
}

async function whyNotOpened(url: string, env: Environment): Promise<string | null> {
  const { redirectTo } = await import("../serve/page-address.ts");
  const { openInBrowser } = await import("../terminal/browser.ts");
  try {
    const { path, remove } = redirectTo(url);
    process.once("exit", remove);
    setTimeout(remove, OPENED_MS).unref();
    return await openInBrowser(path, env);
  } catch (error) {
    // There is no room for temporary files.
    if (isSystemError(error)) return messageOf(error);
    throw error;
  }
}

function ordersOf(context: Context, args: Args): AnswerOrders {
  const { world, config } = context;
  const { location, roots, timezone, weekStart, team } = config;
  const reveal = isSet(args, "reveal");
  return {
    places: placeOptions(config),
    home: world.home,
    cwd: world.cwd,
    frozenAt: world.isDemo === true ? world.now() : null,
    sync: !isSet(args, "no-sync"),
    reveal,
    ...{ location, roots },
    about: {
      version: packageFacts().version,
      ...{ timezone, weekStart },
      reveals: reveal,
      hasTeam: team.url !== undefined && world.isDemo !== true,
      home: world.home,
    },
  };
}
