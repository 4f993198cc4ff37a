import { formatBytes, formatCount, plural } from "../../../text/numbers.ts";
import { apiOf } from "../../api-of.ts";
import { isSet } from "../../command-line/args.ts";
import { type Command, ExitCode } from "../../command-line/command.ts";
import { packageFacts } from "../../command-line/package.ts";
import { printDocument } from "../../output/json-output.ts";

export const pushSessions: Command = {
  options: {
    preview: { describe: "Print what would leave this device, to the byte, and send nothing" },
    all: { describe: "Send everything again, as after a backup of the database was restored" },
  },
  examples: [
    ["$0 push --preview | head -3", "what would leave this device"],
    ["$0 push", "push what is new"],
  ],
  async run(context, args) {
    const { previewPushToTeam, pushToTeam } = await import("../../../api/team.ts");
    const { out, talk } = context;
    const request = { client: packageFacts().version, all: isSet(args, "all") };
    if (isSet(args, "preview")) {
      await previewPushToTeam(apiOf(context), request, ({ json }) => out.print(json));
      return ExitCode.done;
    }
    const report = await pushToTeam(apiOf(context), request);
    if (context.json) printDocument(out, report);
    const { sent, removed, usageRows, chars, waiting, problems } = report;
    const { team } = context.config;
    if (sent + removed === 0) talk.say("The team's database has everything.");
    else
      talk.say(
        `Pushed ${plural(sent, "session")} (level ${team.level}): ${formatCount(usageRows)} requests, ${formatBytes(chars)}.`,
      );
    if (removed > 0) talk.say(`Took out ${plural(removed, "session")}.`);
    for (const problem of problems) talk.note(problem);
    const changed = waiting - problems.length;
    if (changed > 0) talk.note(`${plural(changed, "session")} changed meanwhile; push again.`);
    return ExitCode.done;
  },
};
