import { NAME_TRIGGERS, NamedSecrets } from "./named-secrets.ts";
import { privateKeyAt } from "./private-keys.ts";
import { looksRandom } from "./random-text.ts";
import { type Candidate, type SecretPattern, type Shape, shaped, type TextRange } from "./secret-shape.ts";
import { VENDOR_SECRETS } from "./vendor-secrets.ts";

/** Keys without a vendor, and places where secrets of any shape stand: addresses, headers, command lines, settings. */
const PLACES: readonly Shape[] = [
  // Keys
  ["age key", "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1", `[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58,}`],
  [
    "private key",
    "LS0tLS1CRUdJTi",
    `[A-Za-z0-9+/]{40,}={0,2}`,
    (text) => /PRIVATE KEY/.test(decoded(text.slice(0, 96))),
  ],
  [
    "private key",
    "Private-Lines:",
    /Private-Lines: \d{1,4}(?<secret>(?:(?:\s|\\[rn]){1,4}[A-Za-z0-9+/=]{4,}(?![\w:-])){1,500})/dy,
  ],
  [
    "JSON web key",
    '"d" "k" "dp" "dq" "qi" "p" "q"',
    /"\w{1,2}"\s{0,3}:\s{0,3}"(?<secret>[\w-]{40,})/dy,
    looksRandom,
  ],
  ["private key", "<D> <P> <Q> <InverseQ>", /<\w{1,8}>(?<secret>[A-Za-z0-9+/]{40,}={0,2})/dy],
  [
    "JSON web token",
    "eyJ",
    /(?<![\w-]{40})(?:\b|(?<=\\[nrt]))eyJ[\w-]{10,4000}\.(?:eyJ[\w-]{10,}(?:\.[\w-]*)?|[\w-]{10,1000}\.[\w-]{10,})(?:\.[\w-]+){0,2}/y,
  ],
  ["JSON web token", "ZXlK", "aGJHY2lPaU[A-Za-z0-9+/]{40,}={0,2}"],
  [
    "password hash",
    "$1$ $5$ $6$ $7$ $y$ $2a$ $2b$ $2y$ $apr1$ $argon2i$ $argon2d$ $argon2id$ $scrypt$",
    /\$\w{1,8}\$(?<secret>[\w./+=,$-]{30,})/dy,
    (text) => looksRandom(text.slice(text.lastIndexOf("$") + 1)),
  ],
  [
    "recovery phrase",
    ["mnemonic", "seed phrase", "seed_phrase", "recovery phrase", "recovery_phrase"],
    /[a-z]{4,8}(?:[ _]phrase)?\\?["']?\s{0,3}(?::|=|is:?)\s{0,3}\\?["'`]?(?<secret>(?:[a-z]{3,8}[ \n]){11,23}[a-z]{3,8})\b/diy,
  ],
  // Where secrets stand
  ["password", "://", /(?<=[a-z\d]):\/\/[^\s/:@"'`<>?#\\]{0,256}:(?<secret>[^\s/"'`<>?#\\]+)@/diy, isGiven],
  // Those of databases are often written with signs that belong encoded.
  [
    "password",
    "postgres:// postgresql:// mysql:// mariadb:// mongodb:// mongodb+srv:// redis:// rediss:// amqp:// amqps://",
    /[a-z+]{4,14}:\/\/[^\s/:@"'`<>?#\\]{0,256}:(?!\d{1,5}[/?])(?<secret>[^\s"'`<>\\]{1,256})@(?=[\w.-]{0,256}(?:[:/?,\s"'`<>\\]|$))/diy,
    isGiven,
  ],
  ["token", "://", /(?<=[a-z\d]):\/\/(?<secret>[\w.~-]{20,})@/diy, looksRandom],
  ["password", "thin:", /thin:\w{1,64}\/(?<secret>[^\s@"'/]{3,128})@/diy, isGiven],
  [
    "authorization",
    "authorization",
    /authorization\\?["']?\]?\)?\s{0,3}(?:[:=,]|=>)\s{0,3}\\?["'`]?(?:(?:basic|bearer|token|bot|apikey|api-key|negotiate|splunk|ssws|key|digest|hmac|oauth|genie ?key|bearer:)[ :=]{1,3}(?:token=)?\\?"?)?(?<secret>[^\s"'`<>${}[\](),;\\]{8,})/diy,
    isHeader,
  ],
  ["bearer token", ["bearer "], /bearer +(?<secret>[\w.~+/-]{20,}={0,2})/diy, isHeader],
  ["basic authentication", ["basic "], /basic +(?<secret>[A-Za-z0-9+/]{8,}={0,2})/diy, isBasic],
  [
    "basic authentication",
    "auth",
    /auth\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?(?<secret>[A-Za-z0-9+/]{8,}={0,2})/dy,
    isBasic,
  ],
  [
    "cookie",
    ["cookie:", 'cookie":', "cookie':", 'cookie\\":'],
    /cookie\\?["']?: {0,3}\[?\\?["']?(?<secret>[\w.$-]{1,80}=[^\s;"'`\\]+(?:; ?[\w.$-]{1,80}=[^\s;"'`\\]*){0,200})/diy,
    isCookie,
  ],
  [
    "cookie",
    [" -b", " --cookie"],
    /(?<=\bcurl [^\n;|&]{0,300}|\bcurl) --?(?:b|cookie)[ =]?\\?["']?(?<secret>[\w.$-]{1,80}=[^\s;"'`\\]+(?:; ?[\w.$-]{1,80}=[^\s;"'`\\]*){0,200})/dy,
    isCookie,
  ],
  [
    "cookie",
    "PHPSESSID= JSESSIONID= connect.sid= _session= ASPXAUTH= session-token=",
    /[\w.-]+=(?<secret>[\w%.~+/-]{20,})/dy,
    looksRandom,
  ],
  [
    "password",
    [" -u", " --user", " --proxy-user"],
    / --?(?:u|user|proxy-user)[ =]?\\?["']?(?<secret>[^\s:"'$]{1,100}:[^\s"'\\]{3,})(?<=\bcurl [^\n;|&]{0,300})/dy,
    isPair,
  ],
  ["password", "sshpass", /sshpass -p ?\\?["']?(?<secret>[^\s"'$\\]{3,})/dy, isGiven],
  [
    "password",
    "mysql mariadb",
    /(?:mysql|mariadb)(?:dump|admin)?(?=[ \t])[^\n;|&]{0,120}? -p\\?["']?(?<secret>[^\s"'$\\]{3,})/dy,
    isGiven,
  ],
  ["password", "redis-cli", /redis-cli [^\n;|&]{0,120}?-a \\?["']?(?<secret>[^\s"'$\\]{3,})/dy, isGiven],
  [
    "password",
    ["docker login"],
    /docker login [^\n;|&]{0,120}? -p[ =]\\?["']?(?<secret>[^\s"'$\\]{3,})/dy,
    isGiven,
  ],
  ["password", "pass:", /pass:(?<secret>[^\s"'$\\]{4,})/dy, isGiven],
  [
    "password",
    ":5432: :5433: :6432: :*:",
    /(?<=(?:^|\n)[^\s:]{1,128}):(?:\d{4}|\*):[^\s:]{1,64}:[^\s:]{1,64}:(?<secret>[^\s:][^\s]{2,})/dy,
  ],
  ["password", ['password" value='], /password" value="(?<secret>[^"\n]{6,})/diy, isGiven],
  ["password", ["identified by"], /identified by (?:password )?'(?<secret>[^'\n]{3,})/diy, isGiven],
  ["password", ["identified by"], /identified by (?:values )?"(?<secret>[^"\n]{3,})/diy, isGiven],
  [
    "password",
    "pass",
    /(?<=user(?:name)?\\?["']?\s{0,3}[:=]\s{0,3}\\?["'`][^"'`\n]{1,100}["'`],?\s{0,40}\\?["']?)pass\\?["']?\s{0,3}[:=]\s{0,3}\\?["'`](?<secret>[^"'`\\\n]{6,200})/diy,
    isSpelt,
  ],
  [
    "Sidekiq key",
    "CONTRIBSYS__COM",
    /CONTRIBSYS__COM["']?[ \t=:]{1,3}["']?(?<secret>[a-f0-9]{8}:[a-f0-9]{8})\b/diy,
  ],
  [
    "Kubernetes secret",
    ["kind: Secret"],
    /kind: Secret\s[\s\S]{0,600}?\n(?:d|stringD)ata:[ \t]*\n(?<secret>(?:[ \t]+[\w.-]{1,200}:[^\n]*\n?){1,500})/dy,
  ],
  [
    "Kubernetes secret",
    ["\ndata:"],
    /\n(?:data|stringData):[ \t]*\n(?<secret>(?:[ \t]+[\w.-]{1,200}:[^\n]*\n){1,500})(?:[\w-]{1,40}:[^\n]*\n|[ \t]+[^\n]*\n){0,12}kind: Secret\b/dy,
  ],
  ["SonarQube token", "sonar.login", /sonar\.login\s{0,2}[=:]\s{0,2}(?<secret>[a-f0-9]{40})\b/dy],
];

/** Not a variable, what a template fills in, or what was left out. */
function isGiven(text: string): boolean {
  return !/^(?:[$<{%[]|[*x.•]+$|\.\.\.|\\)/.test(text);
}

/** Not what stands for a password in an example. */
function isSpelt(text: string): boolean {
  return isGiven(text) && /\d|[^\w-]/.test(text) && !/your|pass/i.test(text);
}

function isPair(text: string): boolean {
  return isGiven(text) && isGiven(text.slice(text.indexOf(":") + 1)) && !/^https?:/.test(text);
}

function isHeader(text: string): boolean {
  if (!isGiven(text) || /^(?:your|my)[_-]/i.test(text)) return false;
  return (
    looksRandom(text) ||
    (/\d/.test(text) && /[a-z]/i.test(text) && !/^[a-z_$][\w$]*(?:\.[a-z_$][\w$]*)*$/i.test(text)) ||
    isBasic(text)
  );
}

/** A name and a password in base64. */
function isBasic(text: string): boolean {
  return /^[ -~]+:[ -~]*$/.test(decoded(text));
}

function isCookie(text: string): boolean {
  return text.split(";").some((each) => looksRandom(each.slice(each.indexOf("=") + 1)));
}

function decoded(base64: string): string {
  return Buffer.from(base64, "base64").toString("latin1");
}

const named = new NamedSecrets();

export const SECRET_PATTERNS: readonly SecretPattern[] = [
  { kind: "private key", triggers: ["PRIVATE KEY"], find: (...asked) => surely(privateKeyAt(...asked)) },
  ...[...VENDOR_SECRETS, ...PLACES].map(shaped),
  { kind: "secret", triggers: NAME_TRIGGERS, find: (...asked) => surely(named.find(...asked)) },
];

function surely(range: TextRange | undefined): Candidate | undefined {
  return range && { range, isSecret: true };
}
