/** Answers by the name of the question; see portrait.mjs. */
export type Portrait = Record<string, string>;

/** What happens to the file, or around it, while its portrait is made. */
export interface PortraitEvents {
  /** The file stands where it will be asked about. */
  placed?: (file: string) => void;
  /** A manager has opened it and has not been asked anything yet. */
  opened?: (file: string) => void;
}

/** `module` has the exports of pi's session-manager.js; `dir` is emptied and used. */
export function portrait(
  module: object,
  source: string,
  dir: string,
  events?: PortraitEvents,
): Promise<Portrait>;
