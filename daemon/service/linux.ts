import type { Launch } from "../control/process.ts";
import { assertPlain } from "./escape.ts";

/**
 * A systemd user unit. Mount namespaces are not asked for, because user units that want them do not start
 * where user namespaces are off; `MemoryDenyWriteExecute` would stop V8.
 *
 * @throws SessionDbError `usage` for control characters
 */
export function systemdUnit(launch: Launch): string {
  return `[Unit]
Description=Keeps the index of pi's sessions up to date (pi-sessiondb)

[Service]
Type=exec
ExecStart=${execStart(launch)}
Restart=on-failure
RestartSec=10
KillMode=mixed
TimeoutStopSec=10
UMask=0077
Nice=10
IOSchedulingClass=idle
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_UNIX
SystemCallArchitectures=native

[Install]
WantedBy=default.target
`;
}

/** systemd takes no executable whose path holds quotes, and does not undouble `$` in it: then `env` finds it. */
function execStart(launch: Launch): string {
  assertPlain(launch);
  const [program, ...args] = launch;
  const words = /["'\\$]/.test(program) ? ["/usr/bin/env", ...launch] : [program, ...args];
  return words.map(quoteForUnit).join(" ");
}

function quoteForUnit(text: string): string {
  const escaped = text.replace(/[\\"]/g, "\\$&").replace(/[%$]/g, "$&$&");
  return `"${escaped}"`;
}

/** A desktop entry for `autostart`, where there is no systemd. @throws SessionDbError `usage` for control characters */
export function desktopEntry(launch: Launch): string {
  assertPlain(launch);
  return `[Desktop Entry]
Type=Application
Version=1.0
Name=pi-sessiondb
Comment=Keeps the index of pi's sessions up to date
Exec=${launch.map(quoteForEntry).join(" ")}
Terminal=false
NoDisplay=true
X-GNOME-Autostart-enabled=true
`;
}

/** Quoted as the Exec key wants it, then escaped as every string value is. */
function quoteForEntry(text: string): string {
  const quoted = `"${text.replace(/["`$\\]/g, "\\$&").replaceAll("%", "%%")}"`;
  return quoted.replaceAll("\\", "\\\\");
}
