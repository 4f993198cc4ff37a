import type { Index } from "../../db/open.ts";
import type { JsonObject } from "../../format/json.ts";
import { maskBeginning, maskPreview } from "../../format/secrets.ts";
import { callText, type Part, partsOf } from "../../format/transcript.ts";
import { readEntry } from "../body.ts";
import { isoOrNull } from "../iso.ts";
import type { HitContext, Neighbour } from "../results.ts";
import { type EntryNode, readSessionNodes, type SessionNodes } from "../session-nodes.ts";

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
  readonly #options: NeighbourOptions;
  /** Hits of one session mostly come together. */
  #last: { fileId: number; nodes: SessionNodes; byKey: ReadonlyMap<number, EntryNode> } | undefined;

  constructor(index: Index, options: NeighbourOptions) {
    this.#index = index;
    this.#options = options;
  }

  of({ fileId, realPath, key }: { fileId: number; realPath: string; key: number }): HitContext {
    if (this.#last?.fileId !== fileId) {
      const nodes = readSessionNodes(this.#index, { fileId, realPath });
      this.#last = { fileId, nodes, byKey: new Map(nodes.all.map((node) => [node.key, node])) };
    }
    const { nodes, byKey } = this.#last;
    const node = byKey.get(key);
    if (node === undefined) return { before: [], after: [] };
    return {
      before: this.#said(nodes.above(node)).reverse(),
      after: this.#said(nodes.below(node)),
    };
  }

  /** The first entries that say anything. */
  #said(nodes: Iterable<EntryNode>): Neighbour[] {
    const said: Neighbour[] = [];
    for (const node of nodes) {
      if (said.length === this.#options.context) break;
      const text = this.#textOf(node);
      if (text !== "") said.push({ ...toNeighbour(node), text });
    }
    return said;
  }

  #textOf(node: EntryNode): string {
    const entry = readEntry(node);
    const text = entry ? saidIn(entry) : node.preview;
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

function toNeighbour({ entryId, line, type, role, tool, timestamp }: EntryNode): Omit<Neighbour, "text"> {
  return { entryId, line, type, role, tool, timestamp: isoOrNull(timestamp) };
}
