import { isCutPreview, isCutTitle } from "./preview.ts";
import { SECRET_PATTERNS, type SecretPattern } from "./secret-patterns.ts";
import { hidesSomething, VisibleText, withSpaces } from "./visible-text.ts";

const NONE: readonly number[] = [];

/** The low bytes of a stretch of the text's characters: going through bytes takes half the time. */
const STRETCH = Buffer.allocUnsafeSlow(16 * 1024);

/**
 * Finds in one pass over a text which of many fixed texts occur in it; the case of ASCII letters is ignored (Aho and
 * Corasick, 1975). For the 100 triggers of secrets that is many times faster than looking for each.
 */
export class TriggerScanner {
  /** The kind of each character, by the low byte of its code; 0 for those that are in no trigger. */
  readonly #kinds = new Uint8Array(256);
  #kindCount = 1;
  /** The next state, by state and kind of character. In state 0 nothing of a trigger has been seen. */
  readonly #next: Uint16Array;
  /** By state: the triggers that end there. */
  readonly #found: (readonly number[])[];
  /**
   * `#next` as a pass uses it: a state is the index at which its row begins, which saves a multiplication a character.
   */
  readonly #steps: Uint32Array;
  /** By that index: 1 for a state in which a trigger ends. */
  readonly #ends: Uint8Array;

  /** @param triggers ASCII */
  constructor(triggers: readonly string[]) {
    for (const trigger of triggers) for (const character of trigger) this.#addKind(character);
    const states = triggers.reduce((sum, trigger) => sum + trigger.length, 1);
    this.#next = new Uint16Array(states * this.#kindCount);
    this.#found = new Array(states).fill(NONE);
    const used = this.#addTriggers(triggers);
    this.#addFallbacks(used);
    this.#steps = Uint32Array.from(this.#next, (state) => state * this.#kindCount);
    this.#ends = new Uint8Array(this.#steps.length);
    this.#found.forEach(({ length }, state) => {
      if (length > 0) this.#ends[state * this.#kindCount] = 1;
    });
  }

  /**
   * The numbers of the triggers in a text, in no order; null when there are none. They may include triggers that the text
   * does not hold, where non-ASCII characters have the low bytes of ASCII ones.
   */
  triggersIn(text: string): Set<number> | null {
    const [kinds, steps, ends] = [this.#kinds, this.#steps, this.#ends];
    let triggers: Set<number> | null = null;
    let state = 0;
    for (let from = 0; from < text.length; from += STRETCH.length) {
      const count = STRETCH.write(from === 0 ? text : text.slice(from), "latin1");
      for (let at = 0; at < count; at++) {
        state = steps[state + (kinds[STRETCH[at] ?? 0] ?? 0)] ?? 0;
        if (ends[state] !== 1) continue;
        triggers ??= new Set();
        for (const trigger of this.#found[state / this.#kindCount] ?? NONE) triggers.add(trigger);
      }
    }
    return triggers;
  }

  #addKind(character: string): void {
    const [small, capital] = [character.toLowerCase().charCodeAt(0), character.toUpperCase().charCodeAt(0)];
    if (this.#kinds[small] !== 0) return;
    this.#kinds[small] = this.#kindCount;
    this.#kinds[capital] = this.#kindCount++;
  }

  /** The triggers as a tree of their beginnings. Returns how many states there are. */
  #addTriggers(triggers: readonly string[]): number {
    let states = 1;
    triggers.forEach((trigger, number) => {
      let state = 0;
      for (const character of trigger) {
        const at = state * this.#kindCount + (this.#kinds[character.charCodeAt(0)] ?? 0);
        if (this.#next[at] === 0) this.#next[at] = states++;
        state = this.#next[at] ?? 0;
      }
      this.#found[state] = [...(this.#found[state] ?? NONE), number];
    });
    return states;
  }

  /**
   * Fills in the next states where no trigger continues: a state then stands for the longest end of what was read that is
   * the beginning of another trigger.
   */
  #addFallbacks(states: number): void {
    const fallback = new Uint16Array(states);
    // A state's fallback is less deep, so it is complete when states are taken by depth.
    for (const queue = [0]; queue.length > 0; ) {
      const state = queue.shift() ?? 0;
      for (let kind = 1; kind < this.#kindCount; kind++) {
        const at = state * this.#kindCount + kind;
        const other = state === 0 ? 0 : (this.#next[(fallback[state] ?? 0) * this.#kindCount + kind] ?? 0);
        const child = this.#next[at] ?? 0;
        if (child === 0) {
          this.#next[at] = other;
          continue;
        }
        fallback[child] = other;
        const inherited = this.#found[other] ?? NONE;
        if (inherited.length > 0) this.#found[child] = [...(this.#found[child] ?? NONE), ...inherited];
        queue.push(child);
      }
    }
  }
}

/** A secret in a text, as UTF-16 units `[start, end)`. */
export interface FoundSecret {
  start: number;
  end: number;
  /** What it opens: `GitHub token`, `private key`, ... */
  kind: string;
}

const TRIGGERS = SECRET_PATTERNS.flatMap((of) => of.triggers.map((trigger) => ({ trigger, of })));
let finder: TriggerScanner | undefined;

/** Made when the first text is looked at: it takes 2 ms, a fortieth of what a command that shows no text takes in all. */
function triggerScanner(): TriggerScanner {
  finder ??= new TriggerScanner(TRIGGERS.map(({ trigger }) => trigger));
  return finder;
}

/**
 * The secrets in a text, in order, none overlapping another. Found are those whose shape gives them away, and
 * random-looking values that are assigned to a name such as `password` or `api_key`; a password that is an
 * ordinary word is not. Colours and other marks that are not seen do not keep one from being found, and lie within it.
 *
 * @param hides whether there are such marks, where that is known: looking for them takes as long as all the rest
 */
export function findSecrets(text: string, hides: boolean = hidesSomething(text)): FoundSecret[] {
  const found = hides ? findHidden(text) : findPlain(text);
  return found.length < 2 ? found : withoutOverlaps(found);
}

/** In what is seen, where a colour may stand within a secret, and with the marks as ends of words, where one is beside it. */
function findHidden(text: string): FoundSecret[] {
  const seen = new VisibleText(text);
  const within = findPlain(seen.text).map(({ start, end, kind }) => ({
    start: seen.wholePlace(start),
    end: seen.wholePlace(end - 1) + 1,
    kind,
  }));
  return [...within, ...findPlain(withSpaces(text))];
}

/** In no order. */
function findPlain(text: string): FoundSecret[] {
  const triggers = triggerScanner().triggersIn(text);
  if (triggers === null) return [];
  // Looking for fixed texts is many times faster than trying each pattern everywhere.
  const kinds = new Set([...triggers].map((trigger) => TRIGGERS[trigger]?.of));
  return SECRET_PATTERNS.flatMap((kind) => (kinds.has(kind) ? findOfKind(text, kind) : []));
}

/** The text with `[masked GitHub token]` in the place of each secret. */
export function maskSecrets(text: string): string {
  return maskFound(text, findSecrets(text));
}

/** `maskSecrets` where it is known which secrets the text holds. */
export function maskFound(text: string, found: readonly FoundSecret[]): string {
  let masked = "";
  let at = 0;
  for (const secret of found) {
    masked += text.slice(at, secret.start) + maskOf(secret);
    at = secret.end;
  }
  return at === 0 ? text : masked + text.slice(at);
}

/** A session's title without secrets. */
export function maskTitle(title: string): string {
  return isCutTitle(title) ? maskCutSecrets(title) : maskSecrets(title);
}

/** A preview without secrets. */
export function maskPreview(preview: string): string {
  return isCutPreview(preview) ? maskCutSecrets(preview) : maskSecrets(preview);
}

/** What a secret may go on with where it was cut off: each kind is complete with one of these. */
const CONTINUATIONS = [
  "A2".repeat(64),
  "a2".repeat(64),
  "a".repeat(128),
  `${"a".repeat(32)}.eyJ${"a".repeat(32)}.${"a".repeat(32)}`,
  "@",
];
/** Characters of a secret that give nothing away: the beginning of another word may look the same. */
const FEW = 12;

/** As `maskSecrets`, of a text that was cut off: what may be the beginning of a secret at its end is one. */
export function maskCutSecrets(text: string): string {
  if (/\s/.test(text.slice(-FEW))) return maskSecrets(text);
  for (const continuation of CONTINUATIONS) {
    const cut = findSecrets(text + continuation).find(({ end }) => end >= text.length);
    if (cut !== undefined && text.length - cut.start >= FEW) {
      return maskSecrets(text.slice(0, cut.start)) + maskOf(cut);
    }
  }
  return maskSecrets(text);
}

/** The first characters of a text without secrets, `length` of them at most. */
export function maskBeginning(text: string, length: number): string {
  // Secrets that are cut off by the end of what is shown are found in what is a little longer.
  const beginning = text.slice(0, length * 4);
  const mask = beginning.length < text.length ? maskCutSecrets : maskSecrets;
  return mask(beginning).slice(0, length);
}

/** What stands in the place of a secret. */
export function maskOf({ kind }: FoundSecret): string {
  return `[masked ${kind}]`;
}

function findOfKind(text: string, { kind, pattern, isSecret }: SecretPattern): FoundSecret[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [start, end] = match.indices?.groups?.secret ?? [match.index, match.index + match[0].length];
    return isSecret === undefined || isSecret(text.slice(start, end)) ? [{ start, end, kind }] : [];
  });
}

/** Of secrets that overlap the one that begins first is kept, and made to cover the others. */
function withoutOverlaps(found: FoundSecret[]): FoundSecret[] {
  const kept: FoundSecret[] = [];
  for (const secret of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (last === undefined || secret.start >= last.end) kept.push(secret);
    else last.end = Math.max(last.end, secret.end);
  }
  return kept;
}
