import { basename } from "node:path";
import { type PanelAction, type Performed, RESUME } from "../../panels/panel-source.ts";
import { deleteAction, readAgain, renameAction, whyNotWritten } from "../../panels/row-actions.ts";
import { isHit, type PanelRow } from "../../panels/row-preview.ts";
import type { PanelTools } from "../../panels/session-source.ts";
import type { Environment } from "../../runtime/env.ts";
import { oneLine } from "../../text/sanitise.ts";
import { runInForeground } from "../terminal/foreground.ts";
import type { WholeScreen } from "./whole-screen.ts";

export interface ActionTools {
  tools: PanelTools;
  screen: WholeScreen;
  cwd: string;
  env: Environment;
  /** Whether sessions may be changed: those of the demo may not. */
  mayChange: boolean;
}

/** What keys do in the shell's panel. */
export function actionsInShell(shell: ActionTools): PanelAction<PanelRow>[] {
  const { tools, cwd, mayChange } = shell;
  const harmless = [copyAction(shell), openAction(shell), exportAction(shell)];
  if (!mayChange) return [RESUME, ...harmless];
  const rename = async (path: string, name: string): Promise<void> => {
    (await openSession(path)).appendSessionInfo(name);
  };
  return [
    RESUME,
    ...harmless,
    labelAction(shell),
    renameAction(tools, cwd, rename),
    deleteAction(tools, cwd),
  ];
}

function copyAction({ screen }: ActionTools): PanelAction<PanelRow> {
  return {
    name: "copy",
    key: "ctrl+y",
    about: "copy the handle, by the terminal (OSC 52)",
    async perform(row) {
      const handle = isHit(row) ? row.handle : row.id;
      screen.write(`\u001b]52;c;${Buffer.from(handle).toString("base64")}\u0007`);
      return done(`${oneLine(handle)} is in the clipboard, if your terminal lets programs do that`);
    },
  };
}

function openAction({ screen, env, cwd }: ActionTools): PanelAction<PanelRow> {
  return {
    name: "open",
    key: "ctrl+o",
    about: "open the session file in $VISUAL or $EDITOR, at the line",
    refuses: whyNotWritten,
    async perform(row) {
      const hint = "Set $VISUAL or $EDITOR.";
      const command = editorCommand(env, row.path, isHit(row) ? row.line : undefined);
      const code = await screen.without(() => runInForeground(command, { cwd, hint }));
      return done(code === 0 ? "" : `${command[0]} ended with ${code}`);
    },
  };
}

/** Editors that take a place as PATH:LINE after this option. */
const GOTO = /^(?:code|code-insiders|codium|cursor|windsurf)$/;

/** The user's editor on a file, at a line. */
export function editorCommand(
  env: Environment,
  path: string,
  line: number | undefined,
): readonly [string, ...string[]] {
  const named = (env.VISUAL || env.EDITOR || "vi").trim();
  const [program = "vi", ...options] = named.split(/\s+/);
  if (line === undefined) return [program, ...options, path];
  if (GOTO.test(basename(program))) return [program, ...options, "--goto", `${path}:${line}`];
  return [program, ...options, `+${line}`, path];
}

function exportAction({ tools, cwd }: ActionTools): PanelAction<PanelRow> {
  return {
    name: "export",
    key: "ctrl+x",
    about: "write the session as a page, Markdown or JSONL",
    ask: (row) => ({ title: "Write it to this file (.html, .md or .jsonl):", text: `${idOf(row)}.html` }),
    async perform({ path }, file) {
      if (file === "") return done("nothing was written: the file needs a name");
      await tools.commandLine.print(["export", "--no-sync", `--output=${file}`, "--", path], { cwd });
      return done(`written to ${file}`);
    },
  };
}

/** The beginning that a handle has, too. */
function idOf(row: PanelRow): string {
  return isHit(row) ? (row.handle.split(":", 1)[0] ?? "session") : row.id.slice(0, 8);
}

function labelAction({ tools, cwd }: ActionTools): PanelAction<PanelRow> {
  return {
    name: "label",
    key: "ctrl+l",
    about: "label the entry, or the last one of a session; nothing takes the label off",
    refuses: whyNotWritten,
    ask: (row) => ({ title: `A label for ${isHit(row) ? row.handle : "the end of the session"}:`, text: "" }),
    async perform(row, label) {
      const entry = isHit(row) ? row.entryId : row.leafId;
      if (entry === "") return done("this entry has no id that a label could name");
      (await openSession(row.path)).appendLabelChange(entry, label === "" ? undefined : label);
      await readAgain(tools, cwd);
      return { said: label === "" ? "it has no label" : `labelled ${label}`, hasChanged: true };
    },
  };
}

async function openSession(path: string) {
  const { SessionManager } = await import("../../session/session-manager.ts");
  return SessionManager.open(path);
}

function done(said: string): Performed {
  return { said, hasChanged: false };
}
