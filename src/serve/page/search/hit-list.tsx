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
  const { handle } = hit;
  if ("author" in hit) {
    return (
      <li class="elsewhere">
        <HitText hit={hit} place={handle} />
      </li>
    );
  }
  const place = placeInHandle(handle);
  return (
    <li class={isSelected ? "selected" : ""}>
      <a
        href={sessionAddress(sessionInHandle(handle), place)}
        onFocus={() => onSelect(handle)}
        onPointerEnter={() => onSelect(handle)}
      >
        <HitText hit={hit} place={`:${place}`} aside={hit.onBranch ? "" : " · on another branch"} />
      </a>
    </li>
  );
}

function HitText({ hit, place, aside = "" }: { hit: FoundHit; place: string; aside?: string }) {
  const { speaker, timestamp, snippet, highlights } = hit;
  return (
    <>
      <span class="soft">
        {place} {speaker} {momentText(timestamp)}
        {aside}
      </span>
      <MarkedText text={snippet} ranges={highlights} />
    </>
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
