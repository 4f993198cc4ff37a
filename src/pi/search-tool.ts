import { type CommandLine, type Json, numberOf, objectOf, textOf } from "./command-line.ts";
import { dateOf } from "./draw.ts";
import { findHits, type Hit, type HitList, placeOf, SEARCH_TOOL, totalText } from "./hits.ts";
import type { Tool } from "./host.ts";
import { cutTo, oneLine } from "./text.ts";

/** The most characters of the whole text: some 2,000 tokens. */
const MOST = 8000;
const MOST_TITLE = 80;
const MOST_SNIPPET = 400;

/** Hits as text, for a model or a pipe. Each names its place as `path:line`. */
export function hitsAsText(found: HitList): string {
  const { hits, total, notes } = found;
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
  const rest =
    total > shown.length ? `${shown.length} of ${totalText(found)} matching entries, best first:\n\n` : "";
  return rest + [...shown, ...noted].join("\n\n");
}

function asText(hit: Hit): string {
  const facts = [dateOf(hit.time), hit.speaker, `in "${cutTo(hit.title, MOST_TITLE)}"`, oneLine(hit.cwd)];
  const snippet = cutTo(oneLine(hit.snippet), MOST_SNIPPET);
  return `${oneLine(placeOf(hit))}\n${facts.filter(Boolean).join(" · ")}\n${snippet}`;
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
      "and printed. Each match cites its place as path:line, where path is a session file (JSONL). Secrets are " +
      "masked. The current conversation is left out.",
    promptSnippet: "Search all earlier sessions of this user, in every project",
    promptGuidelines: [
      "Use session_search when the user refers to earlier work or a past conversation; cite path:line of what you rely on.",
      "To read on around a match of session_search, run: sessiondb show PATH:LINE --context 5",
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
