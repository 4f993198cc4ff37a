/** `[start, end)` in UTF-16 units. */
export type TextRange = [start: number, end: number];

/** What has the shape of a secret. */
export interface Candidate {
  range: TextRange;
  /** Whether it is one, and not what happens to look like it. */
  isSecret: boolean;
}

/** How secrets of one kind are recognised. */
export interface SecretPattern {
  kind: string;
  /** At least one of these (ASCII, in upper or lower case) stands in every such secret, or beside it. */
  triggers: readonly string[];
  /**
   * What has a trigger at `at`. What it costs is bounded by what it passes over, so that a pass over a text is linear: a part
   * of any length is the last of a pattern, or ends at what the next trigger begins with.
   *
   * @param isCut whether the text may have been cut off: then what may be the beginning of a secret at its end is one
   */
  find(text: string, at: number, isCut: boolean): Candidate | undefined;
}

/** Behind the trigger, in the letters that the vendor gives out. */
type Rest = string;
/** Sticky, and tried where a trigger begins. The secret is its group `secret`, if it has one, from the group `before` on. */
export type Shape = [
  kind: string,
  /** A text: some, between spaces. */
  triggers: string | readonly string[],
  pattern: Rest | RegExp,
  isSecret?: (text: string) => boolean,
];

/** A word may begin here: also behind what JSON and addresses write for a line end, a space, an equals sign. */
const START = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))`;

export function shaped([kind, words, pattern, isSecret]: Shape): SecretPattern {
  const triggers = typeof words === "string" ? words.split(" ") : words;
  const whole = ofAnyLength(typeof pattern === "string" ? startingWith(triggers, pattern) : pattern);
  let beginning: RegExp | undefined;
  return {
    kind,
    triggers,
    find(text, at, isCut) {
      if (isCut) beginning ??= ofBeginnings(whole);
      const regex = isCut && beginning !== undefined ? beginning : whole;
      regex.lastIndex = at;
      const match = regex.exec(text);
      if (match === null) return undefined;
      const { before, secret } = match.indices?.groups ?? {};
      const range: TextRange = secret ?? [before?.[0] ?? at, at + match[0].length];
      if (range[0] === range[1]) return undefined;
      return { range, isSecret: isSecret === undefined || isSecret(text.slice(...range)) };
    },
  };
}

function startingWith(triggers: readonly string[], rest: Rest): RegExp {
  const either = triggers.map((trigger) => trigger.replace(/[$.|*+?^()[\]{}\\/]/g, "\\$&")).join("|");
  return new RegExp(`${START}(?:${either})${rest}`, rest.includes("<secret>") ? "dy" : "y");
}

/**
 * Writes a pattern with `x{36}x*` for `x{36,}`. For each turn of a counting loop V8 keeps a place to go back to: after
 * some millions of characters these fill its stack.
 */
function ofAnyLength({ source, flags }: RegExp): RegExp {
  return new RegExp(source.replace(/(\[[^\]]+\]|\\w)\{(\d+),\}/g, "$1{$2}$1*"), flags);
}

const LOOK_AROUND = String.raw`\(\?<?[=!](?:[^()[\]\\]|\\.|\[(?:\\.|[^\]])*\]|\((?:[^()[\]\\]|\\.|\[(?:\\.|[^\]])*\])*\))*\)`;
/** What of the source of a pattern stands for no character, and then what stands for one. */
const PARTS = new RegExp(
  String.raw`${LOOK_AROUND}|\(\?(?:<\w+>|:)|\\b|[()|]|[*+?]\??|\{\d+(?:,\d*)?\}\??|(\\.|\[(?:\\.|[^\]])+\]|[^\\[])`,
  "g",
);

/** A pattern that also matches where the text ends before it does: any of its characters may be missing there. */
function ofBeginnings({ source, flags }: RegExp): RegExp {
  const parts = source.replace(PARTS, (part: string, one?: string) =>
    one === undefined ? part : `(?:${one}|$)`,
  );
  return new RegExp(parts, flags);
}
