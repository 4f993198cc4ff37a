// One problem, two attempts: the first branch is left with a summary, the second works. Labels mark both.
import { bash, edit, read, say, think } from "../../peers/pi/turns.mjs";

const session = `import { getSignedCookie, setSignedCookie } from "hono/cookie";
import type { Context } from "hono";
import { secret } from "./secret.js";

const WEEK = 7 * 24 * 60 * 60;

/** Who is signed in, or undefined. */
export async function currentUser(c: Context): Promise<string | undefined> {
  return (await getSignedCookie(c, secret(), "orchard")) || undefined;
}

export async function signIn(c: Context, user: string): Promise<void> {
  await setSignedCookie(c, "orchard", user, secret(), { maxAge: WEEK, httpOnly: true, sameSite: "Lax" });
}
`;

const secretModule = `import { randomBytes } from "node:crypto";

const value = process.env.ORCHARD_SECRET ?? randomBytes(32).toString("hex");

export const secret = () => value;
`;

export default {
  name: "login-branches",
  start: "2026-10-09T19:20:05.660Z",
  async play(world) {
    const pi = await world.begin({
      cwd: "/home/ada/projects/orchard",
      files: { "src/session.ts": session, "src/secret.ts": secretModule },
      model: "anthropic/claude-opus-4-7",
      thinkingLevel: "medium",
    });
    pi.name("Signed out every night");

    await pi.ask(
      "Every morning I have to sign in again on the phone. The cookie should last a week. What's going on?",
      [
        [
          think(
            "maxAge a week. Could be the cookie, could be the signature: if the secret changes, a signed cookie is rejected silently.",
          ),
          read("src/session.ts"),
          read("src/secret.ts"),
        ],
        "The cookie does last a week, but the key it is signed with may not. `secret()` makes a new random key whenever `ORCHARD_SECRET` is missing, so after a restart every cookie has a wrong signature, and `getSignedCookie` treats that like no cookie at all.\n\nDoes the server restart at night?",
      ],
    );
    const crossroads = pi.leaf;
    pi.label("cause found");

    await pi.ask(
      "It does, there's a nightly backup that stops it for a minute. Can we keep sessions in the database, so that restarts don't matter?",
      [
        [
          say(
            "Then the cookie holds only a random id and the database knows whose it is. I'll see what the store offers.",
          ),
          bash(
            "grep -n 'export' src/store.ts; sqlite3 orchard.db .tables",
            "12:export function openStore(path: string): Store {\n40:export async function saveHarvest(harvest: Harvest) {\nharvests  trees\n",
          ),
        ],
        [
          think(
            "A table sessions(id, user, expires_at), clean-up of expired rows, a migration. It is more moving parts than the problem needs, but it was asked for.",
          ),
          edit("src/session.ts", [
            '  return (await getSignedCookie(c, secret(), "orchard")) || undefined;',
            '  const id = await getSignedCookie(c, secret(), "orchard");\n  return id ? findSession(id, Date.now())?.user : undefined;',
          ]),
          bash(
            "npx vitest run test/session.test.ts",
            " × test/session.test.ts > a session survives a restart 9ms\n   → SqliteError: no such table: sessions\n\n Tests  1 failed | 3 passed (4)\n",
            { exitCode: 1, seconds: 3 },
          ),
        ],
        "As expected the table is missing. To finish this I need a migration for `sessions`, a job that removes expired rows, and a look at the backup: it would now hold session ids, which are as good as passwords while they last.\n\nBefore I go on: the cookie is still *signed* with the random key, so this alone would not survive a restart either.",
      ],
    );

    await pi.goTo(crossroads, {
      summary:
        "## Goal\nStay signed in across the nightly restart.\n\n## Progress\n- [x] Cause: `secret()` in src/secret.ts makes a new key at each start when ORCHARD_SECRET is unset\n- [ ] Sessions in the database: begun in src/session.ts, needs a `sessions` table, clean-up, and care with backups\n\n## Key Decisions\n- **Database sessions put aside**: more parts than the problem needs, and the cookie would still be signed with a changing key",
      label: "database attempt, given up",
    });

    await pi.ask("OK, that grew too big. Keep the cookie as it is and just keep the key.", [
      [
        think(
          "Write the key to a file with mode 0600 next to the database, once; env still wins. Create exclusively so that two processes starting at once agree.",
        ),
        edit("src/session.ts", [
          '  const id = await getSignedCookie(c, secret(), "orchard");\n  return id ? findSession(id, Date.now())?.user : undefined;',
          '  return (await getSignedCookie(c, secret(), "orchard")) || undefined;',
        ]),
        edit("src/secret.ts", [
          'import { randomBytes } from "node:crypto";\n\nconst value = process.env.ORCHARD_SECRET ?? randomBytes(32).toString("hex");',
          'import { randomBytes } from "node:crypto";\nimport { readFileSync, writeFileSync } from "node:fs";\n\nconst KEY_FILE = "orchard.key";\nconst value = process.env.ORCHARD_SECRET ?? keptKey();\n\n/** Made once and kept, so that a restart signs nobody out. */\nfunction keptKey(): string {\n  try {\n    writeFileSync(KEY_FILE, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600 });\n  } catch (error) {\n    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;\n  }\n  return readFileSync(KEY_FILE, "utf8");\n}',
        ]),
      ],
      [
        bash(
          "npx vitest run && echo orchard.key >> .gitignore && git status --short",
          " Tests  14 passed (14)\n M .gitignore\n M src/secret.ts\n",
          { seconds: 4 },
        ),
      ],
      "Done, in one file: the key is made once, kept in `orchard.key` (mode 0600, not in git), and read at every start. `ORCHARD_SECRET` still wins where you set it.\n\nYou'll have to sign in one last time.",
    ]);
    const solved = pi.leaf;
    pi.label("works, deployed");

    await pi.ask("Should the backup include orchard.key?", [
      "No. If it is lost, everyone signs in once more; if a backup leaks, whoever has it could sign in as anybody. Losing it is the cheaper accident.",
    ]);
    pi.end();
    return { file: pi.file, solved };
  },
};
