import { useState } from "preact/hooks";
import type { Outline, OutlineItem } from "../../../reports/read-conversation.ts";
import { formatCount, formatMoney, plural } from "../../../text/numbers.ts";
import { route } from "../navigation.ts";
import { sessionAddress } from "../route.ts";
import { type NumberedItem, outlineRanges } from "./outline-ranges.ts";

interface OutlineProps {
  outline: Outline;
  /** Where reading is. */
  place: number;
  onJump: (place: number) => void;
}

/** Prompts, labels, compactions and branches, to go to. */
export function OutlineSide({ outline, place, onJump }: OutlineProps) {
  const { items } = outline;
  const here = items.findLast((item) => item.place <= place && item.kind !== "branches");
  const ranges = outlineRanges(items);
  return (
    <nav class="outline" aria-label="Outline">
      <h2>Prompts ({formatCount(items.filter(({ kind }) => kind === "prompt").length)})</h2>
      {ranges.map((range) =>
        ranges.length === 1 ? (
          <OutlineLines key={0} range={range} here={here} onJump={onJump} />
        ) : (
          <FoldedLines key={range[0]?.item.place} range={range} here={here} onJump={onJump} />
        ),
      )}
    </nav>
  );
}

interface LinesProps {
  range: NumberedItem[];
  here: OutlineItem | undefined;
  onJump: (place: number) => void;
}

/** Open where reading is, until somebody opens or closes it. */
function FoldedLines(props: LinesProps) {
  const { range, here } = props;
  const [isOpened, setIsOpened] = useState<boolean | null>(null);
  const isOpen = isOpened ?? range.some(({ item }) => item === here);
  const [first, last] = [range[0], range.at(-1)].map((each) => formatCount(each?.number ?? 0));
  return (
    <>
      <button type="button" class="link range" aria-expanded={isOpen} onClick={() => setIsOpened(!isOpen)}>
        {first}–{last}
      </button>
      {isOpen && <OutlineLines {...props} />}
    </>
  );
}

function OutlineLines({ range, here, onJump }: LinesProps) {
  return (
    <ol>
      {range.map(({ item, number }) => (
        <OutlineLine
          key={`${item.kind} ${item.place}`}
          item={item}
          number={number}
          isHere={item === here}
          onJump={onJump}
        />
      ))}
    </ol>
  );
}

interface LineProps {
  item: OutlineItem;
  number: number;
  isHere: boolean;
  onJump: (place: number) => void;
}

function OutlineLine({ item, number, isHere, onJump }: LineProps) {
  if (item.kind === "branches") return <BranchesLine item={item} />;
  const { kind, place, text, costSoFar } = item;
  return (
    <li class={kind}>
      <button
        type="button"
        class="link"
        aria-current={isHere ? "true" : undefined}
        onClick={() => onJump(place)}
      >
        <span class="soft">{kind === "prompt" ? number : kind === "label" ? "⚑" : "▴"}</span>
        <bdi>{kind === "compaction" ? "Compaction" : text || "(empty)"}</bdi>
        <span class="soft number">{costSoFar === 0 ? "" : formatMoney(costSoFar)}</span>
      </button>
    </li>
  );
}

function BranchesLine({ item: { branches, line } }: { item: OutlineItem }) {
  return (
    <li class="branches">
      <details>
        <summary class="soft">⎇ {plural(branches.length, "other branch", "other branches")}</summary>
        {branches.map((branch) => (
          <a key={branch.line} href={branchAddress(line, branch)}>
            <bdi>{branch.text || "(empty)"}</bdi>
          </a>
        ))}
      </details>
    </li>
  );
}

/** Where another branch is read, from the line on at which it leaves. */
export function branchAddress(
  line: number | string,
  { id, line: end }: { id: string | null; line: number },
): string {
  const { session, query } = route.value;
  return sessionAddress(session, line, { ...query, branch: id ?? `:${end}` });
}
