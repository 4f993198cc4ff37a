import { SessionDbError } from "../../src/errors.ts";
import type { Launch } from "../control/process.ts";
import { assertPlain, escapeXml } from "./escape.ts";

export const TASK_NAME = "pi-sessiondb";

/** A task of the user's own, begun when `userId` logs on; to be written as UTF-16. @throws SessionDbError `usage` */
export function windowsTask(launch: Launch, userId: string): string {
  assertPlain([...launch, userId]);
  const [program, ...args] = launch;
  const user = escapeXml(userId);
  return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Keeps the index of pi's sessions up to date</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
      <UserId>${user}</UserId>
    </LogonTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${user}</UserId>
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Hidden>true</Hidden>
    <Priority>7</Priority>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>10</Count>
    </RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${escapeXml(program)}</Command>
      <Arguments>${escapeXml(args.map(quoteArgument).join(" "))}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
}

/**
 * For the Startup folder, where no task can be made: a script that starts the daemon without a window.
 *
 * @throws SessionDbError `usage`, also for `%` names the script host would replace
 */
export function startupScript(launch: Launch): string {
  assertPlain(launch);
  const commandLine = launch.map(quoteArgument).join(" ");
  // The shell object replaces %NAME% whatever stands around it.
  if (/%[^%]+%/.test(commandLine)) {
    throw new SessionDbError(
      "usage",
      "a program cannot be started from the Startup folder if its path has %...% in it",
      {
        hint: "Rename the folder.",
      },
    );
  }
  return `CreateObject("WScript.Shell").Run "${commandLine.replaceAll('"', '""')}", 0, False\r\n`;
}

/** So that CommandLineToArgvW gives the argument back: backslashes count double before a quote only. */
function quoteArgument(text: string): string {
  if (text !== "" && !/[\s"]/.test(text)) return text;
  return `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;
}
