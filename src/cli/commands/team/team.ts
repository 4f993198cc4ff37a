import { SessionDbError } from "../../../errors.ts";
import type { TeamClient } from "../../../team/connect.ts";
import { apiOf } from "../../api-of.ts";
import { type Args, isSet, refuseOptions, textOf, textsOf, wordOf } from "../../command-line/args.ts";
import { type Command, type Context, ExitCode } from "../../command-line/command.ts";
import { printDocument } from "../../output/json-output.ts";

const ACTIONS = ["status", "init", "migrate", "invite", "revoke", "forget"] as const;
type Action = (typeof ACTIONS)[number];

/** Options of some actions only; refused elsewhere. */
const OWNERS: readonly [option: string, actions: readonly Action[]][] = [
  ["lead", ["invite"]],
  ["role", ["invite"]],
  ["device", ["revoke", "forget"]],
];

/** Actions about a person. */
const PERSONAL: readonly Action[] = ["invite", "revoke", "forget"];

export const team: Command = {
  positionals: {
    action: `One of: ${ACTIONS.join(", ")} [default: status], and the name of a person`,
  },
  completes: ACTIONS,
  options: {
    lead: { describe: "invite: sees everybody's numbers, and what they allow beyond" },
    role: { value: "ROLE", describe: "invite: a role of PostgreSQL that exists, instead of a new one" },
    device: { value: "NAME", describe: "revoke, forget: only this device of the person" },
  },
  examples: [
    ["$0 team init ada", "make the team's tables in the database that is configured"],
    ["$0 team invite ben", "let somebody in; prints the address for them"],
    ["$0 team status", "who pushes from where, and how far behind"],
  ],
  async run(context, args) {
    const [word, person, ...rest] = textsOf(args, "action");
    const action = wordOf({ action: word }, "action", ACTIONS) ?? "status";
    if (rest.length > 0) throw tooMany(action, rest);
    for (const [option, owners] of OWNERS) {
      const hint = `That option belongs to sessiondb team ${owners.join(" and ")}.`;
      if (!owners.includes(action)) refuseOptions(args, [option], { of: `team ${action}`, hint });
    }
    const name = nameFor(action, person);
    switch (action) {
      case "status":
        return (await import("../../team/show-team.ts")).showTeam(context);
      case "init":
        return init(context, name);
      case "migrate":
        return migrate(context);
      case "invite":
        return invite(context, args, name);
      case "revoke":
        return revoke(context, args, name);
      case "forget":
        return forget(context, args, name);
      default:
        return action satisfies never;
    }
  },
};

function nameFor(action: Action, name: string | undefined): string {
  if (name === undefined && PERSONAL.includes(action))
    throw new SessionDbError("usage", `team ${action} needs a name`, { hint: "See: sessiondb team status" });
  return name ?? "owner";
}

function tooMany(action: Action, words: readonly string[]): SessionDbError {
  return new SessionDbError("usage", `team ${action} takes one name, and not "${words.join(" ")}" too`, {
    hint: "Put a name with spaces in quotes.",
  });
}

async function init(context: Context, name: string): Promise<number> {
  const { initTeam } = await import("../../../team/setup.ts");
  await inTeam(context, (client) => initTeam(client, { name }));
  context.talk.say(`The team is ready; you are its lead, called ${name}. Next: sessiondb team invite NAME`);
  return ExitCode.done;
}

async function migrate(context: Context): Promise<number> {
  const { migrateTeam } = await import("../../../team/setup.ts");
  const hasChanged = await inTeam(context, migrateTeam);
  context.talk.say(
    hasChanged ? "The team's tables are up to date now." : "The team's tables are up to date.",
  );
  return ExitCode.done;
}

/** Lets a person in, and prints the address for them: on stdout, and nowhere else, because a password is in it. */
async function invite(context: Context, args: Args, name: string): Promise<number> {
  const { out, talk, config } = context;
  const role = textOf(args, "role");
  const lead = isSet(args, "lead");
  const people = await import("../../../team/people.ts");
  const invited = await inTeam(context, (client) =>
    people.invite(client, { name, lead, ...(role !== undefined && { role }) }),
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

async function revoke(context: Context, args: Args, name: string): Promise<number> {
  const people = await import("../../../team/people.ts");
  const device = textOf(args, "device");
  await inTeam(context, (client) => people.revoke(client, name, device));
  const who = device === undefined ? name : `${device} of ${name}`;
  context.talk.say(
    `${who} may not push any more; what was pushed stays. To remove it: sessiondb team forget ${name}`,
  );
  return ExitCode.done;
}

async function forget(context: Context, args: Args, name: string): Promise<number> {
  const people = await import("../../../team/people.ts");
  const device = textOf(args, "device");
  await inTeam(context, (client) => people.forget(client, name, device));
  const who = device === undefined ? name : `${device} of ${name}`;
  context.talk.say(`Nothing of ${who} is left in the team's database.`);
  return ExitCode.done;
}

/** Asks the team's database; what it takes to do so is loaded once something is asked. */
async function inTeam<T>(context: Context, ask: (client: TeamClient) => Promise<T>): Promise<T> {
  const { withTeam } = await import("../../../api/team.ts");
  return withTeam(apiOf(context), ask);
}
