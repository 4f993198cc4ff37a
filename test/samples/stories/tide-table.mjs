// A command line tool in Rust, with a model that thinks; the provider is overloaded once and pi tries again.
import { bash, edit, read, refuse, say, think } from "../../peers/pi/turns.mjs";

const main = `use std::env;

mod harmonics;
mod stations;

fn main() {
    let args: Vec<String> = env::args().collect();
    let station = stations::find(&args[1]).expect("station");
    for tide in harmonics::predict(&station, 1) {
        println!("{} {:>5.2} m {}", tide.time, tide.height, tide.kind);
    }
}
`;

const newMain = `use std::process::ExitCode;

use clap::Parser;

mod harmonics;
mod stations;

/// High and low water for a harbour.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Name of the harbour, or the beginning of it
    station: String,

    /// How many days to show
    #[arg(short, long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=14))]
    days: u8,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let found = stations::matching(&args.station);
    let [station] = found.as_slice() else {
        eprintln!("{}", stations::explain(&args.station, &found));
        return ExitCode::FAILURE;
    };
    for tide in harmonics::predict(station, args.days) {
        println!("{} {:>5.2} m {}", tide.time, tide.height, tide.kind);
    }
    ExitCode::SUCCESS
}
`;

const stations = `pub struct Station {
    pub name: &'static str,
    pub constituents: &'static [Constituent],
}

pub fn find(name: &str) -> Option<&'static Station> {
    STATIONS.iter().find(|station| station.name == name)
}
`;

export default {
  name: "tide-table",
  start: "2026-10-03T06:58:41.077Z",
  async play(world) {
    const pi = await world.begin({
      cwd: "/home/ada/projects/tide",
      files: { "src/main.rs": main, "src/stations.rs": stations },
      model: "anthropic/claude-opus-4-7",
      thinkingLevel: "high",
    });

    await pi.ask(
      "`tide` panics when I forget the harbour, and I always mistype Newlyn. Give it proper arguments: a harbour (the beginning of the name should do) and `--days`.",
      [
        refuse('529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'),
        [
          think(
            "args[1] panics without an argument. clap with derive is the usual answer. For a beginning of a name there can be none, one or several matches; return a slice and let main decide, so that the library part stays free of printing.",
          ),
          say("Two things to look at: how arguments are read, and how a station is found."),
          read("src/main.rs"),
          read("src/stations.rs"),
        ],
        [
          think(
            "Case-insensitive prefix. Exact name wins over prefix: 'Dover' must not be ambiguous with 'Dovercourt'.",
          ),
          say(
            "`find` wants the exact name. I'll replace it with `matching`, where an exact name wins over a beginning, and let `main` explain none or several.",
          ),
          bash(
            "cargo add clap --features derive",
            "    Updating crates.io index\n      Adding clap v4.6.0 to dependencies\n             Features:\n             + derive\n             + std\n",
            { seconds: 3 },
          ),
          edit("src/stations.rs", [
            "pub fn find(name: &str) -> Option<&'static Station> {\n    STATIONS.iter().find(|station| station.name == name)\n}\n",
            '/// The station of exactly this name, else all whose name begins like this; case does not matter.\npub fn matching(typed: &str) -> Vec<&\'static Station> {\n    let typed = typed.to_lowercase();\n    let all = || STATIONS.iter().filter(|s| s.name.to_lowercase().starts_with(&typed));\n    match all().find(|s| s.name.len() == typed.len()) {\n        Some(exact) => vec![exact],\n        None => all().collect(),\n    }\n}\n\npub fn explain(typed: &str, found: &[&Station]) -> String {\n    match found {\n        [] => format!("no harbour begins with \'{typed}\'"),\n        _ => format!("which one? {}", found.iter().map(|s| s.name).collect::<Vec<_>>().join(", ")),\n    }\n}\n',
          ]),
        ],
        [
          bash(
            `cat > src/main.rs <<'EOF'\n${newMain}EOF\ncargo build`,
            '   Compiling tide v0.3.0 (/home/ada/projects/tide)\nerror[E0308]: mismatched types\n  --> src/main.rs:29:46\n   |\n29 |     for tide in harmonics::predict(station, args.days) {\n   |                 ------------------          ^^^^^^^^^ expected `u32`, found `u8`\n\nerror: could not compile `tide` (bin "tide") due to 1 previous error\n',
            { exitCode: 101, seconds: 11 },
          ),
        ],
        [
          bash(
            "sed -i 's/args.days)/args.days.into())/' src/main.rs && cargo build && target/debug/tide new && target/debug/tide d; target/debug/tide --days 30 dover",
            "   Compiling tide v0.3.0 (/home/ada/projects/tide)\n    Finished `dev` profile [unoptimized + debuginfo] target(s) in 2.41s\n04:12  4.93 m high\n10:21  1.18 m low\n16:33  5.07 m high\n22:44  1.02 m low\nwhich one? Dartmouth, Devonport, Dover\nerror: invalid value '30' for '--days <DAYS>': 30 is not in 1..=14\n",
            { exitCode: 2, seconds: 5 },
          ),
        ],
        "That is how it should behave:\n\n- `tide new` finds Newlyn\n- `tide d` asks: Dartmouth, Devonport or Dover\n- `--days` goes from 1 to 14; beyond two weeks the prediction is not worth printing\n\nThe last command exits with 2 on purpose: it was my test of a value out of range.",
      ],
    );
    pi.name("tide: arguments");

    await pi.ask("Why does an exact name win? I don't see two harbours where it matters.", [
      [
        think("Check the list rather than guess."),
        bash(
          "grep -o 'name: \"[^\"]*\"' src/stations_data.rs | sort | head -40 | grep -i -e '^name: \"Port' -e Hull",
          'name: "Hull"\nname: "Port Ellen"\nname: "Portland"\nname: "Portsmouth"\nname: "Portsmouth Island"\n',
        ),
      ],
      "Portsmouth: there is also a *Portsmouth Island* in your table. Without the rule nobody could ever choose plain Portsmouth, since every beginning of it fits both.",
    ]);
    pi.end();
    return { file: pi.file };
  },
};
