import { SessionDbError } from "../../errors.ts";
import { isArrayFileName } from "../../files/session-path.ts";
import type { Session } from "../../reports/answers.ts";
import { oneLine } from "../../text/sanitise.ts";
import { apiOf } from "../api-of.ts";
import { isSet, textOf } from "../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../command-line/command.ts";
import { PLACE_WORDS, whichSession, withSession } from "../command-line/session-argument.ts";
import { printDocument } from "../output/json-output.ts";
import { shellWord } from "../output/shell.ts";
import { INDEX_OPTIONS } from "../with-index.ts";

const INSTALL = "Install pi with: npm install -g @earendil-works/pi-coding-agent";

export const resume: Command = {
  positionals: { session: PLACE_WORDS },
  completes: "sessions",
  options: {
    exec: { describe: "Run the command instead of printing it" },
    ...INDEX_OPTIONS,
  },
  examples: [
    ["$0 resume latest --exec", "continue where you left off, in whichever project"],
    ["$0 resume 01a1bfc2", "print the command to run"],
  ],
  async run(context, args) {
    const name = textOf(args, "session");
    if (name === undefined) throw whichSession("resume");
    const exec = isSet(args, "exec");
    // Files that cannot be read may be missing: pi cannot read them either.
    const rows = exec ? "all readable" : "nearly all";
    const session = await withSession(context, args, { name, rows }, ({ session }) => session);
    if (isArrayFileName(session.path)) throw noFileOfPi(session.path);
    if (session.archived) await putBack(context, session);
    return resumeAt(context, session, { exec });
  },
};

/** Refused, because some versions of pi would empty a file that they do not understand, and begin anew. */
function noFileOfPi(path: string): SessionDbError {
  const words = ["sessiondb", "export", path, "--format", "jsonl", "--reveal", "-o", "FILE.jsonl"];
  const toExport = words.map((word) => shellWord(word)).join(" ");
  return new SessionDbError("not_a_session", `pi cannot open a session that is one JSON array: ${path}`, {
    hint: `Convert it to a session file that pi can open, and resume that: ${toExport}`,
  });
}

/** pi would begin a new session under the name of a file that is not there. @throws SessionDbError `io` */
async function putBack(context: Context, session: Session): Promise<void> {
  const { restoreSessions } = await import("../../api/archive/archive.ts");
  const { failed } = await restoreSessions(apiOf(context), [session]);
  const [failure] = failed;
  if (failure !== undefined) {
    throw new SessionDbError("io", `the session is archived and cannot be restored: ${failure.why}`, {
      hint: "sessiondb archive verify looks at all packed files.",
    });
  }
  context.talk.say(`Restored from the archive: ${oneLine(session.path)}`);
}

async function resumeAt(
  context: Context,
  { path, cwd, resumeCwd }: Session,
  { exec }: { exec: boolean },
): Promise<number> {
  const argv: [string, ...string[]] = ["pi", "--session", path];
  if (resumeCwd !== cwd && !context.json) {
    const what =
      cwd === ""
        ? "the session does not say in which directory it was held"
        : `the directory ${oneLine(cwd)} no longer exists`;
    context.talk.note(
      `${what}; ${resumeCwd === null ? "pi will ask" : `its project is in ${oneLine(resumeCwd)}`}.`,
    );
  }
  if (exec) {
    const { runInForeground } = await import("../terminal/foreground.ts");
    return runInForeground(argv, { cwd: resumeCwd ?? context.world.cwd, hint: INSTALL });
  }
  const words = argv.map((word) => shellWord(word)).join(" ");
  if (context.json) printDocument(context.out, { command: words, argv, cwd: resumeCwd ?? cwd });
  else context.out.print(resumeCwd === null ? words : `${changeTo(resumeCwd)} && ${words}`);
  return ExitCode.done;
}

function changeTo(cwd: string): string {
  const word = shellWord(cwd);
  return process.platform === "win32" ? `cd /d ${word}` : `cd ${word}`;
}
