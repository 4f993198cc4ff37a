import { useRef } from "preact/hooks";
import { plural } from "../../../text/numbers.ts";
import { homePath, momentText } from "../about.ts";
import { useKeys } from "../keys.ts";
import { sessionAddress } from "../route.ts";
import { copyText } from "../said.ts";
import { type FoundHit, type HitGroup, placeInHandle, sessionInHandle } from "./hit-groups.ts";
import { MarkedText } from "./marked-text.tsx";

interface ListProps {
  groups: readonly HitGroup[];
  /** The handle of the hit that is shown beside the list. */
  selected: string;
  onSelect: (handle: string) => void;
  more: (() => void) | null;
}

/** What was found, session by session. */
export function HitList({ groups, selected, onSelect, more }: ListProps) {
  const list = useRef<HTMLDivElement>(null);
  useKeys({
    j: { about: "Next hit", run: () => focusHit(list.current, 1) },
    k: { about: "Hit before", run: () => focusHit(list.current, -1) },
    y: { about: "Copy the handle", run: () => void copyText(selected) },
  });
  return (
    <div class="hits" ref={list}>
      {groups.map(({ key, title, project, author, hits }) => (
        <section key={key} class="card">
          <header>
            <h2>
              <bdi>{title || "(empty)"}</bdi>
            </h2>
            <p class="soft">
              {author !== null && `${author} · `}
              {homePath(project)} · {plural(hits.length, "hit")}
            </p>
          </header>
          <ol>
            {hits.map((hit) => (
              <HitLine key={hit.handle} hit={hit} isSelected={hit.handle === selected} onSelect={onSelect} />
            ))}
          </ol>
        </section>
      ))}
      {more !== null && (
        <button type="button" onClick={more}>
          More hits
        </button>
      )}
    </div>
  );
}

function HitLine({
  hit,
  isSelected,
  onSelect,
}: {
  hit: FoundHit;
  isSelected: boolean;
  onSelect: (handle: string) => void;
}) {
  const { handle, speaker, timestamp, snippet, highlights } = hit;
  const isHere = !("author" in hit);
  const place = placeInHandle(handle);
  return (
    <li class={isSelected ? "selected" : ""}>
      <a
        {...(isHere ? { href: sessionAddress(sessionInHandle(handle), place) } : { tabIndex: 0 })}
        onFocus={() => onSelect(handle)}
        onPointerEnter={() => onSelect(handle)}
      >
        <span class="soft">
          {isHere ? `:${place}` : handle} {speaker} {momentText(timestamp)}
          {isHere && !hit.onBranch && " · on another branch"}
        </span>
        <MarkedText text={snippet} ranges={highlights} />
      </a>
    </li>
  );
}

/** Moves the focus among the hits; the first step goes to the first. */
function focusHit(list: HTMLElement | null, by: number): void {
  const links = [...(list?.querySelectorAll<HTMLElement>("li a") ?? [])];
  const now = links.indexOf(document.activeElement as HTMLElement);
  const next = now === -1 ? 0 : Math.min(links.length - 1, Math.max(0, now + by));
  links[next]?.focus();
  links[next]?.scrollIntoView({ block: "nearest" });
}
