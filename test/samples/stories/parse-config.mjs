// A bug hunt in Python: an edit that misses, the file read again, then the fix. Taken up again two days later.
import { bash, edit, read, say, write } from "../../peers/pi/turns.mjs";

const configModule = `"""Reads diary.toml: where the station files are and how to read them."""

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Station:
    name: str
    folder: Path
    timezone: str = "UTC"


def parse_config(text: str) -> list[Station]:
    raw = tomllib.loads(text)
    stations = []
    for name, section in raw.get("stations", {}).items():
        stations.append(
            Station(
                name=name,
                folder=Path(section["folder"]),
                timezone=section.get("timezone"),
            )
        )
    return stations
`;

const traceback = `Traceback (most recent call last):
  File "/home/ada/projects/weather-diary/diary/__main__.py", line 31, in <module>
    main()
  File "/home/ada/projects/weather-diary/diary/__main__.py", line 18, in main
    readings = load_readings(station)
  File "/home/ada/projects/weather-diary/diary/readings.py", line 22, in load_readings
    zone = ZoneInfo(station.timezone)
  File "/usr/lib/python3.13/zoneinfo/_common.py", line 24, in load_tzdata
    raise ZoneInfoNotFoundError(f"No time zone found with key {key}")
zoneinfo._common.ZoneInfoNotFoundError: 'No time zone found with key None'
`;

const configTest = `from pathlib import Path

import pytest

from diary.config import ConfigError, Station, parse_config


def test_a_station_without_a_timezone_is_in_utc():
    assert parse_config('[stations.garden]\\nfolder = "data/garden"\\n') == [
        Station(name="garden", folder=Path("data/garden"), timezone="UTC")
    ]


def test_a_misspelt_timezone_names_the_station():
    text = '[stations.roof]\\nfolder = "data/roof"\\ntimezone = "Europe/Lonodn"\\n'
    with pytest.raises(ConfigError, match="roof.*Europe/Lonodn"):
        parse_config(text)
`;

export default {
  name: "parse-config",
  start: "2026-09-27T09:15:33.208Z",
  async play(world) {
    const pi = await world.begin({
      cwd: "/home/ada/projects/weather-diary",
      files: { "diary/config.py": configModule },
      model: "openai/gpt-5.5",
    });

    await pi.ask(
      "`python -m diary` crashes since I added the garden station. It worked with only the roof one.",
      [
        [
          bash("python -m diary", traceback, { exitCode: 1 }),
          read("diary/config.py"),
          bash(
            "cat diary.toml",
            '[stations.roof]\nfolder = "data/roof"\ntimezone = "Europe/London"\n\n[stations.garden]\nfolder = "data/garden"\n',
          ),
        ],
        'Found it. The garden has no `timezone`, and `parse_config` passes `section.get("timezone")` on, which is `None`. A keyword argument that is given wins over the default in the dataclass, even when it is `None`, so `"UTC"` never applies.\n\nI\'d give `section.get` the default. Do you want a check for misspelt zones as well? Right now they also blow up far from the config file.',
      ],
    );

    await pi.ask("Yes, both. The message should say which station it is.", [
      [
        edit("diary/config.py", [
          '                timezone=section.get("timezone", None),',
          "                timezone=_timezone(name, section),",
        ]),
        write("tests/test_config.py", configTest),
      ],
      [
        say("My edit did not match: the line has no second argument. Reading that part again."),
        read("diary/config.py", { offset: 16, limit: 10 }),
      ],
      [
        edit(
          "diary/config.py",
          [
            '                timezone=section.get("timezone"),',
            "                timezone=_timezone(name, section),",
          ],
          [
            "from pathlib import Path\n",
            "from pathlib import Path\nfrom zoneinfo import ZoneInfo, ZoneInfoNotFoundError\n",
          ],
          [
            "def parse_config(",
            'class ConfigError(ValueError):\n    """Says what is wrong in diary.toml, and where."""\n\n\ndef parse_config(',
          ],
          [
            "    return stations\n",
            '    return stations\n\n\ndef _timezone(name: str, section: dict) -> str:\n    zone = section.get("timezone", "UTC")\n    try:\n        ZoneInfo(zone)\n    except ZoneInfoNotFoundError:\n        raise ConfigError(f"station {name}: unknown timezone {zone!r}") from None\n    return zone\n',
          ],
        ),
      ],
      [
        bash(
          "python -m pytest -q",
          "..........                                                               [100%]\n10 passed in 0.31s\n",
          { seconds: 2 },
        ),
      ],
      "Both are in, with a test each:\n\n- a station without `timezone` is in UTC\n- `Europe/Lonodn` gives `ConfigError: station roof: unknown timezone 'Europe/Lonodn'`, straight from `parse_config`",
    ]);
    pi.label("parse_config fixed");

    await pi.ask("And it runs? I mean the real thing.", [
      [
        bash(
          "python -m diary --dry-run",
          "roof    2,204 readings  2026-07-01 .. 2026-09-26\ngarden    311 readings  2026-09-14 .. 2026-09-26\n",
          { seconds: 3 },
        ),
      ],
      "It runs: 2,204 readings from the roof and 311 from the garden, which starts on 14 September.",
    ]);
    pi.end();

    world.clock.moveTo("2026-09-29T20:41:09.300Z");
    const again = await world.resume(pi.file, { model: "openai/gpt-5.5" });
    await again.ask("The garden station moved to summer time by itself?! Its readings at noon say 13:00.", [
      [
        bash(
          "head -3 data/garden/2026-09.csv && grep -A2 garden diary.toml",
          'time,temp_c,rain_mm\n2026-09-14T00:00,11.2,0.0\n2026-09-14T00:10,11.1,0.0\n[stations.garden]\nfolder = "data/garden"\n',
        ),
      ],
      'It writes local time, like the roof, but without a `timezone` in `diary.toml` we take its times for UTC and then show them in yours: one hour too late while summer time lasts. Set it and the readings fall into place:\n\n```toml\n[stations.garden]\nfolder = "data/garden"\ntimezone = "Europe/London"\n```\n\nThat is the weak side of a default: it is silent. If you like, `parse_config` can print a note when it falls back to UTC.',
    ]);
    again.end();
    return { file: pi.file };
  },
};
