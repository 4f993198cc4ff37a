import type { CommandLine } from "../panels/command-line.ts";
import { dateOf } from "../panels/draw.ts";
import { findHits, type Hit, type HitList, placeOf, SEARCH_TOOL, totalText } from "../panels/hits.ts";
import { type Json, numberOf, objectOf, textOf } from "../panels/json-document.ts";
import { cutTo, oneLine } from "../panels/text.ts";
import type { Tool } from "./host.ts";

/** The most characters of the whole text: some 2,000 tokens. */
const MOST = 8000;
const MOST_TITLE = 80;
const MOST_SNIPPET = 400;

/** Hits as text, for a model or a pipe, by session: what that is called, its file, then each hit with its handle. */
export function hitsAsText(found: HitList): string {
  const { hits, total, notes } = found;
  const noted = notes.map((note) => `Note: ${note}`);
  if (hits.length === 0) return ["Nothing found.", ...noted].join("\n");
  const shown: string[] = [];
  let length = 0;
  for (const [at, hit] of hits.entries()) {
    const isFirst = hit.path !== hits[at - 1]?.path;
    const text = (isFirst ? headOf(hit) : "") + asText(hit);
    length += text.length + 2;
    if (length > MOST) break;
    shown.push(text);
  }
  const rest =
    total > shown.length ? `${shown.length} of ${totalText(found)} matching entries, best first:\n\n` : "";
  return rest + [...shown, ...noted.map((note) => `\n${note}`)].join("\n").trim();
}

function headOf({ title, cwd, time, path }: Hit): string {
  const facts = [`"${cutTo(title, MOST_TITLE)}"`, oneLine(cwd), dateOf(time)].filter(Boolean).join(" · ");
  return `\n${facts}\n${oneLine(path)}\n`;
}

function asText({ handle, speaker, snippet }: Hit): string {
  return `${handle} ${speaker}: ${cutTo(oneLine(snippet), MOST_SNIPPET)}`;
}

const DEFAULT_LIMIT = 8;
const MOST_HITS = 20;

const PARAMETERS = {
  type: "object",
  properties: {
    query: {
      type: "string",
      description:
        'Words that must all occur; "a phrase", -without, begin*, this OR that. Few and distinctive words find most.',
    },
    here: { type: "boolean", description: "Only sessions of the current project. Default: of all projects." },
    role: {
      type: "string",
      enum: ["user", "assistant", "toolResult", "bashExecution"],
      description: "Only what this role said; bashExecution: commands that the user ran with !.",
    },
    since: { type: "string", description: "Only from this time on: 7d, 2w, 3mo, yesterday, 2026-11-03." },
    limit: {
      type: "integer",
      description: `Maximum number of matches: ${DEFAULT_LIMIT} by default, ${MOST_HITS} at most.`,
    },
  },
  required: ["query"],
};

/** `session_search`, for the model: what was said, decided or tried in earlier sessions. */
export function searchTool(commandLine: CommandLine): Tool {
  return {
    name: SEARCH_TOOL,
    label: "Session search",
    description:
      "Full-text search over all earlier pi sessions of this user, in every project: what was said, decided, tried " +
      "and printed. Matches stand below their session and its file (JSONL); each begins with its handle, " +
      "SESSION:LINE. A handle as the query gives that entry. Secrets are masked. The current conversation is left out.",
    promptSnippet: "Search all earlier sessions of this user, in every project",
    promptGuidelines: [
      "Use session_search when the user refers to earlier work or a past conversation; cite the handle (SESSION:LINE) of what you rely on.",
      "To read on around a match of session_search, run: sessiondb show SESSION:LINE --context 5",
    ],
    parameters: PARAMETERS,
    // The index that it brings up to date on its way is a cache: nothing that anybody has made changes.
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async execute(_id, params, signal, _onUpdate, context) {
      const asked = objectOf(params);
      const found = await findHits(commandLine, {
        query: textOf(asked.query),
        limit: limitOf(asked),
        except: context.sessionManager.getSessionFile(),
        options: optionsOf(asked, context.cwd),
        cwd: context.cwd,
        signal,
      });
      return {
        content: [{ type: "text", text: hitsAsText(found) }],
        details: { total: found.total, places: found.hits.map(placeOf) },
      };
    },
  };
}

function limitOf({ limit }: Json): number {
  return limit === undefined ? DEFAULT_LIMIT : Math.max(1, Math.min(MOST_HITS, Math.floor(numberOf(limit))));
}

function optionsOf({ here, role, since }: Json, cwd: string): string[] {
  const scope = here === true ? ["--project", cwd] : [];
  const said = textOf(role) === "" ? [] : [`--role=${textOf(role)}`];
  return [...scope, ...said, ...(textOf(since) === "" ? [] : [`--since=${textOf(since)}`])];
}
