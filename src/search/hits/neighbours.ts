import type { JsonObject } from "../../format/json.ts";
import { callText, maySpeak, type Part, partsOf } from "../../format/transcript.ts";
import type { Index } from "../../store/open.ts";
import { readEntry } from "../../store/tables/entry-bodies.ts";
import { type EntryNode, readSessionNodes, type SessionNodes } from "../../store/tables/entry-nodes.ts";
import { maskBeginning, maskPreview } from "../../text/secrets.ts";
import { isoOrNull } from "../../time/calendar.ts";
import type { BranchSteps, StepPlace, SteppedEntry } from "./branch.ts";
import type { HitContext, Neighbour } from "./hit.ts";

/** Characters shown of a neighbour. */
const LENGTH = 240;

interface NeighbourOptions {
  /** How many before and after. */
  context: number;
  reveal: boolean;
}

/** What was said before and after an entry, on the branch it lies on. */
export class Neighbours {
  readonly #index: Index;
  readonly #steps: BranchSteps;
  readonly #options: NeighbourOptions;
  /** Of a damaged session all entries are read: its hits shall come together. */
  #last: { fileId: number; nodes: SessionNodes; byKey: ReadonlyMap<number, EntryNode> } | undefined;

  constructor(index: Index, steps: BranchSteps, options: NeighbourOptions) {
    this.#index = index;
    this.#steps = steps;
    this.#options = options;
  }

  of(place: StepPlace): HitContext {
    if (place.session.walkByText === 1) return this.#inDamaged(place);
    return this.#around(this.#steps.above(place), this.#steps.below(place));
  }

  #inDamaged({ key, fileId, session: { realPath } }: StepPlace): HitContext {
    if (this.#last?.fileId !== fileId) {
      const nodes = readSessionNodes(this.#index, { fileId, realPath });
      this.#last = { fileId, nodes, byKey: new Map(nodes.all.map((node) => [node.key, node])) };
    }
    const { nodes, byKey } = this.#last;
    const node = byKey.get(key);
    return node === undefined ? this.#around([], []) : this.#around(nodes.above(node), nodes.below(node));
  }

  #around(above: Iterable<SteppedEntry>, below: Iterable<SteppedEntry>): HitContext {
    return { before: this.#said(above).reverse(), after: this.#said(below) };
  }

  /** The first entries that say anything. */
  #said(entries: Iterable<SteppedEntry>): Neighbour[] {
    const said: Neighbour[] = [];
    for (const entry of entries) {
      if (said.length === this.#options.context) break;
      const text = maySpeak(entry.type) ? this.#textOf(entry) : "";
      if (text !== "") said.push({ ...toNeighbour(entry), text });
    }
    return said;
  }

  #textOf(place: SteppedEntry): string {
    const entry = readEntry(place);
    const text = entry ? saidIn(entry) : place.preview;
    const mask = entry === null ? maskPreview : (said: string) => maskBeginning(said, LENGTH);
    return (this.#options.reveal ? text : mask(text))
      .slice(0, LENGTH)
      .replace(/[\ud800-\udbff]$/, "")
      .replace(/\s/g, " ")
      .trim();
  }
}

/** What an entry says in the first place: thinking and calls only where there is nothing else. */
function saidIn(entry: JsonObject): string {
  const parts = partsOf(entry).filter(({ kind }) => kind !== "note" && kind !== "image");
  const first =
    parts.find(({ kind }) => kind === "text" || kind === "output" || kind === "error") ?? parts[0];
  return first === undefined ? "" : textOf(first);
}

function textOf(part: Part): string {
  if (part.kind === "call") return `${part.name} ${callText(part.args).about}`;
  return "text" in part ? part.text : "";
}

function toNeighbour(entry: SteppedEntry): Omit<Neighbour, "text"> {
  const { entryId, line, type, role, tool, timestamp } = entry;
  return { entryId, line, type, role, tool, timestamp: isoOrNull(timestamp) };
}
