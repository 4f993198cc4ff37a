import { dateOf } from "./draw.ts";
import { type Hit, type HitList, placeOf } from "./hits.ts";
import { cutTo, oneLine } from "./plain.ts";

/** The most characters of the whole text: some 2,000 tokens. */
const MOST = 8000;
const MOST_TITLE = 80;
const MOST_SNIPPET = 400;

/** Hits as text, for a model or a pipe. Each names its place as `path:line`. */
export function hitsAsText({ hits, total, isTotalExact, notes }: HitList): string {
  const noted = notes.map((note) => `Note: ${note}`);
  if (hits.length === 0) return ["Nothing found.", ...noted].join("\n");
  const shown: string[] = [];
  let length = 0;
  for (const hit of hits) {
    const text = asText(hit);
    length += text.length + 2;
    if (length > MOST) break;
    shown.push(text);
  }
  const most = isTotalExact ? total : `up to ${total}`;
  const rest = total > shown.length ? `${shown.length} of ${most} matching entries, best first:\n\n` : "";
  return rest + [...shown, ...noted].join("\n\n");
}

function asText(hit: Hit): string {
  const facts = [dateOf(hit.time), hit.speaker, `in "${cutTo(hit.title, MOST_TITLE)}"`, oneLine(hit.cwd)];
  const snippet = cutTo(oneLine(hit.snippet), MOST_SNIPPET);
  return `${oneLine(placeOf(hit))}\n${facts.filter(Boolean).join(" · ")}\n${snippet}`;
}
