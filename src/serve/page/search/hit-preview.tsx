import { useEffect, useState } from "preact/hooks";
import type { HtmlPiece } from "../../../render/conversation-piece.ts";
import type { Outline } from "../../../reports/read-conversation.ts";
import { RenderedPiece } from "../reader/rendered-piece.tsx";
import { sessionAddress } from "../route.ts";
import { apiPath } from "../server.ts";
import { AnswerView } from "../states.tsx";
import { useAnswer } from "../use-answer.ts";
import { placeInHandle, sessionInHandle } from "./hit-groups.ts";

/** Entries before the hit, and in all. */
const BEFORE = 2;
const AROUND = 8;

/** How long a hit is selected before it is read, in milliseconds. */
const REST = 120;

/** The conversation around a hit. */
export function HitPreview({ handle }: { handle: string }) {
  const rested = useRested(handle);
  const outline = useAnswer<Outline>(apiPath("conversation/outline", { session: rested }), { isLive: false });
  const place = outline.isAsking ? null : (outline.answer?.place ?? null);
  const from = Math.max(0, (place ?? 0) - BEFORE);
  const around = { session: rested, from: String(from), count: String(AROUND) };
  const piece = useAnswer<HtmlPiece>(place === null ? null : apiPath("conversation/html", around), {
    isLive: false,
  });
  return (
    <aside class="preview card" aria-label="Around the hit">
      <header class="row">
        <code>{handle}</code>
        <a class="end" href={sessionAddress(sessionInHandle(handle), placeInHandle(handle))}>
          Open
        </a>
      </header>
      <AnswerView asked={piece} height={300}>
        {({ html }) => <RenderedPiece html={html} mark={place} />}
      </AnswerView>
    </aside>
  );
}

function useRested(value: string): string {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}
