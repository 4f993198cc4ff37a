import { isCutPreview, isCutTitle } from "../text/preview.ts";
import { SECRET_KINDS, type SecretKind } from "./secret-kinds.ts";
import { hidesSomething, SeenText, withSpaces } from "./seen-text.ts";
import { SignFinder } from "./sign-finder.ts";

/** A secret in a text, as UTF-16 units `[start, end)`. */
export interface FoundSecret {
  start: number;
  end: number;
  /** What it opens: `GitHub token`, `private key`, ... */
  kind: string;
}

const SIGNS = SECRET_KINDS.flatMap((of) => of.signs.map((sign) => ({ sign, of })));
let finder: SignFinder | undefined;

/** Made when the first text is looked at: it takes 2 ms, a fortieth of what a command that shows no text takes in all. */
function signFinder(): SignFinder {
  finder ??= new SignFinder(SIGNS.map(({ sign }) => sign));
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
  const seen = new SeenText(text);
  const within = findPlain(seen.text).map(({ start, end, kind }) => ({
    start: seen.wholePlace(start),
    end: seen.wholePlace(end - 1) + 1,
    kind,
  }));
  return [...within, ...findPlain(withSpaces(text))];
}

/** In no order. */
function findPlain(text: string): FoundSecret[] {
  const signs = signFinder().signsIn(text);
  if (signs === null) return [];
  // Looking for fixed signs is many times faster than trying each pattern everywhere.
  const kinds = new Set([...signs].map((sign) => SIGNS[sign]?.of));
  return SECRET_KINDS.flatMap((kind) => (kinds.has(kind) ? findOfKind(text, kind) : []));
}

/** The text with `[masked GitHub token]` in the place of each secret. */
export function maskSecrets(text: string): string {
  return maskFound(text, findSecrets(text));
}

/** The same where it is known which secrets the text holds. */
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

function findOfKind(text: string, { kind, pattern, isSecret }: SecretKind): FoundSecret[] {
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
