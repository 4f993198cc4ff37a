import { expect, test } from "vitest";
import { SECRET_PATTERNS } from "../../src/text/secret-patterns.ts";
import { findSecrets } from "../../src/text/secrets.ts";
import { hex, random } from "../format/made-up.ts";
import { everyOf, SEED } from "../helpers/fuzz.ts";
import { withinReason } from "../helpers/within-reason.ts";

const capitals = (length: number) => "QW2ER3TY4UI5OP6".repeat(5).slice(0, length);
const letters = (length: number) => "QwErTyUiOp".repeat(5).slice(0, length);

const KEY = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${random(64)}\\n${random(64)}\n${random(9)}=\n-----END RSA PRIVATE KEY-----`;

/** Of each way in which secrets are made. */
const SECRETS = [
  KEY,
  `sk-ant-api03-${random(9)}-${random(20)}`,
  `sk-or-v1-${hex(64)}`,
  `sk-proj-${random(9)}-${random(20)}`,
  `sk-${random(48)}`,
  `AKIA${capitals(16)}`,
  `ghp_${random(36)}`,
  `github_pat_${random(22)}_${random(59)}`,
  `glpat-${random(20)}`,
  `AIza${random(35)}`,
  `GOCSPX-${random(28)}`,
  `xoxe.xoxb-1234567890-${random(24)}`,
  `xapp-1-${random(24)}`,
  `hooks.slack.com/services/T1234567/B1234567/${random(24)}`,
  `discord.com/api/webhooks/123456789012345678/${random(68)}`,
  `123456789:AA${random(33)}`,
  `sk_live_${random(24)}`,
  `whsec_${random(32)}`,
  `npm_${random(36)}`,
  `pypi-AgE${random(60)}`,
  `dckr_pat_${random(27)}`,
  `hf_${letters(34)}`,
  `gsk_${random(52)}`,
  `xai-${random(80)}`,
  `pplx-${random(48)}`,
  `r8_${random(37)}`,
  `SG.${random(22)}.${random(43)}`,
  `shpat_${hex(32)}`,
  `dop_v1_${hex(64)}`,
  `dapi${hex(32)}-2`,
  `ntn_${random(46)}`,
  `lin_api_${random(40)}`,
  `PMAK-${hex(24)}-${hex(34)}`,
  `hvs.${random(24)}`,
  `AGE-SECRET-KEY-1${"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".repeat(2).slice(0, 58)}`,
  `AccountKey=${random(86)}==`,
  `eyJ${random(20)}.eyJ${random(30)}.${random(40)}`,
  `postgres://ada:${random(12)}@db.example.com/x`,
  `Bearer ${random(30)}==`,
  `"client_secret": "${random(32)}",`,
  `api-key => '${random(32)}'`,
];

/** Characters of a text that is almost a secret: what tries each place of it from each other takes a minute and more. */
const LENGTH = 300_000;
/** Between pieces: nothing, what many kinds may hold, and what ends most. */
const JOINTS = ["", "-", " "];
/** Parts that a piece has, where it is no beginning. */
const MOST_PARTS = 3;

/** Fewer of them at once, and others each time, where fewer of other random cases are tried. */
const EVERY = Math.min(5, everyOf(1));

/** A beginning of a secret, or nothing, and then a piece of it again and again, until the text ends otherwise. */
function* almost(secret: string): Generator<string> {
  const edges = edgesOf(secret);
  let number = 0;
  for (const [index, from] of edges.entries()) {
    const ends = edges.slice(index + 1, from === 0 ? undefined : index + 1 + MOST_PARTS);
    for (const piece of ends.flatMap((to) => JOINTS.map((joint) => secret.slice(from, to) + joint))) {
      if (number++ % EVERY === SEED % EVERY)
        yield `${secret.slice(0, from)}${piece.repeat(LENGTH / piece.length)}!`;
    }
  }
}

/** Where words, the triggers between them, and what gives secrets away begin or end. */
function edgesOf(secret: string): number[] {
  const triggers = SECRET_PATTERNS.flatMap(({ triggers }) => triggers).filter((trigger) =>
    secret.includes(trigger),
  );
  const afterSigns = triggers.map((trigger) => secret.indexOf(trigger) + trigger.length);
  const atWords = [...secret.matchAll(/\b|$/g)].map(({ index }) => index);
  return [...new Set([0, ...afterSigns, ...atWords])].sort((a, b) => a - b);
}

test.each(SECRETS)(
  "a text that is almost a secret takes no longer than its length explains: %j",
  (secret) => {
    for (const text of almost(secret)) {
      expect(() => withinReason(() => findSecrets(text)), text.slice(0, 200)).not.toThrow();
    }
  },
);

/** More than V8 has room for on its stack, where an expression keeps a place to go back to at each character. */
const ENDLESS = 9_000_000;
const CUT_KEY = KEY.slice(0, KEY.indexOf("\n-----END"));

test.each<[string, string]>([...SECRETS.map((secret): [string, string] => [secret, "Qw"]), [CUT_KEY, " "]])(
  "a secret is found as it is when it goes on for millions of characters: %j and %j",
  (secret, piece) => {
    const foundWith = (length: number) => {
      const text = secret + piece.repeat(length / piece.length);
      return findSecrets(text).map(({ start, end, kind }) => ({ start, kind, isWhole: end === text.length }));
    };
    expect(foundWith(ENDLESS)).toEqual(foundWith(300));
  },
);
