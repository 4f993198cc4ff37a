import { type EntryAttributes, timeOf } from "../format/entry.ts";
import { stringOrNull } from "../format/json.ts";
import type { ParsedHeader } from "../format/parse.ts";
import { type EntryRecord, headerRoundTrips } from "../format/record.ts";
import { versionOf } from "../format/upgrade.ts";
import type { EntryUsage } from "../format/usage.ts";
import { type SessionState, TO_BE_MADE } from "../store/tables/session-rows.ts";
import { addTo, zeroSums } from "../store/tables/usage-buckets.ts";

/** Its family is decided when the transaction ends. */
export function newSession(fileId: number, header: ParsedHeader): SessionState {
  const parentSession = stringOrNull(header.parentSession);
  return {
    fileId,
    sessionId: header.id.toWellFormed(),
    cwd: stringOrNull(header.cwd) ?? "",
    version: versionOf(header),
    createdAt: timeOf(header.timestamp),
    modifiedAt: 0,
    lastActivityAt: null,
    name: null,
    title: TO_BE_MADE,
    firstMessageKey: null,
    messageCount: 0,
    entryCount: 0,
    branchCount: 0,
    leafKey: null,
    leafId: null,
    walkByText: 0,
    irregular: headerRoundTrips(header) ? 0 : 1,
    parentSession,
    parentPath: parentSession ?? stringOrNull(header.branchedFrom),
    parentFileId: null,
    rootFileId: 0,
    origin: "interactive",
    agent: null,
    copied: 0,
    lastProvider: null,
    lastModel: null,
    models: "[]",
    ...zeroSums(),
    inheritedInput: 0,
    inheritedOutput: 0,
    inheritedCacheRead: 0,
    inheritedCacheWrite: 0,
    inheritedTotalTokens: 0,
    inheritedCost: 0,
    inheritedRequests: 0,
  };
}

/** Takes one more entry into account; what concerns the tree is decided by the caller. */
export function foldEntry(state: SessionState, key: number, record: EntryRecord): void {
  const { attributes } = record;
  state.entryCount++;
  state.leafKey = key;
  state.leafId = attributes.id;
  if (!record.roundTrips) state.irregular = 1;
  if (isOlder(record, state)) state.copied = 1;
  if (attributes.type === "message") foldMessage(state, key, record);
  if (attributes.type === "model_change") foldModel(state, attributes);
  if (attributes.type === "session_info") foldName(state, record);
}

/** The latest name counts. */
function foldName(state: SessionState, { given }: EntryRecord): void {
  state.name = given;
  state.title = TO_BE_MADE;
}

/** Whether an entry, or what it says, is from before the session was created. */
function isOlder({ attributes, activityAt }: EntryRecord, { createdAt }: SessionState): boolean {
  if (createdAt === null) return false;
  const { timestamp } = attributes;
  return (timestamp !== null && timestamp < createdAt) || (activityAt !== null && activityAt < createdAt);
}

function foldMessage(
  state: SessionState,
  key: number,
  { attributes, activityAt, spoken }: EntryRecord,
): void {
  state.messageCount++;
  if (activityAt !== null) state.lastActivityAt = Math.max(state.lastActivityAt ?? 0, activityAt);
  if (attributes.role === "user") {
    state.title = TO_BE_MADE;
    if (spoken !== "") state.firstMessageKey ??= key;
  }
  if (attributes.role !== "assistant") return;
  foldModel(state, attributes);
  if (attributes.model !== null) state.models = withModel(state.models, attributes.model);
}

function foldModel(state: SessionState, attributes: EntryAttributes): void {
  state.lastProvider = attributes.provider;
  state.lastModel = attributes.model;
}

/** `models` is a JSON array of names in the order of their first answer. */
function withModel(models: string, model: string): string {
  const name = JSON.stringify(model);
  // What looks like a name in JSON text may be a part of one, or what stands between two.
  if (models.includes(name) && (JSON.parse(models) as string[]).includes(model)) return models;
  return models === "[]" ? `[${name}]` : `${models.slice(0, -1)},${name}]`;
}

export function foldUsage(state: SessionState, usage: EntryUsage, counted: boolean): void {
  addTo(state, usage);
  if (counted) return;
  state.inheritedInput += usage.input;
  state.inheritedOutput += usage.output;
  state.inheritedCacheRead += usage.cacheRead;
  state.inheritedCacheWrite += usage.cacheWrite;
  state.inheritedTotalTokens += usage.totalTokens;
  state.inheritedCost += usage.cost;
  state.inheritedRequests += 1;
}
