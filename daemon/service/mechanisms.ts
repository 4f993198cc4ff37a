import { isAbsolute, join } from "node:path";
import type { Launch } from "../control/process.ts";
import { LAUNCHD_LABEL, launchdPlist } from "./launchd.ts";
import { desktopEntry, systemdUnit } from "./linux.ts";
import { startupScript, TASK_NAME, windowsTask } from "./windows.ts";

/** Where things are installed for whom. */
export interface ServicePlace {
  platform: NodeJS.Platform;
  home: string;
  /** Read for `XDG_CONFIG_HOME`, `APPDATA`, `LOCALAPPDATA`, `USERDOMAIN` and `USERNAME`. */
  env: Readonly<Record<string, string | undefined>>;
  uid: number;
  userName: string;
  /** The folder of the index, which exists. */
  stateFolder: string;
}

/** Runs a program of the system to its end. */
export type RunProgram = (program: string, ...args: string[]) => { ok: boolean; output: string };

/** One way to be started at login: one for each user, whatever index it is for. */
export interface Mechanism {
  name: "systemd" | "launchd" | "task" | "startup" | "xdg";
  /** The file it consists of. */
  path: string;
  encoding: "utf8" | "utf16le";
  content(launch: Launch): string;
  isPossible(run: RunProgram): boolean;
  /** After the file was written: from now on, and now. False when the system refused. */
  enable(run: RunProgram): boolean;
  /** Before the file is removed. */
  disable(run: RunProgram): void;
  /** After it was removed, where the system has to be told that, too. */
  afterRemoval?(run: RunProgram): void;
  /** Whether `enable` starts the daemon too. */
  startsNow: boolean;
}

/** The mechanisms of a system, the better ones first. */
export function mechanismsOf(place: ServicePlace): Mechanism[] {
  switch (place.platform) {
    case "darwin":
      return [launchd(place)];
    case "win32":
      return [task(place), startup(place)];
    default:
      return [systemd(place), xdg(place)];
  }
}

const UNIT = "pi-sessiondb.service";

function configFolder({ env, home }: ServicePlace): string {
  const named = env.XDG_CONFIG_HOME ?? "";
  // A relative one is to be ignored, says its specification.
  return isAbsolute(named) ? named : join(home, ".config");
}

function systemd(place: ServicePlace): Mechanism {
  return {
    name: "systemd",
    path: join(configFolder(place), "systemd", "user", UNIT),
    encoding: "utf8",
    content: systemdUnit,
    isPossible: (run) => run("systemctl", "--user", "show-environment").ok,
    enable: (run) =>
      run("systemctl", "--user", "daemon-reload").ok &&
      run("systemctl", "--user", "enable", UNIT).ok &&
      run("systemctl", "--user", "restart", UNIT).ok,
    disable: (run) => void run("systemctl", "--user", "disable", "--now", UNIT),
    afterRemoval: (run) => void run("systemctl", "--user", "daemon-reload"),
    startsNow: true,
  };
}

function xdg(place: ServicePlace): Mechanism {
  return {
    name: "xdg",
    path: join(configFolder(place), "autostart", "pi-sessiondb.desktop"),
    encoding: "utf8",
    content: desktopEntry,
    isPossible: () => true,
    enable: () => true,
    disable: () => undefined,
    startsNow: false,
  };
}

function launchd(place: ServicePlace): Mechanism {
  const path = join(place.home, "Library", "LaunchAgents", `${LAUNCHD_LABEL}.plist`);
  const domain = `gui/${place.uid}`;
  return {
    name: "launchd",
    path,
    encoding: "utf8",
    content: (launch) => launchdPlist(launch, join(place.stateFolder, "daemon-launchd.log")),
    isPossible: () => true,
    enable: (run) => {
      run("launchctl", "bootout", `${domain}/${LAUNCHD_LABEL}`);
      return run("launchctl", "bootstrap", domain, path).ok;
    },
    disable: (run) => void run("launchctl", "bootout", `${domain}/${LAUNCHD_LABEL}`),
    startsNow: true,
  };
}

function task(place: ServicePlace): Mechanism {
  // Where the user's other machines do not get it, which have no such task.
  const local = place.env.LOCALAPPDATA || join(place.home, "AppData", "Local");
  const path = join(local, "pi-sessiondb", "daemon-task.xml");
  const { USERDOMAIN: domain, USERNAME: name = place.userName } = place.env;
  return {
    name: "task",
    path,
    encoding: "utf16le",
    content: (launch) => windowsTask(launch, domain ? `${domain}\\${name}` : name),
    isPossible: (run) => run("schtasks", "/Query", "/?").ok,
    enable: (run) =>
      run("schtasks", "/Create", "/F", "/TN", TASK_NAME, "/XML", path).ok &&
      run("schtasks", "/Run", "/TN", TASK_NAME).ok,
    disable: (run) => void run("schtasks", "/Delete", "/F", "/TN", TASK_NAME),
    startsNow: true,
  };
}

function startup(place: ServicePlace): Mechanism {
  const appData = place.env.APPDATA || join(place.home, "AppData", "Roaming");
  const folder = join(appData, "Microsoft", "Windows", "Start Menu", "Programs", "Startup");
  return {
    name: "startup",
    path: join(folder, "pi-sessiondb.vbs"),
    encoding: "utf16le",
    content: startupScript,
    isPossible: () => true,
    enable: () => true,
    disable: () => undefined,
    startsNow: false,
  };
}
