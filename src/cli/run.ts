import { type ColorMode, type Config, colorOf, resolveConfig, wantsDebug } from "../config/config.ts";
import { SessionDbError } from "../errors.ts";
import { oneLine } from "../text/sanitise.ts";
import { type Args, isSet } from "./command-line/args.ts";
import { type Command, type Context, ExitCode } from "./command-line/command.ts";
import { flagsIn, flagsOf, readCommandLine } from "./command-line/parse-args.ts";
import { reportFailure } from "./output/failure.ts";
import { REGISTRY } from "./registry.ts";
import { columnsOf, Output } from "./terminal/output.ts";
import type { World } from "./terminal/world.ts";

/**
 * The whole program: does what `argv` (without node and script) asks for, and resolves to the exit code.
 * It never throws and never ends the process.
 */
export async function run(argv: readonly string[], world: World): Promise<number> {
  const program: Program = { argv, world, config: undefined };
  try {
    return await perform(program);
  } catch (error) {
    const color = program.config?.color ?? (await colorSaid(program));
    return await reportFailure(error, new Output(world.stderr, color), {
      json: world.failsInJson ?? isGiven("--json", argv),
      debug: wantsDebug(world.env),
      // Loaded for bugs only: the failure may be that no more files can be opened.
      reportTo: async () => (await import("./command-line/package.ts")).packageFacts().reportTo,
    });
  }
}

interface Program {
  argv: readonly string[];
  world: World;
  /** Known once the command line is understood. */
  config: Config | undefined;
}

async function perform(program: Program): Promise<number> {
  const { argv, world } = program;
  if (isGiven("--version", argv)) return printVersion(world);
  assertNode(process.versions.node);
  const { entry, command, args } = await readCommandLine(argv, REGISTRY);
  if (isSet(args, "version")) return printVersion(world);
  if (isSet(args, "help")) {
    const { formatHelp } = await import("./command-line/help.ts");
    const isShort = isGiven("-h", argv) && !isGiven("--help", argv);
    const place = { width: columnsOf(world.stdout), cwd: world.cwd ?? world.home, isShort };
    new Output(world.stdout, "never").print(
      await formatHelp(entry, command, { ...place, registry: REGISTRY }),
    );
    return ExitCode.done;
  }
  const readConfig = (flags = flagsOf(args)): Config => resolveConfig({ ...placesOf(world), flags });
  program.config = readConfig();
  const json = isGiven("--json", argv);
  const afterwards: (() => Promise<void>)[] = [];
  const place = {
    world,
    config: program.config,
    readConfig,
    json,
    registry: REGISTRY,
    again: againIn(world),
    later: (work: () => Promise<void>): void => void afterwards.push(work),
  };
  const pages = command.pages === true && world.stdout.isTTY === true && !isSet(args, "no-pager");
  const { page } = world;
  const context = contextOf(place);
  const code =
    pages && page !== undefined
      ? await runPaged(command, context, args, page)
      : await command.run(context, args);
  for (const work of afterwards) await work();
  return code;
}

async function runPaged(
  command: Command,
  context: Context,
  args: Args,
  page: (text: string) => Promise<boolean>,
): Promise<number> {
  const { PagedOutput } = await import("./terminal/pager.ts");
  const paged = new PagedOutput(context.world, context.config.color);
  try {
    return await command.run({ ...context, out: paged.out, talk: paged.talk }, args);
  } finally {
    await paged.show(page);
  }
}

function againIn(world: World): Context["again"] {
  return (argv, change) => run(argv, { ...world, ...change });
}

async function printVersion(world: World): Promise<number> {
  const { packageFacts } = await import("./command-line/package.ts");
  new Output(world.stdout, "never").print(packageFacts().version);
  return ExitCode.done;
}

function contextOf(place: Omit<Context, "out" | "talk">): Context {
  const { world, config } = place;
  const talk = new Output(world.stderr, config.color);
  for (const note of config.notes) talk.note(oneLine(note));
  return { ...place, talk, out: new Output(world.stdout, config.color) };
}

function placesOf(world: World): Omit<Parameters<typeof resolveConfig>[0], "flags"> {
  const { env, home, cwd, timezoneOf } = world;
  return { env, home, cwd, ...(timezoneOf !== undefined && { timezoneOf }) };
}

/** The colour mode, as far as it can be known when the command line, the configuration, or Node is wrong. */
async function colorSaid({ argv, world }: Program): Promise<ColorMode> {
  try {
    const flags = await flagsIn(argv);
    return flags.color ?? resolveConfig({ ...placesOf(world), flags }).color;
  } catch {
    // An error is being reported already, and a second one would not help.
    return colorOf(world.env);
  }
}

/** For options that must be known before the command line is parsed, and also when it is wrong. */
function isGiven(option: string, argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).includes(option);
}

/** The oldest Node that works; `engines` in package.json names the releases that are supported. */
const OLDEST: readonly [major: number, minor: number] = [20, 19];

/**
 * To be called before a command is loaded: on an older Node, what is missing there would look like a bug here.
 *
 * @throws SessionDbError `node_too_old`
 */
export function assertNode(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  const hint = `Install Node ${OLDEST.join(".")} or newer.`;
  throw new SessionDbError("node_too_old", `Node ${version} is too old`, { hint });
}
