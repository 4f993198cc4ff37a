import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import plist from "plist";
import { describe, expect, test } from "vitest";
import type { Launch } from "../../../daemon/control/process.ts";
import {
  installService,
  isAsInstalled,
  isSomeInstalled,
  previewService,
  uninstallService,
} from "../../../daemon/service/install.ts";
import { launchdPlist } from "../../../daemon/service/launchd.ts";
import { desktopEntry, systemdUnit } from "../../../daemon/service/linux.ts";
import type { RunProgram, ServicePlace } from "../../../daemon/service/mechanisms.ts";
import { startupScript, windowsTask } from "../../../daemon/service/windows.ts";
import { fc } from "../../helpers/drawn.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const NASTY = [
  "plain",
  "with spaces",
  'double " quote',
  "single ' quote",
  "100%",
  "%h %% %n",
  "$HOME $" + "{HOME} $$",
  "back\\slash\\",
  'ends with \\"',
  "`tick`",
  "<xml> & ]]>",
  "Übung/日本語/Ελλάδα 🎈",
  "; rm -rf & | > *?[]{}#!~",
  "--flag=x",
  " leading and trailing ",
];
const HOSTILE: Launch = ["/opt/no de/bin/node", ...NASTY];
const CONTROLS = ["a\nb", "a\0b", "a\u001bb", "a\u0085b", "a\u2028b", "a\ud800b"];

/** Printable text without what is refused. */
const words = fc
  .array(
    fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
      .filter((text) => !/[\p{C}\u2028\u2029]/u.test(text)),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((args): Launch => ["/usr/bin/node", ...args]);

/** What a Windows program makes of its command line: the rules of CommandLineToArgvW, written from their description. */
function windowsWords(text: string): string[] {
  const found: string[] = [];
  let word: string | null = null;
  let quoted = false;
  for (let at = 0; at < text.length; ) {
    const slashes = /^\\*/.exec(text.slice(at))?.[0].length ?? 0;
    const next = text[at + slashes];
    if (slashes > 0) {
      word = (word ?? "") + "\\".repeat(next === '"' ? Math.floor(slashes / 2) : slashes);
      at += slashes;
      if (next === '"' && slashes % 2 === 1) {
        word += '"';
        at++;
      }
    } else if (next === '"') {
      quoted = !quoted;
      word ??= "";
      at++;
    } else if (!quoted && (next === " " || next === "\t")) {
      if (word !== null) found.push(word);
      word = null;
      at++;
    } else {
      word = (word ?? "") + next;
      at++;
    }
  }
  return word === null ? found : [...found, word];
}

/** What a desktop makes of an Exec line: the value's escapes first, then its quotes, then its field codes. */
function desktopWords(entry: string): string[] {
  const line = /^Exec=(.*)$/m.exec(entry)?.[1] ?? "";
  const value = line.replace(/\\(.)/g, (_all, escaped: string) => (escaped === "\\" ? "\\" : `?${escaped}`));
  return [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inside = ""]) =>
    inside.replace(/\\(["`$\\])/g, "$1").replaceAll("%%", "%"),
  );
}

function taskWords(xml: string): string[] {
  expect(XMLValidator.validate(xml)).toBe(true);
  const parser = new XMLParser({ trimValues: false, parseTagValue: false });
  const { Command, Arguments } = parser.parse(xml).Task.Actions.Exec;
  return [Command, ...windowsWords(Arguments)];
}

function agentWords(text: string): unknown {
  const agent = plist.parse(text);
  return typeof agent === "object" && agent !== null && "ProgramArguments" in agent
    ? agent.ProgramArguments
    : null;
}

describe.each([
  ["launchd", (launch: Launch) => agentWords(launchdPlist(launch, "/tmp/log"))],
  ["a Windows task", (launch: Launch) => taskWords(windowsTask(launch, "DOMAIN\\Zoë & <co>"))],
  ["a desktop entry", (launch: Launch) => desktopWords(desktopEntry(launch))],
] as const)("%s", (_name, roundTrip) => {
  test("L2, L3, F11: gives back hostile arguments", () => {
    expect(roundTrip(HOSTILE)).toEqual([...HOSTILE]);
  });

  test("I-13: gives back any arguments", () => {
    const check = (launch: Launch) => void expect(roundTrip(launch)).toEqual([...launch]);
    fc.assert(fc.property(words, check));
  });
});

test.each(CONTROLS)("F11, I-13: no mechanism takes a control character (%j)", (text) => {
  const launch: Launch = ["/usr/bin/node", text];
  for (const encode of [
    () => systemdUnit(launch),
    () => launchdPlist(launch, "/tmp/log"),
    () => windowsTask(launch, "me"),
    () => startupScript(launch),
    () => desktopEntry(launch),
  ]) {
    expect(encode).toThrow(expect.objectContaining({ code: "usage" }));
  }
});

test("L2: the settings of the launchd agent are those that were decided on", () => {
  expect(plist.parse(launchdPlist(["/node", "x"], "/tmp/a log"))).toEqual({
    Label: "dev.pi.sessiondb",
    ProgramArguments: ["/node", "x"],
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
    ThrottleInterval: 30,
    ProcessType: "Background",
    LowPriorityIO: true,
    Umask: 0o77,
    StandardOutPath: "/tmp/a log",
    StandardErrorPath: "/tmp/a log",
  });
});

test("L1: the settings of the systemd unit are those that were decided on", () => {
  const settings = systemdUnit(["/node", "x"]).split("\n");
  expect(settings.filter((line) => line.includes("="))).toEqual([
    "Description=Keeps the index of pi's sessions up to date (pi-sessiondb)",
    "Type=exec",
    'ExecStart="/node" "x"',
    "Restart=on-failure",
    "RestartSec=10",
    "KillMode=mixed",
    "TimeoutStopSec=10",
    "UMask=0077",
    "Nice=10",
    "IOSchedulingClass=idle",
    "NoNewPrivileges=yes",
    "LockPersonality=yes",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "RestrictNamespaces=yes",
    "RestrictAddressFamilies=AF_UNIX",
    "SystemCallArchitectures=native",
    "WantedBy=default.target",
  ]);
});

test("L3: the settings of the Windows task are those that were decided on", () => {
  const parser = new XMLParser({ parseTagValue: false });
  const { Triggers, Principals, Settings } = parser.parse(windowsTask(["node.exe"], "CO\\ada")).Task;
  expect([Triggers, Principals, Settings]).toEqual([
    { LogonTrigger: { Enabled: "true", UserId: "CO\\ada" } },
    { Principal: { UserId: "CO\\ada", LogonType: "InteractiveToken", RunLevel: "LeastPrivilege" } },
    {
      MultipleInstancesPolicy: "IgnoreNew",
      DisallowStartIfOnBatteries: "false",
      StopIfGoingOnBatteries: "false",
      ExecutionTimeLimit: "PT0S",
      Hidden: "true",
      Priority: "7",
      RestartOnFailure: { Interval: "PT1M", Count: "10" },
    },
  ]);
});

test("an empty argument stays one", () => {
  expect(taskWords(windowsTask(["node.exe", "", "x"], "me"))).toEqual(["node.exe", "", "x"]);
});

test("L3: the Startup script is refused a path in which a name would be replaced", () => {
  expect(() => startupScript(["C:\\%TEMP%\\node.exe"])).toThrow(expect.objectContaining({ code: "usage" }));
  expect(startupScript(["C:\\100%\\node.exe"])).toContain("C:\\100%\\node.exe");
});

test("L3: the Startup script runs the command line without a window", () => {
  expect(startupScript(["C:\\Program Files\\node.exe", "a b"])).toBe(
    'CreateObject("WScript.Shell").Run """C:\\Program Files\\node.exe"" ""a b""", 0, False\r\n',
  );
});

const SYSTEMD = ["/usr/lib/systemd/systemd", "/lib/systemd/systemd"].find((path) => existsSync(path));
const hasSystemd = SYSTEMD !== undefined && spawnSync("systemd-analyze", ["--version"]).status === 0;
if (!hasSystemd) console.info("systemd is not installed: its own reading of the unit is not tested.");

describe.skipIf(!hasSystemd)("L1, F11, I-13: the systemd unit, as systemd itself reads it", () => {
  const launch: Launch = [process.execPath, ...NASTY];

  /** A folder with the unit that another user may read, and one for the run time that anybody may write. */
  function unitFolder(): { folder: string; env: NodeJS.ProcessEnv } {
    const folder = tempDir();
    const runtime = join(folder, "run");
    mkdirSync(runtime);
    writeFileSync(join(folder, "x.service"), systemdUnit(launch));
    chmodSync(folder, 0o755);
    chmodSync(runtime, 0o777);
    return { folder, env: { ...process.env, LC_ALL: "C", HOME: runtime, XDG_RUNTIME_DIR: runtime } };
  }

  test("passes its verification", () => {
    const { folder, env } = unitFolder();
    const { status, stderr } = spawnSync("systemd-analyze", ["--user", "verify", join(folder, "x.service")], {
      encoding: "utf8",
      env,
    });
    expect([status, stderr]).toEqual([0, ""]);
  });

  test("keeps its arguments", () => {
    const { folder, env } = unitFolder();
    // As root it will not be a user's manager.
    const drop = process.getuid?.() === 0 ? ["setpriv", "--reuid", "65534", "--clear-groups"] : [];
    const [program = "", ...args] = [...drop, SYSTEMD ?? "", "--user", "--test", "--unit=x.service"];
    const { stdout, stderr } = spawnSync(program, args, {
      encoding: "utf8",
      env: { ...env, SYSTEMD_UNIT_PATH: `${folder}:` },
    });
    const line = `${stdout}${stderr}`
      .split("\n")
      .find((each) => each.includes(`Command Line: ${process.execPath}`));
    const words = [...(line ?? "").matchAll(/"((?:[^"\\]|\\.)*)"|(?<= )([^" ]+)(?= |$)/g)].slice(2);
    // It shows them quoted for a shell; `$$` becomes `$` when it runs.
    const shown = words.map(([, quoted, bare = ""]) => quoted?.replace(/\\(["$`\\])/g, "$1") ?? bare);
    expect([process.execPath, ...shown].map((word) => word.replaceAll("$$", "$"))).toEqual([...launch]);
  });
});

test("L1, F11: a unit gives back hostile arguments by systemd's rules, through env where the program's own path is hostile", () => {
  expect(execWordsOf(systemdUnit(HOSTILE))).toEqual([...HOSTILE]);
  expect(execWordsOf(systemdUnit(['/opt/"node"', "x"]))).toEqual(["/usr/bin/env", '/opt/"node"', "x"]);
  const check = (launch: Launch) => void expect(execWordsOf(systemdUnit(launch))).toEqual([...launch]);
  fc.assert(fc.property(words, check));
});

/** By systemd.syntax(7): C escapes within double quotes, then `%%` and `$$`. */
function execWordsOf(unit: string): string[] {
  const line = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? "";
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inside = ""]) =>
    inside
      .replace(/\\(["\\])/g, "$1")
      .replaceAll("%%", "%")
      .replaceAll("$$", "$"),
  );
}

describe("L4: installing", () => {
  function world(platform: NodeJS.Platform, refuses: RegExp = /^$/) {
    const home = tempDir();
    const calls: string[] = [];
    const run: RunProgram = (program, ...args) => {
      const call = [program, ...args].join(" ");
      calls.push(call);
      return { ok: !refuses.test(call), output: "" };
    };
    const stateFolder = join(home, "state");
    mkdirSync(stateFolder);
    const place: ServicePlace = { platform, home, env: {}, uid: 1000, userName: "ada", stateFolder };
    const files = () =>
      readdirSync(home, { recursive: true, withFileTypes: true })
        .filter((item) => item.isFile())
        .map(({ name }) => name);
    return { place, run, calls, files };
  }
  const launch: Launch = ["/usr/bin/node", "main.js", "daemon", "run"];

  test.each([
    ["linux", /^$/, "systemd", "pi-sessiondb.service"],
    ["linux", /^systemctl/, "xdg", "pi-sessiondb.desktop"],
    ["linux", /systemctl .* restart/, "xdg", "pi-sessiondb.desktop"],
    ["darwin", /^$/, "launchd", "dev.pi.sessiondb.plist"],
    ["win32", /^$/, "task", "daemon-task.xml"],
    ["win32", /Create/, "startup", "pi-sessiondb.vbs"],
  ] as const)(
    "on %s where %s fails takes %s; again it changes nothing; uninstalling leaves nothing",
    (platform, refuses, name, file) => {
      const { place, run, files } = world(platform, refuses);
      expect(installService(place, launch, run)).toMatchObject({ mechanism: { name }, unchanged: false });
      expect(files()).toEqual([file]);
      expect(installService(place, launch, run)).toMatchObject({ mechanism: { name }, unchanged: true });
      expect(uninstallService(place, run)).toHaveLength(1);
      expect(files()).toEqual([]);
      expect(uninstallService(place, run)).toEqual([]);
    },
  );

  const SYSTEMCTL = "systemctl --user";
  const BOOTOUT = "launchctl bootout gui/1000/dev.pi.sessiondb";

  test.each([
    [
      "linux",
      [`${SYSTEMCTL} show-environment`, `${SYSTEMCTL} daemon-reload`].concat(
        ...[`${SYSTEMCTL} enable pi-sessiondb.service`, `${SYSTEMCTL} restart pi-sessiondb.service`],
      ),
      [`${SYSTEMCTL} disable --now pi-sessiondb.service`, `${SYSTEMCTL} daemon-reload`],
    ],
    // What is loaded already has to go first.
    ["darwin", [BOOTOUT, expect.stringMatching(/^launchctl bootstrap gui\/1000 .*\.plist$/)], [BOOTOUT]],
    [
      "win32",
      [
        "schtasks /Query /?",
        expect.stringMatching(/^schtasks \/Create \/F \/TN pi-sessiondb \/XML .*daemon-task\.xml$/),
        "schtasks /Run /TN pi-sessiondb",
      ],
      ["schtasks /Delete /F /TN pi-sessiondb"],
    ],
  ] as const)(
    "on %s the system is told to start it from now on and now, and to end it",
    (platform, on, off) => {
      const { place, run, calls } = world(platform);
      installService(place, launch, run);
      expect(calls).toEqual(on);
      calls.length = 0;
      uninstallService(place, run);
      expect(calls).toEqual(off);
    },
  );

  test("where there is no systemd for the user it is asked for nothing else", () => {
    const { place, run, calls } = world("linux", /^systemctl/);
    installService(place, launch, run);
    expect(calls).toEqual([`${SYSTEMCTL} show-environment`]);
  });

  test("a system that refuses is told of, and nothing is left behind", () => {
    const { place, run, files, calls } = world("darwin", /bootstrap/);
    expect(() => installService(place, launch, run)).toThrow(
      expect.objectContaining({ code: "io", hint: "Start it yourself: sessiondb daemon start." }),
    );
    expect([files(), calls.at(-1)]).toEqual([[], BOOTOUT]);
  });

  test("a file that cannot be written is told of, with what else can be done", () => {
    const { place, run } = world("linux", /^systemctl/);
    writeFileSync(join(place.home, ".config"), "");
    expect(() => installService(place, launch, run)).toThrow(
      expect.objectContaining({
        code: "io",
        message: expect.stringMatching(/pi-sessiondb\.desktop cannot be written \(E/),
        hint: "Start it yourself: sessiondb daemon start.",
      }),
    );
  });

  test("what the system's own programs have to read they can read", () => {
    const { place, run } = world("linux");
    const { mechanism } = installService(place, launch, run);
    expect(statSync(mechanism.path).mode & 0o777).toBe(0o644);
  });

  test.each([
    ["linux", /^$/, "XDG_CONFIG_HOME", join("systemd", "user", "pi-sessiondb.service")],
    ["linux", /^systemctl/, "XDG_CONFIG_HOME", join("autostart", "pi-sessiondb.desktop")],
    [
      "win32",
      /Create/,
      "APPDATA",
      join("Microsoft", "Windows", "Start Menu", "Programs", "Startup", "pi-sessiondb.vbs"),
    ],
    ["win32", /^$/, "LOCALAPPDATA", join("pi-sessiondb", "daemon-task.xml")],
  ] as const)("on %s where %s fails it lies where %s says", (platform, refuses, name, path) => {
    const { place, run } = world(platform, refuses);
    const folder = tempDir();
    const { mechanism } = installService({ ...place, env: { [name]: folder } }, launch, run);
    expect(mechanism.path).toBe(join(folder, path));
  });

  test("a relative folder of configurations is passed over, as its specification says", () => {
    const { place, run } = world("linux");
    const { path } = previewService({ ...place, env: { XDG_CONFIG_HOME: "relative" } }, launch, run);
    expect(path).toBe(join(place.home, ".config", "systemd", "user", "pi-sessiondb.service"));
  });

  test("L3: the task is the user's own, of the domain if there is one", () => {
    const userOf = (env: ServicePlace["env"]): unknown => {
      const { place, run } = world("win32");
      const { text } = previewService({ ...place, env }, launch, run);
      return new XMLParser().parse(text).Task.Principals.Principal.UserId;
    };
    expect([{ USERDOMAIN: "CO", USERNAME: "bob" }, { USERNAME: "bob" }, {}].map(userOf)).toEqual([
      "CO\\bob",
      "bob",
      "ada",
    ]);
  });

  test.each([
    ["linux", /^$/],
    ["linux", /^systemctl/],
    ["darwin", /^$/],
    ["win32", /^$/],
    ["win32", /Create/],
  ] as const)(
    "on %s where %s fails there is one for all indexes, which starts the daemon installed last",
    (platform, refuses) => {
      const { place, run, files } = world(platform, refuses);
      const other = { ...place, stateFolder: join(place.home, "other") };
      const installedBy = (at: ServicePlace, ...words: string[]) => {
        const own: Launch = ["/usr/bin/node", "main.js", ...words];
        const { mechanism } = installService(at, own, run);
        return { mechanism: mechanism.name, path: mechanism.path, launch: own };
      };
      const first = installedBy(place, "first");
      expect([isSomeInstalled(other), isAsInstalled(place, first)]).toEqual([true, true]);
      const last = installedBy(other, "last");
      expect([isAsInstalled(place, first), isAsInstalled(other, last)]).toEqual([false, true]);
      expect(uninstallService(place, run)).toEqual([last.path]);
      expect([files(), isSomeInstalled(other)]).toEqual([[], false]);
    },
  );

  test("a better mechanism takes the place of the one before", () => {
    const without = world("linux", /^systemctl/);
    installService(without.place, launch, without.run);
    installService(without.place, launch, () => ({ ok: true, output: "" }));
    expect(without.files()).toEqual(["pi-sessiondb.service"]);
  });

  test("showing what would be written writes nothing", () => {
    const { place, run, files, calls } = world("darwin");
    const { path, text } = previewService(place, launch, run);
    expect([files(), calls, existsSync(path)]).toEqual([[], [], false]);
    expect(agentWords(text)).toEqual([...launch]);
  });

  test("L3: the task's file is UTF-16, as Windows wants it", () => {
    const { place, run } = world("win32");
    const { mechanism } = installService(place, launch, run);
    expect(readFileSync(mechanism.path).subarray(0, 4)).toEqual(Buffer.from([0xff, 0xfe, 0x3c, 0x00]));
  });
});
