import { isCutPreview, isCutTitle } from "./preview.ts";
import { SECRET_PATTERNS } from "./secret-patterns.ts";
import type { SecretPattern } from "./secret-shape.ts";
import { TriggerScanner } from "./trigger-scanner.ts";
import { hidesSomething, VisibleText, withSpaces } from "./visible-text.ts";

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
  return findAll(text, { hides, isCut: false });
}

function findAll(text: string, { hides, isCut }: { hides: boolean; isCut: boolean }): FoundSecret[] {
  const found = hides ? findHidden(text, isCut) : findPlain(text, isCut);
  return found.length < 2 ? found : withoutOverlaps(found);
}

/** In what is seen, where a colour may stand within a secret, and with the marks as ends of words, where one is beside it. */
function findHidden(text: string, isCut: boolean): FoundSecret[] {
  const seen = new VisibleText(text);
  const within = findPlain(seen.text, isCut).map(({ start, end, kind }) => ({
    start: seen.wholePlace(start),
    end: seen.wholePlace(end - 1) + 1,
    kind,
  }));
  return [...within, ...findPlain(withSpaces(text), isCut)];
}

/** In no order. */
function findPlain(text: string, isCut: boolean): FoundSecret[] {
  const found: FoundSecret[] = [];
  /** By kind: where what was found last ends. */
  const ends = new Map<SecretPattern, number>();
  triggerScanner().visitTriggers(text, (trigger, at) => {
    const pattern = TRIGGERS[trigger]?.of;
    if (pattern === undefined || at < (ends.get(pattern) ?? 0)) return;
    const candidate = pattern.find(text, at, isCut);
    if (candidate === undefined) return;
    const [start, end] = candidate.range;
    ends.set(pattern, end);
    if (candidate.isSecret) found.push({ start, end, kind: pattern.kind });
  });
  return found;
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

/** Characters of a secret that give nothing away: the beginning of another word may look the same. */
const FEW = 12;

/** As `maskSecrets`, of a text that was cut off: what may be the beginning of a secret at its end is one. */
export function maskCutSecrets(text: string): string {
  const found = findAll(text, { hides: hidesSomething(text), isCut: true });
  const last = found.at(-1);
  const isFew = last !== undefined && last.end === text.length && last.end - last.start < FEW;
  return isFew ? maskSecrets(text) : maskFound(text, found);
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

/**
 * Of secrets that overlap the one that begins first is kept, and made to cover the others; of those that begin together one
 * whose shape says what it opens.
 */
function withoutOverlaps(found: FoundSecret[]): FoundSecret[] {
  const kept: FoundSecret[] = [];
  for (const secret of found.toSorted(byPlace)) {
    const last = kept.at(-1);
    if (last === undefined || secret.start >= last.end) kept.push(secret);
    else last.end = Math.max(last.end, secret.end);
  }
  return kept;
}

/** Kinds that do not say what they open. */
const VAGUE: ReadonlySet<string> = new Set(["secret", "API key", "authorization", "token", "JSON web key"]);

function byPlace(a: FoundSecret, b: FoundSecret): number {
  const isVague = ({ kind }: FoundSecret) => Number(VAGUE.has(kind));
  return a.start - b.start || isVague(a) - isVague(b) || b.end - a.end;
}
