// An extension for pi itself, with a custom entry and a message an extension adds; the model changes halfway.
import { bash, edit, read, say, think, write } from "../../peers/pi/turns.mjs";

const extension = `import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";

/** /standup: what this session did since yesterday, in three lines. */
export default function standup(pi: ExtensionAPI) {
  pi.registerCommand("standup", {
    description: "Sum up this session for the stand-up",
    handler: async (_args, ctx) => {
      const entries = ctx.sessionManager.getEntries();
      const asked = entries.filter((entry) => entry.type === "message" && entry.message.role === "user");
      ctx.ui.notify(\`\${asked.length} requests so far\`);
    },
  });
}
`;

export default {
  name: "standup-extension",
  start: "2026-11-09T10:02:08.444Z",
  async play(world) {
    const pi = await world.begin({
      cwd: "/home/ada/projects/pi-standup",
      files: { "src/standup.ts": extension },
      model: "anthropic/claude-opus-4-7",
      thinkingLevel: "medium",
    });
    pi.name("/standup counts the wrong branch");

    await pi.ask(
      "My extension counts my requests for the stand-up, but after I go back in the tree and try something else it still counts the branch I left.",
      [
        [
          think(
            "sessionManager.getEntries() returns everything in the file; getBranch() walks from the leaf to the root. That's the whole bug.",
          ),
          read("src/standup.ts"),
          bash(
            "grep -n 'getEntries\\|getBranch\\|getLeafId' node_modules/@mariozechner/pi-coding-agent/docs/session-format.md",
            "- `getLeafId()` - Current position\n- `getBranch(fromId?)` - Walk from entry to root\n- `getEntries()` - All entries (excluding header)\n",
          ),
        ],
        '`sessionManager.getEntries()` gives every entry of the file, left branches included. What you want is `sessionManager.getBranch()`: it walks from the current leaf to the root, so it holds exactly the conversation you see.\n\nOne line to change. While at it I\'d skip what came before midnight, as the comment promises "since yesterday" and the code does not look at times at all.',
      ],
    );

    await pi.ask("Yes to both.", [
      [
        edit("src/standup.ts", [
          '      const entries = ctx.sessionManager.getEntries();\n      const asked = entries.filter((entry) => entry.type === "message" && entry.message.role === "user");\n',
          "      const asked = requestsSince(ctx.sessionManager.getBranch(), startOfYesterday());\n",
        ]),
        write(
          "src/requests.ts",
          'import type { SessionEntry } from "@mariozechner/pi-coding-agent";\n\n/** The user\'s messages on a branch, from a moment on. */\nexport function requestsSince(branch: SessionEntry[], since: Date) {\n  return branch.filter(\n    (entry) =>\n      entry.type === "message" && entry.message.role === "user" && new Date(entry.timestamp) >= since,\n  );\n}\n',
        ),
      ],
      [
        bash(
          "npx tsc --noEmit && npx vitest run",
          "src/standup.ts(9,62): error TS2304: Cannot find name 'startOfYesterday'.\n",
          { exitCode: 2, seconds: 6 },
        ),
      ],
      [
        say("I used a function I never wrote."),
        edit("src/standup.ts", [
          'import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";\n',
          'import type { ExtensionAPI } from "@mariozechner/pi-coding-agent";\nimport { requestsSince } from "./requests.js";\n\nfunction startOfYesterday(now = new Date()): Date {\n  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);\n}\n',
        ]),
        bash(
          "npx tsc --noEmit && npx vitest run",
          " ✓ test/requests.test.ts (4 tests) 5ms\n\n Tests  4 passed (4)\n",
          { seconds: 7 },
        ),
      ],
      "Both done. `/standup` follows the branch you are on and counts from the start of yesterday.",
    ]);
    pi.label("counts the branch");
    await pi.customMessage(
      "standup",
      "3 requests since yesterday: the branch count, the date, the missing function.",
      { requests: 3 },
    );
    pi.customEntry("standup-state", { lastShown: "2026-11-09", requests: 3 });

    await pi.use("openai/gpt-5.4-mini");
    await pi.ask("Write me two sentences for the changelog.", [
      "`/standup` now counts only the branch you are on (`sessionManager.getBranch()`), not the ones you left. Requests from before yesterday are no longer counted.",
    ]);
    pi.end();
    return { file: pi.file };
  },
};
