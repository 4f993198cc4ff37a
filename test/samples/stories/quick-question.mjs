// A short exchange without tools that ends in an error which does not pass by itself.
import { refuse } from "../../peers/pi/turns.mjs";

export default {
  name: "quick-question",
  start: "2026-11-19T07:12:20.950Z",
  async play(world) {
    const pi = await world.begin({
      cwd: "/home/ada/projects/orchard",
      model: "anthropic/claude-haiku-4-5",
    });
    await pi.ask("In SQLite, how do I get the heaviest harvest of each tree, with its date?", [
      "With a bare column beside `max()`, which SQLite fills from the row that holds the maximum:\n\n```sql\nSELECT tree_id, picked_on, max(kilograms) AS kilograms\nFROM harvests\nGROUP BY tree_id;\n```\n\nThis is special to SQLite and documented. In other databases take `row_number() OVER (PARTITION BY tree_id ORDER BY kilograms DESC)` and keep the rows numbered 1.",
    ]);
    await pi.ask("And if two harvests are equally heavy?", [
      refuse(
        '400 {"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}',
      ),
    ]);
    pi.end();
    return { file: pi.file };
  },
};
