import { describe, expect, test } from "vitest";
import { findSecrets, maskCutSecrets, maskPreview, maskSecrets, maskTitle } from "../../src/text/secrets.ts";
import { hex, random } from "../format/made-up.ts";

describe("a secret is masked by what it opens", () => {
  test.each<[string, string]>([
    ["GitHub token", `ghp_${random(36)}`],
    ["GitHub token", `github_pat_${random(82)}`],
    ["GitLab token", `glpat-${random(20)}`],
    ["Anthropic key", `sk-ant-api03-${random(93)}AA`],
    ["OpenAI key", `sk-proj-${random(48)}`],
    ["OpenAI key", `sk-${random(48)}`],
    ["OpenRouter key", `sk-or-v1-${hex(64)}`],
    ["AWS access key", `AKIA${"QWERTYUIOP234567"}`],
    ["Google API key", `AIza${random(35)}`],
    ["Slack token", `xoxb-${"1234567890"}-${random(24)}`],
    ["Stripe key", `sk_live_${random(24)}`],
    ["npm token", `npm_${random(36)}`],
    ["PyPI token", `pypi-AgE${random(60)}`],
    ["Hugging Face token", `hf_${"QwErTyUiOp".repeat(4)}`],
    ["Telegram token", `123456789:AA${random(33)}`],
    ["JSON web token", `eyJ${random(20)}.eyJ${random(30)}.${random(40)}`],
    [
      "private key",
      `-----BEGIN RSA PRIVATE KEY-----\n${random(64)}\n${random(64)}\n-----END RSA PRIVATE KEY-----`,
    ],
    ["private key", `-----BEGIN OPENSSH PRIVATE KEY-----\n${random(64)}`],
  ])("%s", (kind, secret) => {
    expect(maskSecrets(`here: ${secret}, and more`.replace(", and", "\nand"))).toMatch(
      new RegExp(`^here: \\[masked ${kind}\\](\\nand more)?$`),
    );
  });

  test.each([["\n"], ["\\n"]])("a private key with all of its lines, ended by %j", (end) => {
    const lines = [
      "-----BEGIN EC PRIVATE KEY-----",
      "DEK-Info: AES,0123",
      random(64),
      random(64),
      `${random(10)}=`,
    ];
    const key = [...lines, "-----END EC PRIVATE KEY-----"].join(end);
    const cutOff = lines.slice(0, 4).join(end);
    expect([maskSecrets(`a ${key} b`), maskSecrets(`a ${cutOff}${end}and some prose`)]).toEqual([
      "a [masked private key] b",
      `a [masked private key]${end}and some prose`,
    ]);
  });

  test.each([["\n"], ["\\n"], [" "]])("a private key below headers, ended by %j", (end) => {
    const lines = [
      "-----BEGIN PGP PRIVATE KEY BLOCK-----",
      "Version: GnuPG v2",
      "Comment: made: by hand, and kept",
      "",
      random(64),
      random(64),
      "-----END PGP PRIVATE KEY BLOCK-----",
    ];
    expect(maskSecrets(`a ${lines.join(end)} b`)).toBe("a [masked private key] b");
  });

  test("a token of the web behind a dash", () => {
    const token = `eyJ${random(20)}.eyJ${random(30)}.${random(40)}`;
    expect(maskSecrets(`auth-${token}`)).toBe("auth-[masked JSON web token]");
  });

  test.each<[string, string, string]>([
    ["in a connection string", "postgres://ada:hunter2@db/x", "postgres://ada:[masked password]@db/x"],
    ["in a header", `Authorization: Bearer ${random(30)}`, "Authorization: Bearer [masked bearer token]"],
    ["in the environment", `API_KEY=${random(20)}\nB=2`, "API_KEY=[masked secret]\nB=2"],
    ["in JSON", `{"clientSecret": "${random(20)}"}`, '{"clientSecret": "[masked secret]"}'],
    ["in JSON within JSON", `{\\"password\\":\\"${random(20)}\\"}`, '{\\"password\\":\\"[masked secret]\\"}'],
    ["in code", `const token = '${random(20)}';`, "const token = '[masked secret]';"],
    ["made of signs too", "DB_PASSWORD=Xk9#mP2$vL5nQ8wR\n", "DB_PASSWORD=[masked secret]\n"],
    ["that begins with one", "secret: !Qw7zR9#kLp2&Vx5", "secret: [masked secret]"],
    ["of any signs within quotes", '"password": "aB3$d,E5(gH7)jK9"', '"password": "[masked secret]"'],
  ])("%s, and only it", (_where, text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });

  test("each of several", () => {
    const [first, second] = [`ghp_${random(36)}`, `npm_${random(36)}`];
    expect(maskSecrets(`${first} ${second}`)).toBe("[masked GitHub token] [masked npm token]");
  });

  test("and one that two shapes fit is masked once", () => {
    expect(maskSecrets(`GITHUB_TOKEN=ghp_${random(36)}`)).toBe("GITHUB_TOKEN=[masked GitHub token]");
  });
});

const ESC = "\u001b";
const GREEN = `${ESC}[32m`;
const PLAIN = `${ESC}[0m`;
const MATCH = `${ESC}[01;31m${ESC}[K`;
const AFTER_MATCH = `${ESC}[m${ESC}[K`;

describe("a secret is masked whole where marks that are not seen stand", () => {
  const [token, value] = [`ghp_${random(36)}`, random(20)];
  const github = "[masked GitHub token]";
  const [first, rest] = [value.slice(0, 4), value.slice(4)];
  test.each<[string, string, string]>([
    ["beside it", `a ${GREEN}${token}${PLAIN} b`, `a ${GREEN}${github}${PLAIN} b`],
    ["behind its beginning", `a=${MATCH}ghp_${AFTER_MATCH}${token.slice(4)}\n`, `a=${MATCH}${github}\n`],
    ["within its beginning", `a ${MATCH}gh${AFTER_MATCH}${token.slice(2)}`, `a ${MATCH}${github}`],
    [
      "between all its characters",
      [...token].map((each) => `${GREEN}${each}${PLAIN}`).join(""),
      `${GREEN}${github}${PLAIN}`,
    ],
    ["without width", `ghp_\u200e${token.slice(4, 9)}\u200b${token.slice(9)}`, github],
    ["beside a word before it", `user${GREEN}${token}`, `user${GREEN}${github}`],
    ["that choose characters", `${ESC}(B${ESC}[m${token}`, `${ESC}(B${ESC}[m${github}`],
    ["of which ESC is one of C1", `\u009b32m${token}`, `\u009b32m${github}`],
    ["of which ESC was lost", `[0;32m${token}[0m`, `[0;32m${github}[0m`],
    ["as JSON writes them", `"\\u001b[32m${token}\\u001b[39m"`, `"\\u001b[32m${github}\\u001b[39m"`],
    ["as a shell writes them", `'\\e[1m${token}\\033[0m'`, `'\\e[1m${github}\\033[0m'`],
    [
      "in the address of a link",
      `${ESC}]8;;https://x/?k=${token}${ESC}\\here`,
      `${ESC}]8;;https://x/?k=${github}${ESC}\\here`,
    ],
    [
      "around its name",
      `${MATCH}password${AFTER_MATCH}=${value}`,
      `${MATCH}password${AFTER_MATCH}=[masked secret]`,
    ],
    ["before its quote", `api_key: ${GREEN}"${value}"${PLAIN}`, `api_key: ${GREEN}"[masked secret]"${PLAIN}`],
    [
      "within its value",
      `password=${MATCH}${first}${AFTER_MATCH}${rest}`,
      `password=${MATCH}[masked secret]`,
    ],
    ["as carriage returns", `ghp_\r${token.slice(4)}\r\n`, `${github}\r\n`],
    [
      "in a key of many lines",
      `${GREEN}-----BEGIN PRIVATE KEY-----${PLAIN}\n${GREEN}${random(64)}${PLAIN}\n${GREEN}${random(64)}${PLAIN}\n`,
      `${GREEN}[masked private key]${PLAIN}\n`,
    ],
  ])("%s", (_where, text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });

  test("also where the text is cut off", () => {
    const title = `${"w ".repeat(40)}${GREEN}ghp_${PLAIN}${token.slice(4)}`.slice(0, 119);
    expect(maskTitle(title)).toBe(`${"w ".repeat(40)}${GREEN}${github}`);
  });

  test("and what is no secret stays, marks and all", () => {
    const text = `${GREEN}password${PLAIN}: string; \u26a0\ufe0f array[1m [2K \r ghp_${GREEN}short${PLAIN}`;
    expect(maskSecrets(text)).toBe(text);
  });
});

describe("what is no secret stays", () => {
  test.each([
    "const token = parseToken(source.slice(0, 10));",
    "password: string; // the user's password, at least 10 characters",
    "maxTokens=200000 and totalTokens: 123456789012",
    "the secret: sessionManagerFactoryProvider",
    "token: $(read_token_of 2024-05) and TOKEN=$GITHUB_TOKEN_2024 or %GITHUB_TOKEN_2024%",
    "tokenUrl: https://auth0.example.com/oauth2/v1/token, expires 'tokenExpiry: 2026-11-25T17:43:58.917Z'",
    "password = hashlib.sha256(salt1 + given2).hexdigest()",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "https://example.com:8080/path?token=abc and ada@example.com",
    "grep -r -----BEGIN PRIVATE KEY----- finds them; keys begin with that line and go on",
    "see ghp_short, sk-learn, AKIA and npm_config_cache",
    "天气很好 password 密码",
    "",
  ])("%s", (text) => {
    expect(maskSecrets(text)).toBe(text);
  });
});

describe("a secret that is cut off with the text", () => {
  test.each<[kind: string, secret: string, from: number]>([
    ["GitHub token", `ghp_${random(36)}`, 12],
    ["Anthropic key", `sk-ant-api03-${random(40)}`, 14],
    ["DigitalOcean token", `dop_v1_${"0a1b".repeat(16)}`, 12],
    ["Hugging Face token", `hf_${"abcd".repeat(9)}`, 12],
    ["SendGrid key", `SG.${random(22)}.${random(43)}`, 12],
    ["JSON web token", `eyJ${random(20)}.eyJ${random(30)}.${random(30)}`, 23 + ".eyJ".length],
    ["bearer token", `Bearer ${random(40)}`, "Bearer ".length + 12],
    ["password", `postgres://ada:${random(24)}@db/x`, "postgres://ada:".length + 12],
    ["private key", `-----BEGIN PRIVATE KEY----- ${random(64)} ${random(64)}`, 28 + 24],
  ])("is masked: %s", (kind, secret, from) => {
    for (let length = from; length <= secret.length; length++) {
      const shown = maskCutSecrets(`pear tree ${secret.slice(0, length)}`);
      expect(shown, secret.slice(0, length)).toContain(`[masked ${kind}]`);
      const end = secret.slice(length - 12, length);
      expect(shown.includes(end) && !end.includes(" "), shown).toBe(false);
    }
  });

  test("is masked in titles and previews as long as they may be", () => {
    const secret = `ghp_${random(36)}`;
    const [title, preview] = [120, 80].map((length) =>
      `${"pear ".repeat(30)}${secret}`.slice(-length - 4, -4),
    );
    expect([maskTitle(title ?? ""), maskPreview(preview ?? "")]).toEqual([
      expect.stringMatching(/pear \[masked GitHub token\]$/),
      expect.stringMatching(/pear \[masked GitHub token\]$/),
    ]);
  });

  test.each([
    "a sk-learn-classifier-pipeline",
    "npm_config_cache_folder_of_ci",
    "hf_transformers_library_of_it",
  ])("and other words are not: %s", (end) => {
    const title = `${"pear tree ".repeat(12)}${end}`.slice(-120);
    expect(maskTitle(title)).toBe(title);
  });

  test("is not looked for in a text that was not cut off", () => {
    expect(maskPreview("see ghp_aB3dE5fG7hJ9kL1m")).toBe("see ghp_aB3dE5fG7hJ9kL1m");
  });
});

test("secrets are found where they stand", () => {
  const secret = `ghp_${random(36)}`;
  expect(findSecrets(`ab ${secret} c`)).toEqual([{ start: 3, end: 43, kind: "GitHub token" }]);
});
