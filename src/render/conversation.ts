import { answeredCallOf, toolCallsOf } from "../format/entry.ts";
import type { JsonObject } from "../format/json.ts";
import { maySpeak } from "../format/transcript.ts";
import type { EntryNode } from "../store/tables/entry-nodes.ts";
import type { Answer, Shown } from "./html-call.ts";
import { entryToHtml } from "./html-entry.ts";
import { type Html, NO_HTML } from "./html-text.ts";

/** The entries of a session as pieces of a page, each once: what answers a call stands with it. */
export class Conversation {
  readonly #shown: Shown;
  readonly #read: (node: EntryNode) => JsonObject | null;
  readonly #done = new Set<EntryNode>();

  /** `read` gives an entry; null where the file no longer holds it. */
  constructor(shown: Shown, read: (node: EntryNode) => JsonObject | null) {
    this.#shown = shown;
    this.#read = read;
  }

  /** One entry; nothing if it has been shown. `after` is what follows on its branch, as far as that is shown. */
  htmlOf(node: EntryNode, after: Iterable<EntryNode>): Html {
    if (this.#done.has(node)) return NO_HTML;
    this.#done.add(node);
    const entry = this.#read(node);
    return entryToHtml(
      { ...this.#shown, node },
      entry,
      entry === null ? new Map() : this.#answersTo(entry, after),
    );
  }

  /** What answers its calls, by the calls' ids: results stand below it, before anybody speaks. */
  #answersTo(entry: JsonObject, after: Iterable<EntryNode>): Map<string, Answer[]> {
    const answers = new Map<string, Answer[]>();
    for (const { callId } of toolCallsOf(entry)) if (callId !== "") answers.set(callId, []);
    if (answers.size === 0) return answers;
    for (const node of after) {
      if (node.role !== "toolResult" && maySpeak(node.type)) break;
      if (node.role !== "toolResult" || this.#done.has(node)) continue;
      const result = this.#read(node);
      const together = result && answers.get(answeredCallOf(result) ?? "");
      if (!result || !together) continue;
      together.push({ node, entry: result });
      this.#done.add(node);
    }
    return answers;
  }
}

/** What stands behind a place. */
export function* following(items: readonly EntryNode[], place: number): Generator<EntryNode> {
  for (let at = place + 1; at < items.length; at++) {
    const item = items[at];
    if (item !== undefined) yield item;
  }
}
