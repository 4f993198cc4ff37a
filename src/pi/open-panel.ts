import type { CommandContext } from "./host.ts";
import { type Choice, Panel, type PanelSource } from "./panel.ts";
import { loadTui } from "./tui.ts";

/** Shows a panel until something is chosen in it. */
export async function openPanel<Row>(
  source: PanelSource<Row>,
  query: string,
  { ui }: CommandContext,
): Promise<Choice<Row>> {
  const tui = await loadTui();
  return ui.custom<Choice<Row>>(
    (screen, theme, keys, done) => new Panel(source, { tui, screen, theme, keys, done }, query),
  );
}
