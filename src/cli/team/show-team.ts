import { withTeam } from "../../api/team.ts";
import { readTeam, type TeamAuthor, type TeamDevice, troubleOf } from "../../team/team-status.ts";
import { plural } from "../../text/numbers.ts";
import { apiOf } from "../api-of.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { packageFacts } from "../command-line/package.ts";
import { shownWhen } from "../output/fields.ts";
import { printDocument } from "../output/json-output.ts";
import { type AnswerColumn, answerTable } from "../output/table.ts";

/** Shows who belongs to the team, from which devices they push, and which of those are silent or behind. */
export async function showTeam(context: Context): Promise<number> {
  const { place, authors, devices } = await withTeam(apiOf(context), async (client) => ({
    place: client.place,
    ...(await readTeam(client)),
  }));
  if (context.json) {
    printDocument(context.out, { place, authors, devices });
    return ExitCode.done;
  }
  const { out, talk } = context;
  const rows = authors.flatMap((author) => rowsOf(author, devices));
  out.print(answerTable(context, columnsFor(context), rows));
  talk.say(
    `${plural(authors.length, "person", "people")}, ${plural(devices.length, "device")}, at ${place}`,
    talk.paint.dim,
  );
  return ExitCode.done;
}

type Row = TeamAuthor & { on: TeamDevice | null };

/** A row for each device of a person, one without for those who have none. */
function rowsOf(author: TeamAuthor, devices: readonly TeamDevice[]): Row[] {
  const own = devices.filter((device) => device.author === author.author);
  return own.length === 0 ? [{ ...author, on: null }] : own.map((on) => ({ ...author, on }));
}

function columnsFor(context: Context): AnswerColumn<Row>[] {
  const { world } = context;
  return [
    {
      name: "author",
      title: "Who",
      value: ({ author, kind }) => (kind === "lead" ? `${author} (lead)` : author),
      shrinkTo: 12,
    },
    { name: "label", title: "Device", value: ({ on }) => on?.label ?? "none yet", shrinkTo: 8 },
    { name: "level", title: "Level", value: ({ on }) => on?.level ?? "" },
    { name: "sessions", title: "Sessions", align: "right", value: ({ on }) => on?.sessions ?? 0 },
    {
      name: "lastPushAt",
      title: "Last push",
      value: ({ on }) => (on === null ? "" : shownWhen(context, on.lastPushAt)),
    },
    { name: "client", title: "Version", value: ({ on }) => on?.client ?? "", expendable: 1 },
    { name: "note", title: "", value: (row) => noteOn(row, world.now()) },
  ];
}

function noteOn({ revoked, on }: Row, now: number): string {
  if (revoked || on?.revoked) return "revoked";
  if (on === null) return "";
  const why = troubleOf(on, { now, version: packageFacts().version });
  return why.map((each) => (each === "behind" ? `${on.waiting} to come` : each)).join(", ");
}
