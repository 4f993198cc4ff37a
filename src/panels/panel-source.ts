import type { Theme, Tui } from "./screen.ts";

/** How rows are drawn: the terminal library, colours and width. */
export interface Paint {
  tui: Tui;
  theme: Theme;
  width: number;
  chosen: boolean;
}

/** What a panel is about, and how its rows look. */
export interface PanelSource<Row> {
  title: string;
  /** Shown where there is no row, and nothing is wrong. */
  hint: string;
  /** How many lines one row takes. */
  rowHeight: number;
  /** Rows for which `of` gives the same stand below one line; those for which it gives nothing stand by themselves. */
  heading?: { of(row: Row): string | undefined; draw(row: Row, paint: Paint): string };
  /** The orders in which rows may stand, the usual one first. */
  sorts: readonly string[];
  /** Whose words may be asked for alone, nobody's where rows are no words. */
  roles: readonly string[];
  /** The question is asked when nothing was typed for so long, in ms. */
  pauseMs: number;
  /** How many rows are asked for; twice as many, again and again, where one goes on to the last. */
  most: number;
  /** What Enter and other keys do with the chosen row. */
  actions: readonly PanelAction<Row>[];
  /**
   * Begun when the panel opens: each resolves to whether to ask again, since something is new, or rejects with why not.
   */
  news(): Promise<boolean>[];
  /** The rows for what was typed, and a note on how many there are. A later question aborts this one. */
  find(asked: Asked, signal: AbortSignal): Promise<Found<Row>>;
  /** Identifies a row among all others; by this key it is found again in a later answer. */
  keyOf(row: Row): string;
  row(row: Row, paint: Paint): string[];
  /** More about the row that is chosen. */
  detail(row: Row, paint: Paint): string[];
  /** The conversation around a row, as `show` prints it: `▶` stands before the headline of what was found. */
  preview(row: Row, room: { width: number; signal: AbortSignal }): Promise<string>;
  /** What was found in a row, as it is written there: it is marked in the preview. */
  wordsIn?(row: Row): readonly string[];
}

export interface Asked {
  query: string;
  /** Whether only this project counts. */
  here: boolean;
  /** Whether only sessions that have a name count. */
  named: boolean;
  /** One of the source's. */
  sort: string;
  /** One of the source's; empty for anybody. */
  role: string;
  /** So many rows are enough. */
  most: number;
}

export interface Found<Row> {
  rows: Row[];
  note: string;
  /** Whether there are more than were asked for. */
  hasMore?: boolean;
}

/** What a key does with the chosen row. */
export interface PanelAction<Row> {
  name: string;
  /** As the terminal library writes it: `ctrl+o`. */
  key: string;
  /** For the list of all keys. */
  about: string;
  /** Why it cannot be done with this row, which is told instead. */
  refuses?(row: Row): string | undefined;
  /** Asked before: only `y` goes on. */
  confirm?(row: Row): string;
  /** A line of text that is asked for before, beginning with this; where it is undefined, why it cannot be is told. */
  ask?(row: Row): { title: string; text: string };
  /**
   * Does it while the panel stays, and resolves to a line about what was done. Where there is none, the panel ends with this
   * action.
   */
  perform?(row: Row, text: string): Promise<Performed>;
}

export interface Performed {
  said: string;
  /** Whether sessions have changed, so that the question is asked again. */
  hasChanged: boolean;
}

export const RESUME = { name: "resume", key: "enter", about: "resume the session" };

/** What the user chose; undefined where the panel was closed. */
export type Choice<Row> = { row: Row; action: string } | undefined;
