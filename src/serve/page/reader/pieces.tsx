import { useEffect, useRef, useState } from "preact/hooks";
import type { HtmlPiece } from "../../../render/conversation-piece.ts";
import { FailureNote } from "../states.tsx";
import { useAnswer } from "../use-answer.ts";
import { PIECE_SIZE, piecePath, type ReadBranch } from "./piece-path.ts";
import { RenderedPiece } from "./rendered-piece.tsx";

/** Where one wants to be; `turn` tells one wish from the next for the same place. */
export interface Target {
  place: number;
  turn: number;
}

interface PiecesProps {
  branch: ReadBranch;
  total: number;
  target: Target | null;
}

/** A whole branch: what is near the view is there, the rest is as high as it was, or will be about. */
export function Pieces({ branch, total, target }: PiecesProps) {
  const count = Math.ceil(total / PIECE_SIZE);
  return (
    <>
      {Array.from({ length: count }, (_, piece) => (
        <Piece
          key={String(piece)}
          piece={piece}
          branch={branch}
          total={total}
          target={target !== null && Math.floor(target.place / PIECE_SIZE) === piece ? target : null}
        />
      ))}
    </>
  );
}

/** What an entry takes about before it is known, in pixels. */
const USUAL_HEIGHT = 90;

function Piece({ piece, branch, total, target }: PiecesProps & { piece: number }) {
  const element = useRef<HTMLDivElement>(null);
  const height = useRef(Math.min(PIECE_SIZE, total - piece * PIECE_SIZE) * USUAL_HEIGHT);
  const isNear = useIsNear(element);
  const isWanted = isNear || target !== null;
  const path = isWanted ? piecePath(branch, piece, total) : null;
  const { answer, failure, again } = useAnswer<HtmlPiece>(path, { isLive: false });
  const isThere = answer !== null && isWanted;
  useEffect(() => {
    if (!isThere) return;
    const look = new ResizeObserver(() => {
      height.current = element.current?.offsetHeight ?? height.current;
    });
    if (element.current !== null) look.observe(element.current);
    return () => look.disconnect();
  }, [isThere]);
  useEffect(() => {
    if (isThere && target !== null) showPlace(element.current, target.place);
    else if (target !== null) element.current?.scrollIntoView();
    // Also once there is more in it: before, the place may not have been there.
  }, [isThere, answer, target]);
  const places = [piece * PIECE_SIZE, (piece + 1) * PIECE_SIZE] as const;
  return (
    <div ref={element} class="piece" style={{ minHeight: isThere ? "" : `${height.current}px` }}>
      {failure !== null && <FailureNote failure={failure} again={again} />}
      {isThere && <RenderedPiece html={answer.html} places={places} mark={target?.place ?? null} />}
    </div>
  );
}

/** Scrolls to an entry; where it shows nothing, to the one before it. */
function showPlace(piece: HTMLElement | null, place: number): void {
  const entries = [...(piece?.querySelectorAll<HTMLElement>("[data-place]") ?? [])];
  const entry = entries.findLast((each) => Number(each.dataset.place) <= place) ?? entries[0];
  const folded = entry?.closest("details:not([open])");
  if (folded instanceof HTMLDetailsElement) folded.open = true;
  entry?.scrollIntoView({ block: "start" });
  // The next key goes on from here.
  entry?.setAttribute("tabindex", "-1");
  entry?.focus({ preventScroll: true });
}

/** How far from the view a piece is kept, so that scrolling rarely waits. */
const NEAR = "1600px 0px";

function useIsNear(element: { current: HTMLElement | null }): boolean {
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    if (element.current === null) return;
    const near = new IntersectionObserver((seen) => setIsNear(seen.at(-1)?.isIntersecting ?? false), {
      rootMargin: NEAR,
    });
    near.observe(element.current);
    return () => near.disconnect();
  }, [element]);
  return isNear;
}
