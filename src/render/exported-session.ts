import { isTooLong } from "../files/lines.ts";
import { parseJson } from "../format/parse.ts";
import type { Session } from "../reports/answers.ts";
import type { EntryNode, SessionNodes } from "../store/tables/entry-nodes.ts";
import type { EntryCost } from "../store/tables/usage-rows.ts";
import { maskJson } from "../text/mask-json.ts";
import { formatBytes } from "../text/numbers.ts";
import { endOfTitle, shownPreview } from "../text/preview.ts";
import { sanitise } from "../text/sanitise.ts";
import { findSecrets, maskFound, maskPreview, maskTitle } from "../text/secrets.ts";

/** A session that is being exported, whatever the format. */
export interface Exported {
  session: Session;
  /** Of its file. */
  realPath: string;
  nodes: SessionNodes;
  /** The entry whose branch is exported alone; undefined: the whole session. */
  branch: EntryNode | undefined;
  costs: readonly EntryCost[];
  clean: Cleaner;
  timezone: string;
  home: string;
}

/** What stands in the place of an entry that cannot be read back. */
export function missing(node: EntryNode): string {
  const why = isTooLong(node) ? `is too long to show: ${formatBytes(node.length)}.` : "has changed.";
  return `Line ${node.line} ${why}`;
}

/** Makes text of a transcript fit to be handed on. */
export class Cleaner {
  /** Secrets masked so far. */
  masked = 0;
  readonly #reveal: boolean;

  constructor(options: { reveal: boolean }) {
    this.#reveal = options.reveal;
  }

  /** Without control characters, and without secrets unless they are to be revealed. */
  text(text: string): string {
    return sanitise(this.mask(text));
  }

  /** A session's title, fit to be handed on: it may have been cut off within a secret, with an ellipsis where it was. */
  title(session: Session): string {
    const { title } = session;
    return sanitise(this.#reveal ? title : maskTitle(title)).trimEnd() + endOfTitle(title, session);
  }

  /** A preview, fit to be handed on, with an ellipsis where it was cut off. */
  preview(preview: string): string {
    return sanitise(shownPreview(preview, this.#reveal ? String : maskPreview));
  }

  /** Only the secrets, for formats that keep every character. */
  mask(text: string): string {
    if (this.#reveal) return text;
    const found = findSecrets(text);
    this.masked += found.length;
    return maskFound(text, found);
  }

  /** Only the secrets; a text that is JSON stays JSON. */
  json(json: string): string {
    if (this.#reveal) return json;
    if (!/^\s*[[{]/.test(json) || parseJson(json) === undefined) return this.mask(json);
    const { text, masked } = maskJson(json);
    this.masked += masked;
    return text;
  }
}
