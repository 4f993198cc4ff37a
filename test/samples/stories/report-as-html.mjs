// Branched off the long session at "side by side", to go another way in a file of its own.
import { bash, say, write } from "../../peers/pi/turns.mjs";

const page = `"""The monthly report as a page that prints well."""

from html import escape


def page(title: str, months: dict) -> str:
    rows = "".join(
        f"<tr><th>{month:%B %Y}</th><td>{low:.1f}</td><td>{high:.1f}</td><td>{rain:.0f}</td></tr>"
        for month, (low, high, rain) in months.items()
    )
    return f"<!doctype html><meta charset=utf-8><title>{escape(title)}</title><table>{rows}</table>"
`;

export default {
  name: "report-as-html",
  start: "2026-11-04T20:11:46.702Z",
  async play(world, told) {
    const { file, sideBySide } = told.get("monthly-report");
    const pi = await world.branchOff(file, sideBySide, { model: "anthropic/claude-haiku-4-5" });
    await pi.use("anthropic/claude-haiku-4-5");
    pi.name("Report as a web page");

    await pi.ask("From here I want something for my mother: the monthly table as a page she can print.", [
      [say("A small template is enough, no library needed."), write("diary/html.py", page)],
      [
        bash(
          "python -m diary report roof --by month --html > report.html && wc -c report.html",
          "1184 report.html\n",
          { seconds: 2 },
        ),
      ],
      "`python -m diary report roof --by month --html` writes the page. It is a single table without scripts, so it prints on one sheet.",
    ]);
    pi.end();
    return { file: pi.file };
  },
};
