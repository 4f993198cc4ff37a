import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { describeCommands } from "../../src/cli/completion/shape.ts";
import { REGISTRY } from "../../src/cli/registry.ts";
import { PATIENCE_MS } from "../helpers/poll-until.ts";
import { session } from "../helpers/session-builder.ts";
import { sharedTempDir, tempDir } from "../helpers/temp-dir.ts";
import { emptyAgent, runCli, sampleAgent, takeIn } from "./pretend-world.ts";

const agentDir = sampleAgent(sharedTempDir());
const OTHER_SHELLS = ["fish", "zsh", "pwsh"] as const;
const missing = OTHER_SHELLS.filter((shell) => spawnSync(shell, ["--version"]).status !== 0);
if (missing.length > 0) console.warn(`skipped: not installed: ${missing.join(", ")}`);
const has = (shell: (typeof OTHER_SHELLS)[number]): boolean => !missing.includes(shell);

async function scriptFor(shell: string): Promise<string> {
  const { stdout, code } = await runCli(["completion", shell], { agentDir });
  expect(code).toBe(0);
  return stdout;
}

/** What a shell asks while it completes is answered by a program of the same name. */
const SESSIONDB = `sessiondb() { printf 'latest\\tthe session that was active last\\n01a1f2a6\\tOne title\\n01a1bfc2\\tAnother\\n'; }`;

const SAY = `printf '%s\\n' "\${COMPREPLY[@]-}"`;

/** What bash lets a completion know of a line with the cursor at its end: it divides words at =, : and @, too. */
function typed(line: string): string {
  const words = line.match(/'[^']*'?|[=:@]+|(?:\\.|[^ '=:@])+|(?<= )$/g) ?? [];
  const known = `COMP_WORDS=(${words.map(quoted).join(" ")}); COMP_CWORD=${words.length - 1};`;
  return `COMP_LINE=${quoted(line)} COMP_POINT=${line.length}; ${known}`;
}

describe("bash", () => {
  const lines: [line: string, expected: string[]][] = [
    ["sessiondb s", ["sync", "search", "show", "serve", "sql", "schema"]],
    ["sessiondb --db x li", ["list"]],
    ["sessiondb list --si", ["--since"]],
    ["sessiondb export --format ", ["md", "html", "jsonl"]],
    ["sessiondb list --has b", ["branch"]],
    ["sessiondb usage we", ["weekly"]],
    ["sessiondb daemon st", ["start", "stop", "status"]],
    ["sessiondb show ", ["latest", "01a1f2a6", "01a1bfc2"]],
    ["sessiondb delete 01a1b", ["01a1bfc2"]],
    ["sessiondb list --limit ", []],
    ["sessiondb list --sort c", ["created", "cost"]],
    ["sessiondb list --role=u", ["user"]],
    ["sessiondb list --has=", ["error", "image", "compaction", "branch", "archived"]],
    ["sessiondb --db=x li", ["list"]],
    ["sessiondb --db C:\\x:y li", ["list"]],
    ["sessiondb delete latest:", []],
    ["sessiondb delete --config a:01", []],
    ["sessiondb nosuch ", []],
  ];
  const QUALIFIERS = "sessiondb() { printf '%s\\n' role:user role:assistant tool:bash; };";

  test.each([
    ["sessiondb search ro", ["role:user", "role:assistant"]],
    ["sessiondb search tide role:", ["user", "assistant"]],
    ["sessiondb search tide tool:b", ["bash"]],
  ])("completes in a query: %j", async (line, expected) => {
    expect(await asked(line, QUALIFIERS)).toEqual(expected);
  });

  test.each(lines)("completes %j", async (line, expected) => {
    expect(await asked(line)).toEqual(expected);
  });

  const asked = async (line: string, before = ""): Promise<string[]> =>
    inBash(`${typed(line)} ${before} _sessiondb; ${SAY}`, SESSIONDB);

  test("does not divide words where it is told not to", async () => {
    const whole = `COMP_WORDS=(sessiondb list --role=u); COMP_CWORD=2;`;
    expect(await asked("sessiondb list --role=u", whole)).toEqual(["--role=user"]);
  });

  test("completes what stands before the cursor", async () => {
    expect(await asked("sessiondb show 01a1x", "COMP_POINT=18;")).toEqual(["01a1f2a6", "01a1bfc2"]);
  });

  test("offers files where a session is named by its path", async () => {
    const offered = async (word: string) =>
      inBash(`_sessiondb_files() { echo files; }; ${typed(`sessiondb show ${word}`)} _sessiondb`, SESSIONDB);
    expect([await offered("./a"), await offered("a")]).toEqual([["files"], []]);
  });

  test("lists sessions with their titles, but inserts ids alone", async () => {
    expect(await asked("sessiondb show 01", "COMP_TYPE=63;")).toEqual([
      "01a1f2a6  One title",
      "01a1bfc2  Another",
    ]);
    expect(await asked("sessiondb show 01", "COMP_TYPE=37;")).toEqual(["01a1f2a6", "01a1bfc2"]);
    expect(await asked("sessiondb show 01a1b", "COMP_TYPE=63;")).toEqual(["01a1bfc2"]);
  });

  test("cuts long titles to the width of the terminal", async () => {
    const lines = await asked("sessiondb show ", "COMP_TYPE=63 COLUMNS=59;");
    expect(lines[0]).toBe("latest  the session that was");
  });

  test.each([
    ["gr", ["green"]],
    ["two", ["two\\ words"]],
    ["two\\ w", ["two\\ words"]],
    ["'two w", ["two words"]],
    ["$", []],
    ["\\$", ["\\$\\(touch\\ pwned\\)"]],
    ["todo:", ["now", "a=b", "two\\ words"]],
    ["todo:a=", ["b"]],
    ["todo:two\\ w", ["two\\ words"]],
    ["'todo:t", ["todo:two words"]],
  ])("completes --label %s to what has to be typed", async (label, expected) => {
    const names = `green 'two words' '$(touch pwned)' todo:now todo:a=b 'todo:two words'`;
    const program = `sessiondb() { if [[ $2 == labels ]]; then printf '%s\\n' ${names}; fi; }`;
    for (const before of ["--label ", "--label="]) {
      const ask = `${typed(`sessiondb list ${before}${label}`)} _sessiondb; ${SAY}`;
      expect(await inBash(ask, program)).toEqual(expected);
    }
  });

  const inBash = async (ask: string, program: string): Promise<string[]> => {
    const script = [program, await scriptFor("bash"), ask].join("\n");
    const output = execFileSync("bash", ["-euo", "pipefail", "-c", script], { encoding: "utf8" });
    return output.split("\n").filter(Boolean);
  };

  test("does not care what the shell's own settings are", async () => {
    expect(await asked("sessiondb show 01", "IFS=:; set -f;")).toEqual(["01a1f2a6", "01a1bfc2"]);
  });
});

describe("names are asked of the index that the line is about", () => {
  const lines: [line: string, words: string[]][] = [
    ["sessiondb show ", ["completion", "sessions", "--", "show"]],
    [
      "sessiondb --db 'a b' --sessions-dir=~/c\\ d show ",
      ["completion", "sessions", "--", "--db", "a b", "--sessions-dir=~/c d", "show"],
    ],
    [
      "sessiondb list --agent-dir /x --config y --label ",
      ["completion", "labels", "--", "list", "--agent-dir", "/x", "--config", "y", "--label"],
    ],
    [
      "sessiondb search a --no-sync --model ",
      ["completion", "models", "--", "search", "a", "--no-sync", "--model"],
    ],
    ["sessiondb show 01a1 --branch ", ["completion", "branches", "--", "show", "01a1", "--branch"]],
  ];

  test.each([
    ...lines,
    [
      "sessiondb --db=C:\\\\x --config ~/y:z show ",
      ["completion", "sessions", "--", "--db=C:x", "--config", "~/y:z", "show"],
    ],
  ] as typeof lines)("in bash: %j", async (line, expected) => {
    const asked = join(tempDir(), "asked");
    const program = `sessiondb() { printf '%s\\n' "$@" > ${asked}; }`;
    const script = [program, await scriptFor("bash"), `${typed(line)} _sessiondb`].join("\n");
    execFileSync("bash", ["-euo", "pipefail", "-c", script]);
    expect(readFileSync(asked, "utf8").trimEnd().split("\n")).toEqual(expected);
  });

  test.skipIf(!has("fish")).each(lines)("in fish: %j", async (line, expected) => {
    const folder = tempDir();
    const path = join(folder, "completion.fish");
    writeFileSync(path, await scriptFor("fish"));
    const asked = join(folder, "asked");
    const program = `function sessiondb; printf '%s\\n' $argv > ${asked}; end`;
    execFileSync("fish", ["--no-config", "-c", `${program}; source ${path}; complete -C "${line}"`]);
    expect(readFileSync(asked, "utf8").trimEnd().split("\n")).toEqual(expected);
  });

  test.skipIf(!hasZshTerminal()).each(lines)("in zsh: %j", async (line, expected) => {
    const folder = tempDir();
    const path = join(folder, "completion.zsh");
    writeFileSync(path, await scriptFor("zsh"));
    const asked = join(folder, "asked");
    const program = `sessiondb() { print -rl -- "$@" > ${asked}.new; mv ${asked}.new ${asked} }`;
    // Not as it is typed, which the terminal shows too.
    const typed = `autoload -Uz compinit; compinit -u -D; ${program}; source ${path}; print READY''NOW`;
    const script = `zmodload zsh/zpty; zpty line zsh -f -i; zpty -w line ${quoted(typed)}; zpty -m line said '*READYNOW*'
      zpty -w -n line ${quoted(line)}$'\\t'; until [[ -e ${asked} ]]; do sleep 0.02; done; zpty -d line`;
    execFileSync("zsh", ["-f", "-c", script], { timeout: PATIENCE_MS, stdio: "ignore" });
    expect(readFileSync(asked, "utf8").trimEnd().split("\n")).toEqual(expected);
  });

  test.skipIf(!has("pwsh")).each([
    ["sessiondb show ", ["completion", "sessions", "--", "show"]],
    [
      "sessiondb --db 'a b' --sessions-dir=c show ",
      ["completion", "sessions", "--", "--db", "a b", "--sessions-dir=c", "show"],
    ],
    [
      "sessiondb list --config y --label ",
      ["completion", "labels", "--", "list", "--config", "y", "--label"],
    ],
  ])("in PowerShell: %j", async (line, expected) => {
    const folder = tempDir();
    const asked = join(folder, "asked");
    // A program: functions are completed in another way.
    const program = `#!/bin/sh\nprintf '%s\\n' "$@" > ${asked}\n`;
    writeFileSync(join(folder, "sessiondb"), program, { mode: 0o755 });
    const typed = `'${line.replaceAll("'", "''")}'`;
    const complete = `$null = TabExpansion2 -inputScript ${typed} -cursorColumn ${line.length}`;
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    const script = await scriptFor("powershell");
    execFileSync("pwsh", ["-NoProfile", "-Command", `${script}\n${complete}`], { env });
    expect(readFileSync(asked, "utf8").trimEnd().split("\n")).toEqual(expected);
  });

  test("in PowerShell too, as far as its script tells", async () => {
    const script = await scriptFor("powershell");
    expect(script).toContain("'--' @given");
  });
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Whether zsh can be typed at. */
function hasZshTerminal(): boolean {
  if (!has("zsh")) return false;
  const canBeTypedAt = spawnSync("zsh", ["-f", "-c", "zmodload zsh/zpty"]).status === 0;
  if (!canBeTypedAt) console.warn("skipped: this zsh cannot be typed at (it lacks zsh/zpty)");
  return canBeTypedAt;
}

describe("F1: what a session file says its id is", () => {
  const ids = ["$(>pwned)", "`>pwned`", "$(touch pwned)", "a b", "-rf", "01a1f2a6"];

  test("is completed only where it can be no command", async () => {
    const folder = tempDir();
    for (const id of ids)
      session({ id })
        .user("pear")
        .write(join(folder, "sessions", `${ids.indexOf(id)}.jsonl`));
    await takeIn({ agentDir: folder });
    const { stdout } = await runCli(["completion", "sessions"], { agentDir: folder });
    expect(stdout).toBe("latest\tthe session that was active last\n01a1f2a6\tpear\n");
  });

  test("is never run by bash", async () => {
    const folder = tempDir();
    const says = ids
      .map((id) => `${id}\\tpear\\n`)
      .join("")
      .replaceAll("'", "");
    const program = `sessiondb() { printf '${says}'; }`;
    const ask = `${typed("sessiondb show ")} _sessiondb; ${SAY}`;
    const script = [program, await scriptFor("bash"), ask].join("\n");
    const output = execFileSync("bash", ["-euo", "pipefail", "-c", script], {
      encoding: "utf8",
      cwd: folder,
    });
    expect(output.split("\n")).toContain("01a1f2a6");
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe.skipIf(!has("fish"))("fish", () => {
  test.each([
    ["sessiondb usage we", ["weekly"]],
    ["sessiondb list --has b", ["branch"]],
    ["sessiondb sear", ["search"]],
    ["sessiondb list --si", ["--since"]],
    ["sessiondb list --role=u", ["--role=user"]],
    ["sessiondb --db x li", ["list"]],
    ["sessiondb search show --aro", []],
  ])("completes %j", async (line, expected) => {
    const path = join(tempDir(), "completion.fish");
    writeFileSync(path, await scriptFor("fish"));
    const output = execFileSync("fish", ["--no-config", "-c", `source ${path}; complete -C '${line}'`], {
      encoding: "utf8",
    });
    expect(
      output
        .split("\n")
        .filter(Boolean)
        .map((each) => each.split("\t")[0]),
    ).toEqual(expected);
  });
});

test.skipIf(!has("zsh"))("zsh understands its script", async () => {
  const script = await scriptFor("zsh");
  execFileSync("zsh", ["-f", "-c", `compdef() { print -r -- "$*"; }\n${script}`], { encoding: "utf8" });
});

test.skipIf(!has("zsh"))("zsh takes values after =, and shows titles as they are", async () => {
  const script = await scriptFor("zsh");
  expect(script).toContain("'--role=[");
  expect(script).toMatch(/'--db=\[[^\n]*: :_files'/);
  const program = `sessiondb() { print -r -- $'01a1f2a6\\ta:b \\\\n c' }`;
  const ask = `_describe() { print -rl -- $found }; _sessiondb_described sessions`;
  const whole = ["compdef() { : }", program, script, ask].join("\n");
  const output = execFileSync("zsh", ["-f", "-c", whole], { encoding: "utf8" });
  expect(output.split("\n")[0]).toBe("01a1f2a6:a\\:b \\\\n c");
});

test.skipIf(!has("pwsh"))("PowerShell understands its script", async () => {
  const script = await scriptFor("powershell");
  execFileSync("pwsh", ["-NoProfile", "-Command", script]);
});

test.each(["bash", "zsh", "fish", "powershell"])("%s knows every command and every option", async (shell) => {
  const script = await scriptFor(shell);
  for (const { name, options } of await describeCommands(REGISTRY)) {
    expect(script).toContain(name);
    for (const option of options)
      expect(script).toContain(shell === "fish" ? `-l ${option.name}` : `--${option.name}`);
  }
});

test("the shell is the one in use, unless it is named", async () => {
  const { stdout } = await runCli(["completion"], { agentDir, env: { SHELL: "/usr/bin/fish" } });
  expect(stdout).toMatch(/^# fish completion/);
  expect((await runCli(["completion"], { agentDir, env: { SHELL: "/bin/tcsh" } })).code).toBe(2);
  expect((await runCli(["completion", "nosuch"], { agentDir })).code).toBe(2);
});

test("sessions are listed from the index as it stands, and without one nothing is said", async () => {
  await takeIn({ agentDir });
  const { stdout } = await runCli(["completion", "sessions"], { agentDir });
  expect(stdout.split("\n")[1]).toBe(
    "01a1f2a6-33d6-7175-aa3b-7bc24a2a8f5d\tIn SQLite, how do I get the heaviest harvest of each tree, with its date?",
  );
  const ids = await runCli(["completion", "ids", "--", "search", "a", "--session"], { agentDir });
  expect(ids.stdout).toBe(stdout.split("\n").slice(1).join("\n"));
  expect((await runCli(["completion", "bash", "zsh"], { agentDir })).code).toBe(2);
  const none = await runCli(["completion", "sessions"], { agentDir: emptyAgent(tempDir()) });
  expect(none).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("the branches of the session that the line names are listed, the newest first", async () => {
  await takeIn({ agentDir });
  const listed = async (...line: string[]): Promise<string> => {
    const { stdout, code } = await runCli(["completion", "branches", "--", ...line], { agentDir });
    expect(code).toBe(0);
    return stdout;
  };
  const found = await listed("show", "01a1dab4", "--no-sync", "--branch");
  expect(found.split("\n").filter(Boolean)).toEqual([
    "87ae68db\tyou ran: git push --follow-tags",
    expect.stringMatching(/^49f434e0\tassistant: What should it be based on/),
  ]);
  expect(await listed("export", "--format", "html", "01a1dab4", "--branch")).toBe(found);
  for (const line of [[], ["show"], ["show", ""], ["show", "nosuch"], ["nosuch", "01a1dab4"]])
    expect(await listed(...line)).toBe("");
});

describe("names are listed from the index as it stands", () => {
  const folder = sharedTempDir();
  const listed = async (kind: string): Promise<string[]> => {
    const { stdout, code } = await runCli(["completion", kind], { agentDir: folder });
    expect(code).toBe(0);
    return stdout.split("\n").filter(Boolean);
  };

  beforeAll(async () => {
    const builder = session()
      .user("pear")
      .assistant({
        provider: "openrouter",
        model: "qwen/qwen3-coder:free",
        toolCalls: [{ name: "web_fetch", arguments: {} }],
      });
    for (const label of ["two words", "-rf", "two\nlines", `ghp_${"a1B2c3D4e5F6".repeat(3)}`]) {
      builder.user("plum").label(String(builder.lastId), label);
    }
    builder.write(join(folder, "sessions", "a.jsonl"));
    await takeIn({ agentDir: folder });
  });

  test.each([
    ["models", ["qwen/qwen3-coder:free"]],
    ["providers", ["openrouter"]],
    ["tools", ["web_fetch"]],
    // Not what would be an option, or two lines, or holds a secret.
    ["labels", ["two words"]],
  ])("%s", async (kind, expected) => {
    expect(await listed(kind)).toEqual(expected);
  });

  test("zones", async () => {
    expect(await listed("zones")).toContain("Europe/Berlin");
  });
});

test("what may stand in a query is told by what filters declare, and by the index", async () => {
  const { stdout } = await runCli(["completion", "qualifiers"], { agentDir });
  const told = stdout.split("\n");
  expect(told).toEqual(
    expect.arrayContaining(["role:toolResult", "has:error", "tool:bash", "model:gpt-5.5"]),
  );
  expect(told.filter((word) => / /.test(word))).toEqual([]);
});
