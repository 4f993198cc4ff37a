import type { Session } from "../../../reports/answers.ts";
import type { Outline } from "../../../reports/read-conversation.ts";
import { parentText, subagentsText } from "../../../text/family.ts";
import { formatMoney, plural } from "../../../text/numbers.ts";
import { homePath, momentText } from "../about.ts";
import { saveAnswer } from "../download.ts";
import { changeQuery, route } from "../navigation.ts";
import { sessionAddress } from "../route.ts";
import { copyText } from "../said.ts";
import { apiPath } from "../server.ts";
import { PageTitle } from "../shell.tsx";

export const EXPORTS = ["html", "md", "jsonl"] as const;

export function exportSession(session: string, format: (typeof EXPORTS)[number]): void {
  void saveAnswer(`${session}.${format}`, apiPath("export", { session, format }));
}

export function resumeCommand({ id }: Session): string {
  return `sessiondb resume ${id}`;
}

/** What is said of the session above its conversation. */
export function ReaderHead({ outline }: { outline: Outline }) {
  const { session, total } = outline;
  const { title, project, createdAt, usage, models, path } = session;
  const facts = [
    momentText(createdAt),
    plural(total, "entry", "entries"),
    usage.cost === 0 ? "" : formatMoney(usage.cost),
    models.join(", "),
    subagentsText(session.subagents),
  ].filter(Boolean);
  return (
    <header class="reader-head">
      <PageTitle>{title || "(empty)"}</PageTitle>
      <p class="soft">
        <span title={path}>{homePath(project)}</span> · {facts.join(" · ")}
        <ParentLink session={session} />
      </p>
      <div class="row">
        <HideSwitch name="thinking" />
        <HideSwitch name="tools" />
        <button type="button" class="quiet" onClick={() => void copyText(resumeCommand(session))}>
          copy resume command
        </button>
        <span class="end soft">
          export
          {EXPORTS.map((format) => (
            <button
              key={format}
              type="button"
              class="quiet"
              onClick={() => exportSession(session.id, format)}
            >
              {format}
            </button>
          ))}
        </span>
      </div>
    </header>
  );
}

function ParentLink({ session: { origin, agent, parentPath } }: { session: Session }) {
  if (parentPath === null || origin === "interactive") return null;
  return (
    <>
      {" · "}
      <a href={sessionAddress(parentPath)}>{parentText({ origin, agent }, "this session")}</a>
    </>
  );
}

function HideSwitch({ name }: { name: "thinking" | "tools" }) {
  const isHidden = isHiding(name);
  return (
    <button type="button" aria-pressed={!isHidden} onClick={() => toggleHiding(name)}>
      {name}
    </button>
  );
}

function hidden(): string[] {
  return (route.value.query.hide ?? "").split(",").filter(Boolean);
}

export function isHiding(name: string): boolean {
  return hidden().includes(name);
}

export function toggleHiding(name: string): void {
  const others = hidden().filter((each) => each !== name);
  const now = others.length === hidden().length ? [...others, name] : others;
  changeQuery({ hide: now.join(",") }, { replace: true });
}
