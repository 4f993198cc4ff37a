import type { Launch } from "../launch.ts";
import { assertPlain } from "./text.ts";

/** A desktop entry for `autostart`, where there is no systemd. @throws SessionDbError `usage` for control characters */
export function desktopEntry(launch: Launch): string {
  assertPlain(launch);
  return `[Desktop Entry]
Type=Application
Version=1.0
Name=pi-sessiondb
Comment=Keeps the index of pi's sessions up to date
Exec=${launch.map(quote).join(" ")}
Terminal=false
NoDisplay=true
X-GNOME-Autostart-enabled=true
`;
}

/** Quoted as the Exec key wants it, then escaped as every string value is. */
function quote(text: string): string {
  const quoted = `"${text.replace(/["`$\\]/g, "\\$&").replaceAll("%", "%%")}"`;
  return quoted.replaceAll("\\", "\\\\");
}
