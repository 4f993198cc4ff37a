/** Answers by the name of the question; see portrait.mjs. */
export type Portrait = Record<string, string>;

/** `module` has the exports of pi's session-manager.js; `dir` is emptied and used. */
export function portrait(module: object, source: string, dir: string): Promise<Portrait>;
