import type { Session } from "../../../reports/answers.ts";
import { homePath, momentText } from "../about.ts";

interface LineProps {
  session: Pick<Session, "title" | "cwd">;
  /** ISO 8601. */
  timestamp: string | null;
}

/** In which session something stands, and when it was. */
export function SessionLine({ session: { title, cwd }, timestamp }: LineProps) {
  return (
    <span class="soft">
      {momentText(timestamp)} · <bdi>{title || "(empty)"}</bdi> · {homePath(cwd)}
    </span>
  );
}
