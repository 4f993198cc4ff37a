import { JUDGED, looksRandom } from "./random-text.ts";
import type { TextRange } from "./secret-shape.ts";

/** A part of each name that secrets are given. */
export const NAME_TRIGGERS = ["pass", "pwd", "secret", "token", "key", "cred", "auth"];

/** By code: 1 for what a name may be made of, before and behind the trigger. */
const NAME_PARTS = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(/[\w$.-]/.test(String.fromCharCode(code))),
);
const LONGEST_NAME = 60;
/** In a table, before the name. */
const LONGEST_ROW = 200;

const QUOTE = String.raw`\\{0,3}["'\x60]`;
/** Of a variable that is declared: `: string =`, ` string =`, `: &str =`. */
const TYPE = String.raw`[ \t:]{1,3}&?[A-Za-z][\w<>|.?\[\]]{0,30}[ \t]{0,2}=(?![=>])`;
/** `value: ` below or beside `name: API_KEY`. */
const VALUE = String.raw`\s{0,80}["']?value["']?\s?[:=]`;
/** A block of YAML, whose value stands in the next line. */
const BLOCK = String.raw`[|>][+-]?[ \t]{0,8}(?:\r?\n|\\n)[ \t]{1,40}`;
/** From the end of a name to its value: an assignment, a field, an argument, an element, a comparison. */
const ASSIGNED = new RegExp(
  [
    String.raw`(?:${QUOTE}|\*\*)?\]?(?:${TYPE}|[ \t]{0,3}(?:=>|:=|\?=|={1,3}|:)(?!:)(?:\*\*)?|>|%3[dD]`,
    String.raw`|,?${VALUE}|(?:\(|,[ \t]?|[ \t](?:BY[ \t])?)(?=${QUOTE}))[ \t]{0,8}(?:${BLOCK})?`,
  ].join(""),
  "y",
);
const OPTION = /[ \t=]{1,3}/y;
const NEXT_CELL = /[`*]{0,2}[ \t]{1,40}\|[ \t]/y;
const OPENING = /(\\{0,3})(["'`]{1,3})/y;

/** No values: variables, calls, addresses, dates, what templates fill in and what is left out. */
const NO_VALUE = new RegExp(
  [
    String.raw`^(?:\$[a-z_{(]|%\w{1,40}%|[<{(\[]|[a-z][a-z\d+.-]{0,20}:\/\/|\d{4}-\d\d-\d\d|\.{0,2}\/[\w.-]+(?:\/|$)|~\/`,
    String.raw`|[*x.•_-]+$|sha\d{1,3}[-:])|your[_-]|[_-]here$|placeholder|change[_-]?me|redacted|\$\{|\{\{|^[a-z]:\\`,
  ].join(""),
  "i",
);

/** Names whose values are about a secret, and none themselves, by their end: `tokenCount`, `secret_name`. */
const ABOUT = new RegExp(
  [
    "count|limit|length|len|size|name|names|file|filename|path|dir|url|uri|endpoint|types?|kind|hash|hashed|digest|sha",
    "sha1|sha256|checksum|fingerprint|ids?|index|usage|used|budget|cost|price|i[sz]er|i[sz]ers|i[sz]ed|i[sz]ation|expiry|expires",
    "expiration|expiresin|expiresat|ttl|age|version|ref|refs|arn|field|label|hint|regex|pattern|policy|rules?|format|prefix",
    "suffix|separator|algorithm|alg|method|provider|class|param|status|state|errors?|message|text|title|date|time|model",
    "encoding|stream|tokens|keys|secrets|passwords|keyid|author|authors|authority|keyboard|keyframes|keyword|keywords|keymap",
  ].join("|"),
);
const IS_ABOUT = new RegExp(`(?:${ABOUT.source})$`);
/** Keys that open nothing. */
const OPEN_KEY =
  /(?:public|pub|cache|primary|foreign|sort|partition|object|hot|row|group|idempotency|index|verify|verification|host|translation|message|query|site|hotkey|lock|monkey|turkey|route|map|storage\.?local|hash|unique|node)key\d*$/;
const PASSWORD =
  /(?:passw(?:or)?d|passwort|passphrase|passcode|pwd|(?:^|mot[-_]?de[-_]?)passe)(?:[\d_-]*|value|plain|text)$|(?:db|database|smtp|mail|ftp|sql|postgres|pg|redis|mongo|rabbitmq|admin|root|user|auth|proxy|store|ssh|vpn|wifi|http|sudo|login)[_.-]?pass$/;
const SECRET =
  /secret|token|api[-_.]?key|cred|(?:^|[_.-])_?auth$|(?:access|auth|account|client|private|preshared|signing|encryption|master|shared|licen[cs]e|subscription|secret|session|deploy|app|application|server|integration|webhook|write|ingest|insert|admin|function|routing|jwt|cookie|hmac|service|role|bot|registration|storage)[-_.]?key/;
const SECRET_KEY = /key(?:[-_]?\d+|[-_]base)?$/;

/** Where a value ends that no quote ends: what goes on behind these is not a part of it. */
const BARE_VALUE = /[^\s"'`<>(){}[\],;|\\]+/y;
const IN_ADDRESS = /[^\s"'`<>(){}[\],;|\\&#]+/y;
/** In a line of an environment file. */
const REST_OF_LINE = /[^\s"'`;]+/y;
/** By quote: what a value within such quotes may hold. */
const QUOTED: Record<string, RegExp> = { '"': /[^\s"]+/y, "'": /[^\s']+/y, "`": /[^\s`]+/y };

/**
 * Finds values that are assigned to a name such as `password` or `api_key`, wherever programs, shells, settings, headers and
 * command lines assign one: random-looking ones, and those of passwords that no word is.
 */
export class NamedSecrets {
  /** The run that was looked at last, by its pattern: what begins within it ends where it does, which keeps the pass linear. */
  readonly #runs = new Map<RegExp, TextRange>();
  #text = "";

  /** The value of the name that holds the trigger at `at`. */
  find(text: string, at: number, isCut: boolean): TextRange | undefined {
    if (text !== this.#text) {
      this.#text = text;
      this.#runs.clear();
    }
    const name = nameAround(text, at);
    const [start, end] = name;
    const rule = ruleFor(text.slice(start, end));
    if (rule === undefined) return undefined;
    const from = isOption(text, start)
      ? this.#endOf(OPTION, text, end)
      : (this.#endOf(ASSIGNED, text, end) ?? this.#nextWord(text, name) ?? this.#nextCell(text, name));
    const value = from === undefined ? undefined : this.#valueAt(text, from, name);
    if (value === undefined || value.start >= value.end) return undefined;
    value.isEnd = isCut && value.end === text.length;
    const said = text.slice(value.start, Math.min(value.end, value.start + JUDGED));
    return rule(said, value) && !NO_VALUE.test(said) ? [value.start, value.end] : undefined;
  }

  /** `password hunter2` in a line of `.netrc`. */
  #nextWord(text: string, [start, end]: TextRange): number | undefined {
    if (text[end] !== " " || text[start - 1] !== " ") return undefined;
    return / login\s+\S{1,100}\s+$/.test(text.slice(Math.max(0, start - 120), start)) ? end + 1 : undefined;
  }

  /** `| API_KEY | value |` in a table. */
  #nextCell(text: string, [start, end]: TextRange): number | undefined {
    const before = text.slice(Math.max(0, start - LONGEST_ROW), start);
    return /(?:^|\n|\\n)[ \t]*\|[^\n]*$/.test(before) ? this.#endOf(NEXT_CELL, text, end) : undefined;
  }

  #valueAt(text: string, start: number, name: TextRange): Value | undefined {
    const first = text.charAt(start);
    if (first === "\\" || first in QUOTED) return this.#quotedAt(text, start);
    const isAddress = /[?&]/.test(text.charAt(name[0] - 1));
    const isEnvironment = !isAddress && text[start - 1] === "=" && startsLine(text, name[0]);
    const end = this.#endOf(isAddress ? IN_ADDRESS : isEnvironment ? REST_OF_LINE : BARE_VALUE, text, start);
    if (end === undefined) return undefined;
    // What is called, indexed or goes on as code is no value.
    if (!isAddress && /[([{]/.test(text.charAt(end))) return undefined;
    if (isEnvironment && /^[\w.$]+\(/.test(text.slice(start, start + JUDGED))) return undefined;
    const isLine = () =>
      isEnvironment || isAddress || isOption(text, name[0]) || isWholeLine(text, name[0], end);
    return { start, end, isQuoted: false, isLine, isEnd: false };
  }

  #quotedAt(text: string, at: number): Value | undefined {
    OPENING.lastIndex = at;
    const [opening, escapes = "", quotes = ""] = OPENING.exec(text) ?? [];
    const pattern = QUOTED[quotes.charAt(0)];
    if (opening === undefined || pattern === undefined) return undefined;
    const start = at + opening.length;
    const end = this.#endOf(pattern, text, start);
    if (end === undefined || (end < text.length && text[end] !== quotes[0])) return undefined;
    const isEscaped = escapes !== "" && text.endsWith(escapes, end);
    return {
      start,
      end: isEscaped ? end - escapes.length : end,
      isQuoted: true,
      isLine: () => true,
      isEnd: false,
    };
  }

  /** Where what matches at `from` ends. */
  #endOf(pattern: RegExp, text: string, from: number): number | undefined {
    const [start, end] = this.#runs.get(pattern) ?? [0, 0];
    if (RUNS.has(pattern) && from >= start && from < end) return end;
    pattern.lastIndex = from;
    if (!pattern.test(text)) return undefined;
    if (RUNS.has(pattern)) this.#runs.set(pattern, [from, pattern.lastIndex]);
    return pattern.lastIndex;
  }
}

/** Those that match any part of what they match. */
const RUNS: ReadonlySet<RegExp> = new Set([BARE_VALUE, IN_ADDRESS, REST_OF_LINE, ...Object.values(QUOTED)]);

interface Value {
  start: number;
  end: number;
  isQuoted: boolean;
  /** It is all that its line assigns, as in settings: code goes on. */
  isLine: () => boolean;
  /** It may have been cut off. */
  isEnd: boolean;
}

type Rule = (value: string, about: Value) => boolean;

/** Those of names seen lately: texts repeat them. */
const RULES = new Map<string, Rule | undefined>();
const RULES_KEPT = 1000;

/** Undefined for names that are not those of secrets. */
function ruleFor(name: string): Rule | undefined {
  const known = RULES.get(name);
  if (known !== undefined || RULES.has(name)) return known;
  if (RULES.size >= RULES_KEPT) RULES.clear();
  const rule = newRule(name);
  RULES.set(name, rule);
  return rule;
}

function newRule(name: string): Rule | undefined {
  const words = name.toLowerCase().replace(/^[-$.]+|[.-]+$/g, "");
  if (PASSWORD.test(words)) return isPassword;
  if (IS_ABOUT.test(words.replace(/[-_.]/g, "")) || OPEN_KEY.test(words.replace(/[-_]/g, "")))
    return undefined;
  if (SECRET.test(words)) return looksRandom;
  if (!SECRET_KEY.test(words)) return undefined;
  // Any name may end so: the values are more likely to be those of keys in the environment.
  if (/^[A-Z\d_]+_KEY$/.test(name)) return (value) => value.length >= 16 && looksRandom(value);
  return (value) =>
    value.length >= 20 && !/^[\da-f-]+$/i.test(value) && /[A-Z]/.test(value) && looksRandom(value);
}

function nameAround(text: string, at: number): TextRange {
  let [start, end] = [at, at];
  while (at - start < LONGEST_NAME && isNamePart(text, start - 1)) start--;
  while (end - at < LONGEST_NAME && isNamePart(text, end)) end++;
  // What follows the backslash of `\n` is its letter.
  if (text[start - 1] === "\\" && /[nrt]/.test(text.charAt(start))) start++;
  return [start, end];
}

function isNamePart(text: string, at: number): boolean {
  return NAME_PARTS[text.charCodeAt(at)] === 1;
}

/** `--password hunter2` */
function isOption(text: string, start: number): boolean {
  return text.startsWith("--", start);
}

function startsLine(text: string, start: number): boolean {
  if (start > 0 && !/[\sn]/.test(text.charAt(start - 1))) return false;
  return /(?:^|\n|\\n|[;\s](?:export|set|env|ENV|ARG|-e|--env)[ \t]+|^(?:export|set|ENV|ARG)[ \t]+)$/.test(
    text.slice(Math.max(0, start - 12), start),
  );
}

/** `password: hunter2` as the only thing in its line. */
function isWholeLine(text: string, start: number, end: number): boolean {
  return (
    /(?:^|\n|\\n)[ \t]*(?:- )?["']?$/.test(text.slice(Math.max(0, start - 40), start)) &&
    /^\s*(?:\n|\\n|$)/.test(text.slice(end, end + 3))
  );
}

/** A password that people choose: not a word, a name or what code says. */
function isPassword(value: string, { isQuoted, isLine, isEnd }: Value): boolean {
  if (looksRandom(value)) return true;
  if (value.length < (isEnd ? 3 : 6) || !/[a-z]/i.test(value)) return false;
  if (/^[a-z_$][\w$]*(?:\??\.[a-z_$#][\w$]*)+$/i.test(value) || /[()]|^[@#]?\w+[:=]/.test(value))
    return false;
  const hasSign = /[!@#$%^&*?+~]/.test(value);
  if (!/\d/.test(value)) return hasSign && isQuoted && /\w[!@#$%^&*?+~]+\w/.test(value);
  if (isQuoted || isLine()) return true;
  return hasSign || !/^[a-z_$]+\d{1,3}$/i.test(value);
}
