// The session before, forked into another project: pi copies its entries, so their cost must not be counted twice.
import { bash, edit, read, say } from "../../peers/pi/turns.mjs";

const auth = `import { createHmac, randomBytes } from "node:crypto";

const key = process.env.API_KEY_SECRET ?? randomBytes(32).toString("hex");

export function tokenFor(device: string): string {
  return \`\${device}.\${createHmac("sha256", key).update(device).digest("hex")}\`;
}
`;

export default {
  name: "login-fork",
  start: "2026-10-16T18:03:27.915Z",
  async play(world, told) {
    const pi = await world.fork(told.get("login-branches").file, {
      cwd: "/home/ada/projects/orchard-sensors",
      files: { "src/auth.ts": auth },
      model: "anthropic/claude-sonnet-4-6",
    });
    pi.name("Sensor tokens that survive a restart");

    await pi.ask(
      "Same mistake in the sensor service, I think: the soil sensors are refused after every restart. Do the same here.",
      [
        [read("src/auth.ts")],
        [
          say(
            "Yes, line 3 is the twin of what we fixed in orchard: without `API_KEY_SECRET` the key is new at every start.",
          ),
          edit("src/auth.ts", [
            'import { createHmac, randomBytes } from "node:crypto";\n\nconst key = process.env.API_KEY_SECRET ?? randomBytes(32).toString("hex");',
            'import { createHmac } from "node:crypto";\nimport { keptKey } from "./kept-key.js";\n\nconst key = process.env.API_KEY_SECRET ?? keptKey("sensors.key");',
          ]),
          bash(
            "cp ../orchard/src/kept-key.ts src/ 2>&1; ls src",
            "cp: cannot stat '../orchard/src/kept-key.ts': No such file or directory\nauth.ts\nserver.ts\n",
          ),
        ],
        [
          say(
            "In orchard it lives inside `secret.ts`, so there is nothing to copy. I'll write it here as a module of its own.",
          ),
          bash(
            'cat > src/kept-key.ts <<\'EOF\'\nimport { randomBytes } from "node:crypto";\nimport { readFileSync, writeFileSync } from "node:fs";\n\n/** Made once and kept in `path`, readable by its owner only. */\nexport function keptKey(path: string): string {\n  try {\n    writeFileSync(path, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600 });\n  } catch (error) {\n    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;\n  }\n  return readFileSync(path, "utf8");\n}\nEOF\nnpm test --silent',
            "# tests 6\n# pass 6\n# fail 0\n",
            { seconds: 3 },
          ),
        ],
        "The sensors keep their tokens across restarts now. The tokens handed out before were signed with a key that is gone, so each sensor needs one new token: `npm run token -- <device>`.",
      ],
    );
    pi.end();
    return { file: pi.file };
  },
};
