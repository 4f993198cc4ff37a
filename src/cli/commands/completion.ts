import { askIndex } from "../../api/ask.ts";
import { isSqliteError, SessionDbError } from "../../errors.ts";
import { isValidSessionId } from "../../format/ids.ts";
import { speakerOf } from "../../format/speaker.ts";
import type { Index } from "../../store/open.ts";
import { shownPreview } from "../../text/preview.ts";
import { maskPreview, maskSecrets } from "../../text/secrets.ts";
import { apiOf } from "../api-of.ts";
import { wordOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode, type Registry } from "../command-line/command.ts";
import {
  DESCRIBED_KINDS,
  type DescribedKind,
  isDescribed,
  NAME_KINDS,
  type NameKind,
} from "../command-line/options.ts";
import { shownTitle } from "../output/shown-title.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
const RECENT = 50;

export const completion: Command = {
  positionals: {
    shell: `${SHELLS.join(", ")} [default: taken from $SHELL]`,
  },
  takesEmptyWords: () => true,
  completes: SHELLS,
  options: {},
  examples: [
    ['eval "$($0 completion bash)"', "in ~/.bashrc"],
    ["source <($0 completion zsh)", "in ~/.zshrc, after compinit"],
    ["$0 completion fish | source", "in ~/.config/fish/config.fish"],
    ["$0 completion powershell | Out-String | Invoke-Expression", "in $PROFILE"],
  ],
  async run(context, args) {
    const [asked, ...line] = [args.shell ?? []].flat().map(String);
    const described = DESCRIBED_KINDS.find((each) => each === asked);
    const kind = NAME_KINDS.find((each) => each === asked);
    if (described !== undefined) await printDescribed(await typedIn(context, line), described);
    else if (kind !== undefined) await printNames((await typedIn(context, line)).context, kind);
    else if (line.length > 0) {
      throw new SessionDbError("usage", `completion takes one word, not "${line.join(" ")}" too`, {
        hint: `Choose one of: ${SHELLS.join(", ")}.`,
      });
    } else
      context.out.stream.write(
        await scriptFor(wordOf({ shell: asked }, "shell", SHELLS) ?? shellOf(context), context.registry),
      );
    return ExitCode.done;
  },
};

function shellOf({ world }: Context): (typeof SHELLS)[number] {
  const name = (world.env.SHELL ?? "").split(/[/\\]/).at(-1);
  const shell = SHELLS.find((each) => each === name);
  if (shell !== undefined) return shell;
  throw new SessionDbError("usage", "which shell?", { hint: `Choose one of: ${SHELLS.join(", ")}.` });
}

interface Described {
  id: string;
  /** For people, on one line. */
  about: string;
}

async function scriptFor(shell: (typeof SHELLS)[number], registry: Registry): Promise<string> {
  const commands = await (await import("../completion/shape.ts")).describeCommands(registry);
  switch (shell) {
    case "bash":
      return (await import("../completion/bash.ts")).bashCompletion(commands);
    case "zsh":
      return (await import("../completion/zsh.ts")).zshCompletion(commands);
    case "fish":
      return (await import("../completion/fish.ts")).fishCompletion(commands);
    case "powershell":
      return (await import("../completion/powershell.ts")).powershellCompletion(commands);
  }
}

/** A line that is being typed: its words after the command, and the context for the index that it is about. */
interface Typed {
  context: Context;
  words: readonly string[];
}

/** @param argv the line that is being typed, as the scripts give it after what they ask for */
async function typedIn(context: Context, argv: readonly string[]): Promise<Typed> {
  if (argv.length === 0) return { context, words: [] };
  const { flagsOf, readUnfinished } = await import("../command-line/parse-args.ts");
  const { args, words } = await readUnfinished(argv, context.registry);
  const { agentDir, sessionsDir, db, config } = flagsOf(args);
  return {
    context: { ...context, config: context.readConfig({ agentDir, sessionsDir, db, config }) },
    words,
  };
}

async function printDescribed(typed: Typed, kind: DescribedKind): Promise<void> {
  const found = await (kind === "branches" ? branches(typed) : sessions(typed, kind));
  // Any other id could hold something that a shell would run.
  const safe = found.filter(({ id }) => isValidSessionId(id));
  typed.context.out.print(safe.map(({ id, about }) => `${id}\t${about}`));
}

async function sessions({ context }: Typed, kind: "sessions" | "ids"): Promise<Described[]> {
  const { listSessions } = await import("../../reports/sessions.ts");
  const { roots } = context.config;
  const found = await ask(context, (index) => listSessions(index, { roots, limit: RECENT }).sessions);
  const latest = { id: "latest", about: "the session that was active last" };
  return [
    ...(kind === "ids" || found.length === 0 ? [] : [latest]),
    ...found.map((session) => ({ id: session.id, about: shownTitle(session) })),
  ];
}

/** The ends of the branches of the session that the line names, the newest first. */
async function branches({ context, words: [session = ""] }: Typed): Promise<Described[]> {
  const { branchEnds } = await import("../../reports/known-names.ts");
  const { nameOptionsOf } = await import("../command-line/session-argument.ts");
  const found = await ask(context, (index) => branchEnds(index, session, nameOptionsOf(context)));
  return found.slice(0, RECENT).map((node) => ({
    id: node.entryId ?? "",
    about: `${speakerOf(node)}: ${shownPreview(node.preview, maskPreview)}`,
  }));
}

/** A name on one line that is not like an option. The scripts quote what a shell would not take for one word. */
const NAME = /^[^\p{C}-]\P{C}*$/u;

async function printNames(context: Context, kind: NameKind): Promise<void> {
  const names = await namesOf(context, kind);
  context.out.print(names.filter((name) => NAME.test(name) && maskSecrets(name) === name));
}

async function namesOf(context: Context, kind: NameKind): Promise<readonly string[]> {
  if (kind === "qualifiers") return qualifiers(context);
  if (kind === "zones") return Intl.supportedValuesOf("timeZone");
  const { namesInUse } = await import("../../reports/known-names.ts");
  return ask(context, (index) => namesInUse(index, kind, context.config.roots));
}

/** `role:user` and so on, as filters declare what they can be. A name with a space would have to be quoted. */
async function qualifiers(context: Context): Promise<string[]> {
  const { filterOptions } = await import("../command-line/filter-options.ts");
  const found: string[] = [];
  for (const [key, { completes }] of Object.entries(filterOptions())) {
    if (completes === undefined || completes === "files" || isDescribed(completes)) continue;
    const values = typeof completes !== "string" ? completes : await namesOf(context, completes);
    found.push(...values.filter((value) => !/[\s"]/.test(value)).map((value) => `${key}:${value}`));
  }
  return found;
}

/** Asks the index as it stands. Errors give no names: after the tab key nobody wants to wait, or to read an error. */
async function ask<T>(context: Context, question: (index: Index) => T[]): Promise<T[]> {
  try {
    const asking = { sync: false, needs: { search: false }, leavesDamage: true };
    return await askIndex(apiOf(context), asking, question);
  } catch (error) {
    if (!(error instanceof SessionDbError) && !isSqliteError(error)) throw error;
    return [];
  }
}
