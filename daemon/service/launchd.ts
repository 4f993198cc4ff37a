import type { Launch } from "../control/process.ts";
import { assertPlain, escapeXml } from "./escape.ts";

export const LAUNCHD_LABEL = "dev.pi.sessiondb";

/** A launchd agent. `logPath` lies in a folder that exists. @throws SessionDbError `usage` for control characters */
export function launchdPlist(launch: Launch, logPath: string): string {
  assertPlain([...launch, logPath]);
  const words = launch.map((word) => `    <string>${escapeXml(word)}</string>`).join("\n");
  const log = `<string>${escapeXml(logPath)}</string>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LAUNCHD_LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <key>ProcessType</key>
  <string>Background</string>
  <key>LowPriorityIO</key>
  <true/>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardOutPath</key>
  ${log}
  <key>StandardErrorPath</key>
  ${log}
</dict>
</plist>
`;
}
