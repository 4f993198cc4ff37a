import { type PanelAction, RESUME } from "../panels/panel-source.ts";
import { deleteAction, renameAction } from "../panels/row-actions.ts";
import { isHit, type PanelRow } from "../panels/row-preview.ts";
import type { PanelTools } from "../panels/session-source.ts";
import { realPathOf } from "../panels/text.ts";
import type { CommandContext, Pi } from "./host.ts";
import { loadSessionManager } from "./packages.ts";

const INSERT = { name: "insert", key: "ctrl+o", about: "put it into your next message, secrets masked" };
const AT_HIT = {
  name: "at hit",
  key: "ctrl+g",
  about: "resume the session at the hit, on a branch from there",
};

/** What keys do in pi's panels. */
export function actionsInPi(
  tools: PanelTools,
  { cwd, sessionManager }: Pick<CommandContext, "cwd" | "sessionManager">,
  pi: Pick<Pi, "setSessionName">,
): PanelAction<PanelRow>[] {
  const isOpen = (path: string): boolean =>
    realPathOf(path) === realPathOf(sessionManager.getSessionFile() ?? "");
  const rename = async (path: string, name: string): Promise<void> => {
    if (isOpen(path)) pi.setSessionName(name);
    else (await loadSessionManager()).open(path).appendSessionInfo(name);
  };
  return [
    RESUME,
    INSERT,
    AT_HIT,
    renameAction(tools, cwd, rename),
    deleteAction(tools, cwd, (path) => (isOpen(path) ? "you are in this session" : undefined)),
  ];
}

/** The entry at which a session is resumed; undefined for its end. */
export function entryToResumeAt(row: PanelRow, action: string): string | undefined {
  return action === AT_HIT.name && isHit(row) && row.entryId !== "" ? row.entryId : undefined;
}

/** Whether an action goes on in the session of the row. */
export function isResuming(action: string): boolean {
  return action === RESUME.name || action === AT_HIT.name;
}
