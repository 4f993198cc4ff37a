import { existsSync } from "node:fs";
import type { PanelAction } from "./panel-source.ts";
import { isHit, type PanelRow } from "./row-preview.ts";
import type { PanelTools } from "./session-source.ts";
import { cutTo } from "./text.ts";

const MOST_TITLE = 50;

/** Why nothing can be written to the file of a session. pi would begin another one where it is to be. */
export function whyNotWritten({ path }: Pick<PanelRow, "path">): string | undefined {
  return existsSync(path)
    ? undefined
    : "its file is archived, or gone: sessiondb restore brings archived ones back";
}

/** Moves the file of a session to the trash. */
export function deleteAction(
  { commandLine, sessions }: PanelTools,
  cwd: string,
  refuses: (path: string) => string | undefined = () => undefined,
): PanelAction<PanelRow> {
  return {
    name: "delete",
    key: "ctrl+d",
    about: "move the session to the trash, after a question",
    refuses: ({ path }) => refuses(path),
    confirm: ({ title }) => `To the trash? "${cutTo(title, MOST_TITLE)}"`,
    async perform({ path, title }) {
      await commandLine.ask(["delete", "--yes", "--", path], { cwd });
      await sessions.read(cwd, { all: true });
      return { said: `"${cutTo(title, MOST_TITLE)}" is in the trash`, hasChanged: true };
    },
  };
}

/** Gives a session a name, as `/name` of pi does. */
export function renameAction(
  tools: PanelTools,
  cwd: string,
  rename: (path: string, name: string) => Promise<void>,
): PanelAction<PanelRow> {
  return {
    name: "rename",
    key: "ctrl+r",
    about: "give the session a name",
    refuses: whyNotWritten,
    ask: (row) => ({
      title: "The name of the session:",
      text: isHit(row) ? row.title : row.name || row.title,
    }),
    async perform({ path }, name) {
      if (name === "") return { said: "a name has to have a letter", hasChanged: false };
      await rename(path, name);
      await readAgain(tools, cwd);
      return { said: `it is called "${cutTo(name, MOST_TITLE)}"`, hasChanged: true };
    },
  };
}

/** Brings what was written just now into the index and the list. */
export async function readAgain({ catchUp, sessions }: PanelTools, cwd: string): Promise<void> {
  // One that runs already may have passed the file.
  if (catchUp.isRunning) await catchUp.run(cwd);
  await catchUp.run(cwd);
  await sessions.read(cwd, { all: true });
}
