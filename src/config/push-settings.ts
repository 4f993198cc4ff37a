import * as v from "valibot";
import { oneOf, textNamed } from "../runtime/validation.ts";
import { TEAM_BUDGETS, type TeamBudgetSetting } from "./budget-settings.ts";

/** What leaves a device: numbers; with names of sessions, projects and tools; with what was said, too. */
const PUSH_LEVELS = ["usage", "names", "text"] as const;
export type PushLevel = (typeof PUSH_LEVELS)[number];

const minutes = "a number of minutes from 1 on, or 0 for never";

/** The settings of a team: where its database is, and what of this device goes there. */
export const TEAM = v.strictObject(
  {
    url: v.pipe(
      textNamed("a postgres:// address"),
      v.description("The address of the team's PostgreSQL. A password stands better in PGPASSFILE."),
      v.examples(["postgres://ada@db.example.com/team"]),
    ),
    budgets: v.exactOptional(
      v.pipe(
        TEAM_BUDGETS,
        v.description("What the team may spend: looked at by usage --check --team."),
        v.examples([[{ name: "all", month: 5000 }]]),
      ),
    ),
  },
  "an object of url and budgets",
);

export const PUSH = v.strictObject(
  {
    projects: v.pipe(
      v.array(textNamed("a path"), "a list of paths"),
      v.description(
        "Projects whose sessions may leave this device: absolute directories, or such that begin with ~. * matches any part of a name; * alone is every project.",
      ),
      v.examples([["~/work/*"], ["*"]]),
    ),
    level: v.exactOptional(
      v.pipe(
        oneOf(PUSH_LEVELS),
        v.description(
          "usage: numbers only, and projects as hashes; names: also titles, projects and tools; text: also what was said. Secrets are masked.",
        ),
      ),
    ),
    every: v.exactOptional(
      v.pipe(
        v.number(minutes),
        v.check((value) => value === 0 || value >= 1, minutes),
        v.description("How often the daemon pushes, in minutes; 5 unless told, 0 for never."),
      ),
    ),
    label: v.exactOptional(
      v.pipe(textNamed("a name"), v.description("What the device is called; part of its id unless told.")),
    ),
  },
  "an object of projects, level, every and label",
);

/** Where a team's database is, and what of this device may go there. */
export interface TeamConfig {
  /** Undefined where there is none. */
  url: string | undefined;
  /** What the team may spend. */
  budgets: TeamBudgetSetting[];
  /** Absolute directories, with `*` for any part of a name; `*` alone is every project. */
  projects: string[];
  level: PushLevel;
  /** Minutes; 0 for never. */
  every: number;
  label: string | undefined;
}

export const PUSH_DEFAULTS = { level: "usage", every: 5 } as const;
