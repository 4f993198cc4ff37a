import { sessionAddress } from "../route.ts";
import type { ListedSession } from "./session-blocks.ts";

interface TitleProps {
  session: ListedSession;
  /** Its place in a list in which keys go from row to row. */
  row?: number;
}

/** What a session is called; where it is of this machine, the way to it. What others have pushed is read on their machines. */
export function SessionTitle({ session, row }: TitleProps) {
  const title = <bdi>{session.title || "(empty)"}</bdi>;
  return "author" in session ? (
    <span data-row={row} tabIndex={row === undefined ? undefined : -1}>
      <b>
        <bdi>{session.author}</bdi>
      </b>{" "}
      {title}
    </span>
  ) : (
    <a href={sessionAddress(session.id)} data-row={row}>
      {title}
    </a>
  );
}
