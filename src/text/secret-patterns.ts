/** How secrets of one kind are recognised. */
export interface SecretPattern {
  kind: string;
  /** At least one of these (ASCII, in upper or lower case) stands in every such secret, or beside it. */
  triggers: readonly string[];
  /** With the flag `g`. Where it has a group named `secret` (then with the flag `d`), only that group is the secret. */
  pattern: RegExp;
  isSecret?: (text: string) => boolean;
}

/** White space, or a line end that is escaped. */
const SPACE = String.raw`(?:\s|\\[rn])`;
/** Between lines of a key, which may be indented. */
const GAP = `${SPACE}{1,200}`;

/**
 * Beginning, headers, lines of base64; the end may be cut off. Prose about keys does not match. Headers are passed over
 * together, because it is not known where each ends if line ends have become spaces: matched one by one, any part might
 * belong to any of them, and trying all that takes for ever.
 */
const PRIVATE_KEY = new RegExp(
  [
    "-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----",
    String.raw`${SPACE}{0,20}(?:[A-Za-z-]{4,20}: [\s\S]{1,500}?${SPACE})?[A-Za-z0-9+/]{24,}`,
    `(?:${GAP}[A-Za-z0-9+/=]{40,}){0,400}`,
    `(?:(?:${GAP})?(?:[A-Za-z0-9+/=]+${GAP}){0,2}-----END[ A-Z0-9_-]{0,40}-----)?`,
  ].join(""),
  "g",
);

/*
 * The shapes that vendors document for their tokens, as secret scanners look for them (the best known list is
 * that of gitleaks, https://github.com/gitleaks/gitleaks, MIT). Lengths are lower bounds: vendors lengthen their
 * tokens, and masking a little too much harms nobody.
 */
const SHAPES: readonly [kind: string, triggers: readonly string[], pattern: RegExp][] = [
  ["private key", ["PRIVATE KEY"], PRIVATE_KEY],
  ["Anthropic key", ["sk-ant-"], /\bsk-ant-[A-Za-z0-9]{2,12}-[\w-]{20,}/g],
  ["OpenRouter key", ["sk-or-"], /\bsk-or-v\d-[A-Za-z0-9]{32,}/g],
  [
    "OpenAI key",
    ["sk-"],
    /\bsk-(?:(?:proj|svcacct|admin)-[\w-]{20,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|(?=[A-Za-z]*\d)[A-Za-z0-9]{32,})/g,
  ],
  ["AWS access key", ["AKIA", "ASIA", "ABIA", "ACCA"], /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g],
  ["GitHub token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], /\bgh[pousr]_[A-Za-z0-9]{36,}/g],
  ["GitHub token", ["github_pat_"], /\bgithub_pat_\w{36,}/g],
  [
    "GitLab token",
    ["pat", "dt", "rt", "ptt", "ft", "soat", "oas", "cbt", "imt", "agent"].map((use) => `gl${use}-`),
    /\bgl(?:pat|dt|rt|ptt|ft|soat|oas|cbt|imt|agent)-[\w.-]{20,}/g,
  ],
  ["Google API key", ["AIza"], /\bAIza[\w-]{35}/g],
  ["Google OAuth secret", ["GOCSPX-"], /\bGOCSPX-[\w-]{28}/g],
  ["Slack token", ["xox", "xapp-"], /\b(?:xox[abeoprs](?:\.xox[bp])?-|xapp-\d-)[A-Za-z0-9-]{10,}/g],
  [
    "Slack webhook",
    ["hooks.slack.com"],
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{40,}/g,
  ],
  [
    "Discord webhook",
    ["/api/webhooks/"],
    /discord(?:app)?\.com\/api\/webhooks\/(?<secret>\d{16,}\/[\w-]{50,})/dg,
  ],
  ["Telegram token", [":AA"], /\b\d{8,12}:AA[\w-]{32,}/g],
  ["Stripe key", ["_test_", "_live_", "_prod_"], /\b(?:sk|rk)_(?:test|live|prod)_[A-Za-z0-9]{10,}/g],
  ["Stripe key", ["whsec_"], /\bwhsec_[A-Za-z0-9+/]{32,}/g],
  ["npm token", ["npm_"], /\bnpm_[A-Za-z0-9]{36,}/g],
  ["PyPI token", ["pypi-"], /\bpypi-AgE[\w-]{50,}/g],
  ["Docker token", ["dckr_"], /\bdckr_(?:pat|oat)_[\w-]{27,}/g],
  ["Hugging Face token", ["hf_", "api_org_"], /\b(?:hf_|api_org_)[A-Za-z]{34,}/g],
  ["Groq key", ["gsk_"], /\bgsk_[A-Za-z0-9]{40,}/g],
  ["xAI key", ["xai-"], /\bxai-[A-Za-z0-9]{60,}/g],
  ["Perplexity key", ["pplx-"], /\bpplx-[A-Za-z0-9]{40,}/g],
  ["Replicate token", ["r8_"], /\br8_[A-Za-z0-9]{37,}/g],
  ["SendGrid key", ["SG."], /\bSG\.[\w-]{20,}\.[\w-]{30,}/g],
  ["Shopify token", ["shpat_", "shpca_", "shppa_", "shpss_"], /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/g],
  ["DigitalOcean token", ["_v1_"], /\bdo[opr]_v1_[a-f0-9]{64}/g],
  ["Databricks token", ["dapi"], /\bdapi[a-f0-9]{32}(?:-\d)?\b/g],
  ["Notion token", ["ntn_"], /\bntn_[A-Za-z0-9]{40,}/g],
  ["Linear key", ["lin_"], /\blin_(?:api|oauth)_[A-Za-z0-9]{32,}/g],
  ["Postman key", ["PMAK-"], /\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}/g],
  ["Vault token", ["hvs.", "hvb."], /\bhv[sb]\.[\w-]{24,}/g],
  ["age key", ["AGE-SECRET-KEY-1"], /AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}/g],
  [
    "Azure key",
    ["AccountKey=", "SharedAccessKey="],
    /(?:AccountKey|SharedAccessKey)=(?<secret>[A-Za-z0-9+/]{40,}={0,2})/dg,
  ],
  // Not from within a long run: from each beginning in it, the match would be tried to the end of the run.
  ["JSON web token", ["eyJ"], /(?<![\w-]{40})\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g],
  [
    "password",
    ["://"],
    /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'`<>]{0,64}:(?<secret>[^\s/@"'`<>]{3,128})@/dgi,
  ],
  ["bearer token", ["bearer "], /\bbearer +(?<secret>[\w.~+/-]{20,}={0,2})/dgi],
];

const NAME_OF_SECRET =
  "(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|credentials?|client[_-]?key)";
/** No secrets: variables, addresses and dates also stand after such names. */
const NO_VALUE = String.raw`\$[a-z_{(]|%\w{1,40}%|[a-z][a-z\d+.-]{0,20}:\/\/|\d{4}-\d\d-\d\d`;
const QUOTE = "[\"'`]";

/** `password: "…"`, `API_KEY=…`, `"clientSecret": "…"`, also within a string that is escaped itself. */
const ASSIGNED = new RegExp(
  [
    String.raw`${NAME_OF_SECRET}[\w.-]{0,20}\\?${QUOTE}?[ \t]{0,3}(?:=>|:=|=|:)[ \t]{0,3}\\?${QUOTE}?`,
    String.raw`(?!${NO_VALUE})(?<secret>(?<=${QUOTE})[^\s"'\x60\\]{10,150}(?=\\?${QUOTE}|$)`,
    String.raw`|[\w.+/=~@#%^&*!?$:|-]{10,150}(?=\\?${QUOTE}|[\s,;)}\]]|$))`,
  ].join(""),
  "dgi",
);

/** The triggers for the expression above: each name it looks for holds one of them. */
const NAMES_OF_SECRETS = ["passwd", "password", "passphrase", "secret", "token", "credential"].concat(
  ["api", "access", "auth", "client"].flatMap((whose) => ["", "_", "-"].map((seam) => `${whose}${seam}key`)),
);

/** In bits a character: a mix of letters and digits with this entropy, or more, is no name that a person chose. */
const RANDOM_ENTROPY = 3.5;

export const SECRET_PATTERNS: readonly SecretPattern[] = [
  ...SHAPES.map(
    ([kind, triggers, pattern]): SecretPattern => ({ kind, triggers, pattern: ofAnyLength(pattern) }),
  ),
  { kind: "secret", triggers: NAMES_OF_SECRETS, pattern: ASSIGNED, isSecret: looksRandom },
];

/**
 * Writes a pattern with `x{36}x*` for `x{36,}`. For each turn of a counting loop V8 keeps a place to go back to: after
 * some millions of characters these fill its stack.
 */
function ofAnyLength({ source, flags }: RegExp): RegExp {
  return new RegExp(source.replace(/(\[[^\]]+\]|\\w)\{(\d+),\}/g, "$1{$2}$1*"), flags);
}

function looksRandom(text: string): boolean {
  return /[a-z]/i.test(text) && /\d/.test(text) && entropyOf(text) >= RANDOM_ENTROPY;
}

/** Shannon entropy, in bits a character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let entropy = 0;
  for (const count of counts.values()) {
    const share = count / text.length;
    entropy -= share * Math.log2(share);
  }
  return entropy;
}
