import type { Launch } from "../launch.ts";
import { assertPlain } from "./text.ts";

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
  return words.map(quote).join(" ");
}

function quote(text: string): string {
  const escaped = text.replace(/[\\"]/g, "\\$&").replace(/[%$]/g, "$&$&");
  return `"${escaped}"`;
}
