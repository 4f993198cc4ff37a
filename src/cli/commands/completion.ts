import { askIndex } from "../../api/ask.ts";
import { isSqliteError, SessionDbError } from "../../errors.ts";
import { isValidSessionId } from "../../format/ids.ts";
import type { Index } from "../../store/open.ts";
import { maskSecrets } from "../../text/secrets.ts";
import { apiOf } from "../api-of.ts";
import { textOf, wordOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode, type Registry } from "../command-line/command.ts";
import { NAME_KINDS, type NameKind } from "../command-line/options.ts";
import { shownTitle } from "../output/title.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
/** The kind of names that the scripts ask for to complete a session. */
const SESSIONS = "sessions";
const RECENT = 50;

export const completion: Command = {
  positionals: { shell: `${SHELLS.join(", ")} [default: taken from $SHELL]` },
  completes: SHELLS,
  options: {},
  examples: [
    ['eval "$($0 completion bash)"', "in ~/.bashrc"],
    ["source <($0 completion zsh)", "in ~/.zshrc, after compinit"],
    ["$0 completion fish | source", "in ~/.config/fish/config.fish"],
    ["$0 completion powershell | Out-String | Invoke-Expression", "in $PROFILE"],
  ],
  async run(context, args) {
    const asked = textOf(args, "shell");
    const kind = NAME_KINDS.find((each) => each === asked);
    if (asked === SESSIONS) await printSessions(context);
    else if (kind !== undefined) await printNames(context, kind);
    else
      context.out.stream.write(
        await scriptFor(wordOf(args, "shell", SHELLS) ?? shellOf(context), context.registry),
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

async function printSessions(context: Context): Promise<void> {
  const { listSessions } = await import("../../reports/sessions.ts");
  const { roots } = context.config;
  const found = await ask(context, (index) => listSessions(index, { roots, limit: RECENT }).sessions);
  // Any other id could hold something that a shell would run.
  const safe = found.filter(({ id }) => isValidSessionId(id));
  context.out.print(safe.map((session) => `${session.id}\t${shownTitle(session)}`));
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
  const { namesInUse } = await import("../../reports/unmatched.ts");
  return ask(context, (index) => namesInUse(index, kind, context.config.roots));
}

/** `role:user` and so on, as filters declare what they can be. A name with a space would have to be quoted. */
async function qualifiers(context: Context): Promise<string[]> {
  const { filterOptions } = await import("../command-line/filter-options.ts");
  const found: string[] = [];
  for (const [key, { completes }] of Object.entries(filterOptions())) {
    if (completes === undefined || completes === "files" || completes === "sessions") continue;
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
