import { SessionDbError } from "../errors.ts";
import type { Index } from "../store/open.ts";
import { connectTeam, placeAt, type TeamClient } from "../team/connect.ts";
import { type PushReport, previewPush, push } from "../team/push.ts";
import { hasPushed, PushCursor } from "../team/push-cursor.ts";
import type { PushMessage, PushOptions } from "../team/push-messages.ts";
import { textReader } from "../team/push-texts.ts";
import type { ApiContext } from "./api-context.ts";
import { type AskOptions, askIndex } from "./ask.ts";
import { isExcludedBy } from "./exclusions.ts";

/** Asks the team's database, and closes the connection. @throws SessionDbError `usage` where none is configured; as `teamError` */
export async function withTeam<T>(
  { config }: ApiContext,
  ask: (client: TeamClient) => Promise<T>,
): Promise<T> {
  const client = await connectTeam(urlOf(config.team.url));
  try {
    return await ask(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function urlOf(url: string | undefined): string {
  if (url !== undefined) return url;
  throw new SessionDbError("usage", "no team is configured", {
    hint: "Set team.url in the configuration, or SESSIONDB_TEAM: postgres://role@host/database",
  });
}

export interface PushRequest {
  /** The version of this program. */
  client: string;
  all: boolean;
}

/** Catches up, and pushes what has changed. @throws SessionDbError as `askIndex` and `push` */
export function pushToTeam(api: ApiContext, request: PushRequest): Promise<PushReport> {
  return withTeam(api, (client) =>
    api.interruptible((signal) =>
      withCursor(api, request, (index, options) => push(index, client, { ...options, signal })),
    ),
  );
}

/** Catches up, and hands over what a push would send, to the byte. Nothing is connected to. */
export async function previewPushToTeam(
  api: ApiContext,
  request: PushRequest,
  each: (message: PushMessage) => void,
): Promise<void> {
  const place = await placeAt(urlOf(api.config.team.url));
  return withCursor(api, request, (index, options) => {
    for (const message of previewPush(index, place, options)) each(message);
  });
}

async function withCursor<T>(
  api: ApiContext,
  { client, all }: PushRequest,
  use: (index: Index, options: PushOptions) => T | Promise<T>,
): Promise<T> {
  const { team, roots, location } = api.config;
  // What was pushed while some were listed is taken out.
  if (team.projects.length === 0 && !hasPushed(location.indexPath))
    throw new SessionDbError("usage", "nothing may leave this device: no project is listed", {
      hint: 'List some in the configuration: {"push": {"projects": ["~/work/*"]}}',
    });
  // What is yet to be indexed must not look as if it were gone.
  const caughtUp: AskOptions = { sync: true, needs: { search: false, rows: "all readable" } };
  // Catching up may remove rows, after which a question is asked again: what is sent is to be told once.
  await askIndex(api, caughtUp, () => undefined);
  return askIndex(api, caughtUp, async (index) => {
    const cursor = new PushCursor(location.indexPath);
    try {
      const { device, salt } = cursor;
      const isExcluded = isExcludedBy(api.config);
      const rules = { level: team.level, projects: team.projects, roots, salt, client, isExcluded };
      const label = team.label ?? device.slice(0, 8);
      const readTexts = textReader(index.database);
      return await use(index, { rules, label, cursor, readTexts, all });
    } finally {
      cursor.close();
    }
  });
}
