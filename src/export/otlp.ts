import { createHash } from "node:crypto";
import type { LoggedRequest } from "../reports/usage/request-log.ts";
import { groupedBy } from "../runtime/collections.ts";

/** https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/: one `ExportTraceServiceRequest` a line. */

/**
 * Spans of one line. The Collector's receiver of such files cuts lines after 1 MiB; a span takes about 1.2 KB, and more only
 * where names of projects and models are very long.
 */
const SPANS_OF_LINE = 250;
const INTERNAL = 1;
const CLIENT = 3;
const ERROR = 2;

type Value = string | number | readonly string[] | null | undefined;

/**
 * Requests as spans, after the conventions for generative AI (https://opentelemetry.io/docs/specs/semconv/gen-ai/): a family
 * of sessions is a trace, each session an `invoke_agent`, each request a `chat`. Nothing that was said, and no title.
 * Ids follow from those of sessions and entries, so that a second export gives the same spans.
 */
export function* otlpLines(families: Iterable<readonly LoggedRequest[]>, version: string): Generator<string> {
  const resource = { attributes: attributesOf({ "service.name": "pi" }) };
  const scope = { name: "pi-sessiondb", version };
  for (const family of families) {
    const spans = spansOf(family);
    for (let at = 0; at < spans.length; at += SPANS_OF_LINE) {
      const scopeSpans = [{ scope, spans: spans.slice(at, at + SPANS_OF_LINE) }];
      yield `${JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })}\n`;
    }
  }
}

function spansOf(family: readonly LoggedRequest[]): object[] {
  const root = family[0]?.root;
  if (root === undefined) return [];
  const trace = { traceId: hash(16, root.id || root.path) };
  const sessions = groupedBy(family, ({ session }) => session.path);
  const ofRoot = sessions.get(root.path);
  const spans: object[] = [];
  // The whole family's time: sub-agents may go on when nobody asks the session above them any more.
  spans.push({ ...trace, ...sessionSpan(root.id || root.path, family, ofRoot?.[0] ?? family[0]) });
  for (const [path, requests] of sessions) {
    const [first] = requests;
    const name = first?.session.id || path;
    const parent = hash(8, root.id || root.path);
    if (path !== root.path)
      spans.push({ ...trace, parentSpanId: parent, ...sessionSpan(name, requests, first) });
    for (const request of requests) spans.push({ ...trace, ...requestSpan(name, request) });
  }
  return spans;
}

function sessionSpan(
  name: string,
  requests: readonly LoggedRequest[],
  about: LoggedRequest | undefined,
): object {
  const agent = about?.agent || "pi";
  return {
    spanId: hash(8, name),
    name: `invoke_agent ${agent}`,
    kind: INTERNAL,
    ...spanTime(
      requests.reduce(
        (first, { at, durationMs }) => Math.min(first, at - (durationMs ?? 0)),
        Number.POSITIVE_INFINITY,
      ),
      requests.reduce((last, { at }) => Math.max(last, at), Number.NEGATIVE_INFINITY),
    ),
    attributes: attributesOf({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agent,
      "gen_ai.conversation.id": name,
      "pi.project": about?.project,
    }),
  };
}

function requestSpan(session: string, request: LoggedRequest): object {
  const { at, durationMs, model, stopReason } = request;
  const failed = stopReason === "error";
  return {
    spanId: hash(8, session, request.entryId ?? "", String(request.line)),
    parentSpanId: hash(8, session),
    name: `chat ${model}`.trim(),
    kind: CLIENT,
    ...spanTime(at - (durationMs ?? 0), at),
    attributes: attributesOf({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": PROVIDERS[request.provider] ?? request.provider,
      "gen_ai.request.model": model,
      "gen_ai.conversation.id": session,
      "gen_ai.agent.name": request.agent,
      "gen_ai.response.finish_reasons": stopReason === null ? null : [stopReason],
      // What the conventions count as input holds what the cache gave and took.
      "gen_ai.usage.input_tokens": request.input + request.cacheRead + request.cacheWrite,
      "gen_ai.usage.output_tokens": request.output,
      "gen_ai.usage.cache_read.input_tokens": request.cacheRead,
      "gen_ai.usage.cache_creation.input_tokens": request.cacheWrite,
      "gen_ai.usage.reasoning.output_tokens": request.reasoning || null,
      "error.type": failed ? "_OTHER" : null,
      "pi.project": request.project,
      "pi.source": request.source,
      "pi.thinking_level": request.thinkingLevel,
    }).concat({ key: "gen_ai.usage.cost", value: { doubleValue: request.cost } }),
    ...(failed && { status: { code: ERROR } }),
  };
}

/** What the conventions call providers, where pi calls them otherwise. */
const PROVIDERS: Readonly<Record<string, string>> = {
  "amazon-bedrock": "aws.bedrock",
  azure: "azure.ai.openai",
  google: "gcp.gemini",
  "google-vertex": "gcp.vertex_ai",
  mistral: "mistral_ai",
  xai: "x_ai",
};

function spanTime(start: number, end: number): object {
  return { startTimeUnixNano: nanoseconds(start), endTimeUnixNano: nanoseconds(end) };
}

/** In the year 2262: readers hold nanoseconds in 64 bits, many of them with a sign, and refuse a whole line for one beyond. */
const LAST_NANOSECOND = 2n ** 63n - 1n;

/** As the protocol writes 64 bits in JSON. No time before 1970 can be written. */
function nanoseconds(ms: number): string {
  const since1970 = BigInt(Math.max(0, Math.round(ms))) * 1_000_000n;
  return String(since1970 > LAST_NANOSECOND ? LAST_NANOSECOND : since1970);
}

/** Without those that are not known. Numbers are whole. */
function attributesOf(values: Readonly<Record<string, Value>>): { key: string; value: object }[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === null || value === undefined || value === "" ? [] : [{ key, value: attributeValue(value) }],
  );
}

function attributeValue(value: string | number | readonly string[]): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "number") return { intValue: String(value) };
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
}

/** So many bytes, in hexadecimal. */
function hash(bytes: number, ...names: readonly string[]): string {
  return createHash("sha256")
    .update(JSON.stringify(names))
    .digest("hex")
    .slice(0, 2 * bytes);
}
