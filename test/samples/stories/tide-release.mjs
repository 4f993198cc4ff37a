// A release: commands the user runs himself, a small model, a first message that had to be typed again.
import { bash, edit, say } from "../../peers/pi/turns.mjs";

const changelog = `# Changelog

## 0.3.0
- Harbours of the Channel Islands
`;

export default {
  name: "tide-release",
  start: "2026-11-14T15:36:57.803Z",
  async play(world) {
    const pi = await world.begin({
      cwd: "/home/ada/projects/tide",
      files: { "CHANGELOG.md": changelog },
      model: "openai/gpt-5.4-mini",
    });

    await pi.ask("write the changelog for 0.4", [
      "What should it be based on? I can read the commits since the tag `v0.3.0`, if that is what you mean.",
    ]);
    const beginning = pi.manager.getEntries().find((entry) => entry.type === "message");
    await pi.goTo(beginning.id);

    await pi.shell(
      "git log --oneline v0.3.0..",
      "9d1a7c2 Exact name wins over a beginning\n51f0be4 --days, 1 to 14\n0c7e9aa Ask when several harbours fit\ne27f33b Use clap\n",
    );
    await pi.ask(
      "Write the changelog for 0.4.0 from these commits, for people who use the tool, not for people who build it.",
      [
        [
          edit("CHANGELOG.md", [
            "## 0.3.0",
            "## 0.4.0\n- The beginning of a harbour's name is enough: `tide new` is Newlyn. If several fit, `tide` asks.\n- `--days N` shows up to 14 days.\n- Forgetting the harbour prints help instead of a crash.\n\n## 0.3.0",
          ]),
        ],
        "Written. I left out the move to clap: nobody notices it except by the help text, which has its own line.",
      ],
    );
    pi.label("0.4.0 changelog");

    await pi.ask("Good. Bump the version and tag it.", [
      [
        bash(
          "sed -i 's/^version = \"0.3.0\"/version = \"0.4.0\"/' Cargo.toml && cargo check -q && git commit -qam 'Release 0.4.0' && git tag v0.4.0 && git describe",
          "v0.4.0\n",
          { seconds: 6 },
        ),
      ],
      [say("Tagged `v0.4.0`, not pushed: that is yours to do.")],
    ]);
    await pi.shell(
      "git push --follow-tags",
      "To git.example.org:ada/tide.git\n   e80c4d1..6b2f0aa  main -> main\n * [new tag]         v0.4.0 -> v0.4.0\n",
      { seconds: 3, excludeFromContext: true },
    );
    pi.end();
    return { file: pi.file };
  },
};
