import type { CommandContext, Dialogs, Screen } from "./host.ts";
import { Panel } from "./panel.ts";
import type { Choice, PanelSource } from "./panel-view.ts";
import { loadTui } from "./tui.ts";

/** How a panel ended. */
export interface PanelEnd<Row> {
  choice: Choice<Row>;
  /** Puts a text where the next message is written. pi would draw it only with the next key, so it is told to draw. */
  insert(text: string): void;
}

/** Shows a panel until something is chosen in it. */
export async function openPanel<Row>(
  source: PanelSource<Row>,
  query: string,
  { ui }: CommandContext,
): Promise<PanelEnd<Row>> {
  const tui = await loadTui();
  let drawnOn: Screen | undefined;
  const choice = await ui.custom<Choice<Row>>((screen, theme, keys, done) => {
    drawnOn = screen;
    return new Panel(source, { tui, screen, theme, keys, done }, query);
  });
  return { choice, insert: (text) => insertInto(ui, drawnOn, text) };
}

export function insertInto(
  ui: Pick<Dialogs, "pasteToEditor">,
  screen: Pick<Screen, "requestRender"> | undefined,
  text: string,
): void {
  ui.pasteToEditor(text);
  screen?.requestRender();
}
