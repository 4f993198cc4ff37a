import { type FoundSecret, findSecrets, maskFound } from "./secrets.ts";

/** JSON without secrets. */
export interface MaskedJson {
  text: string;
  /** How many secrets were masked. */
  masked: number;
}

/**
 * Masks the secrets in the texts of a JSON value, also those that are known by the name of their field. Whatever holds none
 * stays as it is written: numbers, which may have more digits than can be read, and fields that come twice. It may be
 * nested however deep.
 *
 * @param json well-formed
 */
export function maskJson(json: string): MaskedJson {
  let [text, masked, copied] = ["", 0, 0];
  let name = NO_NAME;
  for (let start = json.indexOf(QUOTE); start >= 0; ) {
    const end = endOfText(json, start);
    const said = decoded(json.slice(start, end));
    const found = name.valueAt === start ? secretsOf(name.text, said) : findSecrets(said);
    if (found.length > 0) {
      text += json.slice(copied, start) + JSON.stringify(maskFound(said, found));
      masked += found.length;
      copied = end;
    }
    const next = afterSpace(json, end);
    if (json[next] === ":") name = { text: said, valueAt: afterSpace(json, next + 1) };
    start = json.indexOf(QUOTE, next);
  }
  return { text: copied === 0 ? json : text + json.slice(copied), masked };
}

const QUOTE = '"';
const NO_NAME = { text: "", valueAt: -1 };

/** Those in the value of a field. */
function secretsOf(name: string, value: string): FoundSecret[] {
  const before = `"${name}":"`;
  return findSecrets(`${before}${value}"`)
    .map(({ start, end, kind }) => {
      return {
        start: Math.max(0, start - before.length),
        end: Math.min(value.length, end - before.length),
        kind,
      };
    })
    .filter(({ start, end }) => start < end);
}

/** Where a text ends that begins with the quote at `start`. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end >= 0; end = json.indexOf(QUOTE, end + 1)) {
    let backslash = end - 1;
    while (json[backslash] === "\\") backslash--;
    if ((end - backslash) % 2 === 1) return end + 1;
  }
  return json.length;
}

function decoded(text: string): string {
  return text.includes("\\") ? String(JSON.parse(text)) : text.slice(1, -1);
}

function afterSpace(json: string, from: number): number {
  let at = from;
  while (json[at] === " " || json[at] === "\n" || json[at] === "\r" || json[at] === "\t") at++;
  return at;
}
