import { join } from "node:path";

/** Marks the folder under which every test process lives; its absence means "this may be the real home". */
export const TEST_HOMES = "PI_SESSIONDB_TEST_HOMES";

/** Variables that point somewhere below a home folder, and where they point for a home at `home`. */
export function homeEnvironment(home: string): Record<string, string> {
  return {
    HOME: home,
    USERPROFILE: home,
    APPDATA: join(home, "AppData", "Roaming"),
    LOCALAPPDATA: join(home, "AppData", "Local"),
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_RUNTIME_DIR: join(home, ".run"),
    PI_CODING_AGENT_DIR: join(home, ".pi", "agent"),
  };
}

/** Variables of a developer's own set-up, which must not leak into tests. */
export const UNWANTED = ["PI_CODING_AGENT_SESSION_DIR", "DBUS_SESSION_BUS_ADDRESS"] as const;

/** Makes `home` the home of this process and of the processes it starts. */
export function moveInto(home: string): void {
  Object.assign(process.env, homeEnvironment(home));
  for (const name of UNWANTED) delete process.env[name];
}
