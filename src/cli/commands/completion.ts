import { isSqliteError, SessionDbError } from "../../errors.ts";
import { isValidSessionId } from "../../format/ids.ts";
import { textOf, wordOf } from "../args.ts";
import { withIndex } from "../catch-up.ts";
import { type Command, type Context, ExitCode } from "../command.ts";
import { oneLine } from "../output/sanitise.ts";
import { shownTitle } from "../output/title.ts";

const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;
/** What the scripts ask for while somebody types. */
const SESSIONS = "sessions";
const RECENT = 50;

export const completion: Command = {
  positionals: { shell: `${SHELLS.join(", ")} [default: what $SHELL says]` },
  completes: SHELLS,
  options: {},
  examples: [
    ['eval "$($0 completion bash)"', "in ~/.bashrc"],
    ["source <($0 completion zsh)", "in ~/.zshrc, after compinit"],
    ["$0 completion fish | source", "in ~/.config/fish/config.fish"],
    ["$0 completion powershell | Out-String | Invoke-Expression", "in $PROFILE"],
  ],
  async run(context, args) {
    if (textOf(args, "shell") === SESSIONS) await printSessions(context);
    else context.out.stream.write(await scriptFor(wordOf(args, "shell", SHELLS) ?? shellOf(context)));
    return ExitCode.done;
  },
};

function shellOf({ world }: Context): (typeof SHELLS)[number] {
  const name = (world.env.SHELL ?? "").split(/[/\\]/).at(-1);
  const shell = SHELLS.find((each) => each === name);
  if (shell !== undefined) return shell;
  throw new SessionDbError("usage", "which shell?", { hint: `It is one of: ${SHELLS.join(", ")}.` });
}

async function scriptFor(shell: (typeof SHELLS)[number]): Promise<string> {
  const commands = await (await import("../completion/shape.ts")).describeCommands();
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

/** From the index as it stands: whoever presses the tab key does not want to wait, nor to read about an error. */
async function printSessions(context: Context): Promise<void> {
  const { listSessions } = await import("../../query/sessions.ts");
  const { roots } = context.config;
  try {
    const { sessions } = await withIndex(context, { "no-sync": true }, { search: false }, (index) =>
      listSessions(index, { roots, limit: RECENT }),
    );
    // Shells run what some other id could say.
    const safe = sessions.filter(({ id }) => isValidSessionId(id));
    context.out.print(...safe.map(({ id, title }) => `${id}\t${oneLine(shownTitle(title))}`));
  } catch (error) {
    if (!(error instanceof SessionDbError) && !isSqliteError(error)) throw error;
  }
}
