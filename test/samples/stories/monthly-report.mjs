// A long session with a compaction in the middle: a report script grows month by month of readings.
import { bash, edit, read, say, think, write } from "../../peers/pi/turns.mjs";

const readings = `"""Loads the CSV files of a station."""

import csv
from datetime import datetime
from zoneinfo import ZoneInfo

from diary.config import Station


def load_readings(station: Station):
    """Yields (time, celsius, millimetres) in the order of the files."""
    zone = ZoneInfo(station.timezone)
    for path in sorted(station.folder.glob("*.csv")):
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                time = datetime.fromisoformat(row["time"]).replace(tzinfo=zone)
                yield time, float(row["temp_c"]), float(row["rain_mm"])
`;

const report = `"""One line a day: lowest, highest, mean, rain."""

from collections import defaultdict
from dataclasses import dataclass, field


@dataclass
class Day:
    celsius: list[float] = field(default_factory=list)
    rain: float = 0.0

    @property
    def mean(self) -> float:
        return sum(self.celsius) / len(self.celsius)


def by_day(readings):
    days = defaultdict(Day)
    for time, celsius, millimetres in readings:
        day = days[time.date()]
        day.celsius.append(celsius)
        day.rain += millimetres
    return dict(sorted(days.items()))
`;

const firstTable = `2026-09-14   9.8  19.2  14.1   0.0
2026-09-15  10.4  18.7  14.0   2.2
2026-09-16  11.0  17.3  13.6  11.8
2026-09-17   8.9  18.0  13.2   0.4
2026-09-18   7.2  19.9  13.5   0.0
...
2026-10-20   4.1  12.6   8.3   1.0
37 days
`;

export default {
  name: "monthly-report",
  start: "2026-10-21T16:05:12.019Z",
  async play(world) {
    const pi = await world.begin({
      cwd: "/home/ada/projects/weather-diary",
      files: { "diary/readings.py": readings },
      model: "anthropic/claude-sonnet-4-6",
      thinkingLevel: "low",
      keepRecentTokens: 450,
    });
    pi.name("Monthly weather report");

    await pi.ask(
      "I'd like a report of my weather stations: per day the lowest, highest and mean temperature, and the rain. Text output is fine for now.",
      [
        [
          say("First the shape of what `load_readings` gives me."),
          read("diary/readings.py"),
          bash(
            "head -4 data/garden/2026-09.csv",
            "time,temp_c,rain_mm\n2026-09-14T00:00,11.2,0.0\n2026-09-14T00:10,11.1,0.0\n2026-09-14T00:20,11.1,0.0\n",
          ),
        ],
        [write("diary/report.py", report), bash("python -m diary report garden", firstTable, { seconds: 2 })],
        "`python -m diary report garden` prints a line for each day: low, high, mean, rain. The counting is in `by_day` in `diary/report.py`; it keeps only one number per reading, so a year fits easily.",
      ],
    );

    await pi.ask("15 September has 2.2 mm, but my bucket had 4. Are readings missing?", [
      [
        think("Ten-minute readings: 144 a day. Count per day."),
        bash(
          "cut -dT -f1 data/garden/2026-09.csv | sort | uniq -c | sort -n | head -4",
          "     61 2026-09-15\n    143 2026-09-22\n    144 2026-09-14\n    144 2026-09-16\n",
          { seconds: 1 },
        ),
      ],
      "Yes: 61 of 144 readings on the 15th, the others have all or all but one. The station was out from 10:10 to 23:50. I'd mark days with less than 90 % of their readings, because their low, high and rain mean little.",
    ]);

    await pi.ask("Good idea. Use a ~ after the date.", [
      [
        edit("diary/report.py", [
          "    @property\n    def mean",
          '    @property\n    def complete(self) -> bool:\n        """At least nine tenths of the 144 ten-minute readings."""\n        return len(self.celsius) >= 130\n\n    @property\n    def mean',
        ]),
        bash(
          "python -m diary report garden | grep '~'",
          "2026-09-15~ 10.4  18.7  14.0   2.2\n2026-10-04~  6.6  13.1   9.4   0.0\n",
          { seconds: 2 },
        ),
      ],
      "Two days carry the mark: 15 September and 4 October.",
    ]);
    pi.label("daily table done");

    await pi.ask(
      "Now months: the same columns, and the number of frost days and of days with more than 1 mm of rain.",
      [
        [
          think(
            "Frost day: minimum below 0. Wet day: rain >= 1 mm is the usual definition (WMO), she said more than 1; mention it.",
          ),
          edit("diary/report.py", [
            "def by_day(readings):",
            "@dataclass\nclass Month:\n    days: list[Day] = field(default_factory=list)\n\n    @property\n    def frost_days(self) -> int:\n        return sum(min(day.celsius) < 0 for day in self.days)\n\n    @property\n    def wet_days(self) -> int:\n        return sum(day.rain >= 1.0 for day in self.days)\n\n\ndef by_month(days):\n    months = defaultdict(Month)\n    for date, day in days.items():\n        months[date.replace(day=1)].days.append(day)\n    return dict(months)\n\n\ndef by_day(readings):",
          ]),
          bash(
            "python -m diary report roof --by month",
            "2026-07  11.9  28.4  18.8   22.6   0 frost   4 wet\n2026-08  10.8  30.1  18.9   31.0   0 frost   6 wet\n2026-09   7.0  24.2  14.9   64.8   0 frost  11 wet\n2026-10   1.2  17.8  10.6   71.2   0 frost  12 wet (to 20 October)\n",
            { seconds: 2 },
          ),
        ],
        "Months are in. I counted a *wet day* from 1.0 mm on (the meteorologists' rule) rather than strictly more than 1; say if you want it your way.",
      ],
    );

    await pi.compact(
      "## Goal\nA report for the weather stations in weather-diary: by day and by month.\n\n## Constraints & Preferences\n- Plain text output\n- A `~` after the date marks incomplete days\n\n## Progress\n### Done\n- [x] `by_day` in diary/report.py: low, high, mean, rain\n- [x] `Day.complete`: at least 130 of 144 readings; 2026-09-15 and 2026-10-04 of the garden are incomplete\n- [x] `by_month` with `frost_days` and `wet_days` (rain >= 1.0 mm)\n\n### In Progress\n- [ ] Does the user want strictly more than 1 mm?\n\n## Key Decisions\n- **One number per reading in memory**: a year fits easily\n\n## Next Steps\n1. Compare the two stations\n\n## Critical Context\n- Run: `python -m diary report <station> [--by month]`",
      "keep the definitions and the incomplete days",
    );

    await pi.ask("1.0 and up is fine. Can I see roof and garden side by side?", [
      [
        bash(
          "python -m diary report roof garden --by month",
          "usage: diary report [-h] [--by {day,month}] station\ndiary report: error: unrecognized arguments: garden\n",
          { exitCode: 2 },
        ),
      ],
      [
        say(
          "It takes a single station so far. I'll let it take several and put their means next to each other.",
        ),
        bash(
          'sed -i \'s/add_argument("station")/add_argument("station", nargs="+")/\' diary/__main__.py && python -m diary report roof garden --by month',
          "            roof  garden   diff\n2026-09     14.9    13.7   -1.2\n2026-10     10.6     9.1   -1.5\n",
          { seconds: 2 },
        ),
      ],
      "Side by side: the garden is 1.2 °C cooler than the roof in September (from the 14th on, for both) and 1.5 °C cooler in October.",
    ]);
    const sideBySide = pi.leaf;
    pi.label("side by side");

    await pi.ask("Why does the gap grow?", [
      "Two guesses, neither proven by these files. The roof stores the sun's warmth and gives it back in the evening; and as nights get longer, cold air has more time to pool in the garden. If the second is right, the gap should be largest on clear, windless nights. Your station records no wind, but nights without rain and with a big day-night range would do as a stand-in. Shall I compare those?",
    ]);
    await pi.ask("Another day :) thanks!", [
      "Gladly. The question is worth coming back to when you have some frost in the data.",
    ]);
    pi.end();
    return { file: pi.file, sideBySide };
  },
};
