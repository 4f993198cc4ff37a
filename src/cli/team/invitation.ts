import { withTeam } from "../../api/team.ts";
import { invite } from "../../team/people.ts";
import { apiOf } from "../api-of.ts";
import { type Args, isSet, textOf } from "../command-line/args.ts";
import { type Context, ExitCode } from "../command-line/command.ts";
import { printDocument } from "../output/json-output.ts";

/** Lets a person in, and prints the address for them: on stdout, and nowhere else, because a password is in it. */
export async function invitePerson(context: Context, args: Args, name: string): Promise<number> {
  const { out, talk, config } = context;
  const role = textOf(args, "role");
  const lead = isSet(args, "lead");
  const invited = await withTeam(apiOf(context), (client) =>
    invite(client, { name, lead, ...(role !== undefined && { role }) }),
  );
  const url = addressFor(config.team.url ?? "", invited);
  if (context.json) printDocument(out, { name, role: invited.role, lead, url });
  else out.print(url);
  const password = invited.password === null ? "" : " The password is in it, and nowhere else.";
  talk.say(`That is the address for ${name}: team.url in their configuration, or SESSIONDB_TEAM.${password}`);
  return ExitCode.done;
}

/** The address by which the owner connects, for another role. */
function addressFor(url: string, { role, password }: { role: string; password: string | null }): string {
  const address = new URL(url);
  // An address by a socket has no room for a role before its host.
  const isBySocket = address.hostname === "";
  if (isBySocket) address.searchParams.set("user", role);
  else address.username = role;
  if (password !== null && isBySocket) address.searchParams.set("password", password);
  else address.password = password ?? "";
  return address.href;
}
