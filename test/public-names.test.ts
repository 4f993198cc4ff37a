import { expect, test } from "vitest";
import * as library from "../src/index.ts";
import { importPeer, isMissing } from "./helpers/peers.ts";
import { childAt, childrenAt, readSources } from "./helpers/source-tree.ts";

/** Beside `SessionManager`, what pi exports for reading its format. */
const FORMAT = [
  "CURRENT_SESSION_VERSION",
  "SessionManager",
  "assertValidSessionId",
  "buildContextEntries",
  "buildSessionContext",
  "buildSessionProjection",
  "findMostRecentSession",
  "getDefaultSessionDir",
  "getLatestCompactionEntry",
  "loadEntriesFromFile",
  "migrateSessionEntries",
  "parseSessionEntries",
  // From 1.5 on.
  "projectContextEntry",
  "sessionEntryToContextMessages",
];

const INDEX = [
  "Index",
  "SearchFeed",
  "SessionDbError",
  "SyncRun",
  "describeSchema",
  "findTouches",
  "findWaste",
  "feedSearch",
  "listLabels",
  "listSessions",
  "needsPurge",
  "openIndex",
  "purge",
  "readBudgets",
  "readModelPrices",
  "readStatus",
  "resolveSession",
  "runSql",
  "searchEntries",
  "sumUsage",
  "syncAll",
];

/** What only types need. */
const TYPES = [
  "Budget",
  "BudgetLimit",
  "BudgetOptions",
  "BudgetPeriod",
  "BudgetReport",
  "BudgetState",
  "Pace",
  "AgentMessage",
  "AssistantMessage",
  "AssistantMessageDiagnostic",
  "BashExecutionMessage",
  "BranchSummaryEntry",
  "BranchSummaryMessage",
  "CompactionEntry",
  "CompactionSummaryMessage",
  "ContextEditEntry",
  "ContextEditableContent",
  "CustomEntry",
  "CustomMessage",
  "DeferredHandle",
  "CustomMessageEntry",
  "ErrorCode",
  "ErrorDetails",
  "Estimate",
  "FeedOptions",
  "FeedResult",
  "FileEntry",
  "FileStat",
  "FileTrouble",
  "Filter",
  "Hit",
  "HitContext",
  "HitPlace",
  "ImageContent",
  "IndexLocation",
  "IsExcluded",
  "LabelEntry",
  "LabelOptions",
  "LabelSort",
  "LabelledEntry",
  "ListOptions",
  "LocatedFile",
  "MergeAmount",
  "Message",
  "ModelChangeEntry",
  "ModelPrices",
  "NameOptions",
  "Neighbour",
  "NestedToolCallRecord",
  "NestedToolCalls",
  "NewSessionOptions",
  "OpenOptions",
  "Origin",
  "PriceList",
  "ProjectedSessionEntry",
  "PurgeOptions",
  "ReadonlySessionManager",
  "SchemaColumn",
  "SchemaTable",
  "SearchFeedResult",
  "SearchOptions",
  "SearchResult",
  "SearchSort",
  "Session",
  "SessionContext",
  "SessionEntry",
  "SessionEntryBase",
  "SessionHeader",
  "SessionInfo",
  "SessionInfoEntry",
  "SessionList",
  "SessionListProgress",
  "SessionMessageEntry",
  "SessionProjection",
  "SessionRef",
  "SessionSortKey",
  "SessionTreeNode",
  "SqlLimits",
  "SqlParameters",
  "SqlResult",
  "SqlRow",
  "SqlValue",
  "Status",
  "StatusOptions",
  "StopSignal",
  "Sums",
  "SweepProgress",
  "SyncOptions",
  "SyncProgress",
  "SyncReport",
  "SyncResult",
  "SyncRunOptions",
  "SystemMessage",
  "TextContent",
  "ThinkingContent",
  "ThinkingLevelChangeEntry",
  "ToolCall",
  "ToolResultMessage",
  "Touch",
  "TouchFilter",
  "TouchOptions",
  "TouchSort",
  "Touches",
  "UnknownModel",
  "Usage",
  "UsageEntry",
  "UsageFigures",
  "UsageGrouping",
  "UsageOptions",
  "UsageReport",
  "UsageRow",
  "UserMessage",
  "WasteKind",
  "WasteOptions",
  "WastePart",
  "WasteReport",
  "WasteRow",
  "Wasted",
  "WastefulSession",
  "Weekday",
];

test("the library's names are those that are meant to be public", () => {
  expect(Object.keys(library).sort()).toEqual([...FORMAT, ...INDEX].sort());
});

test("the library's declarations give out these names, and those of types that are meant to be public", () => {
  const face = readSources("src").find(({ path }) => path === "src/index.ts");
  const exported = face?.nodes.flatMap((node) => {
    // `export *`, or what is declared there, would be names that the list below does not see.
    if (node.type === "ExportAllDeclaration" || childAt(node, "declaration") !== null) return [node.type];
    if (node.type !== "ExportNamedDeclaration") return [];
    return childrenAt(node, "specifiers").map((each) => String(childAt(each, "exported")?.name));
  });
  expect(exported?.sort()).toEqual([...FORMAT, ...INDEX, ...TYPES].sort());
});

test
  .skipIf(isMissing("piSessionManagerModule", "newestPiSessionManagerModule"))
  .each(["piSessionManagerModule", "newestPiSessionManagerModule"] as const)(
  "every name of pi's session-manager.js is among them: %s",
  async (peer) => {
    const pi = await importPeer<object>(peer);
    expect(Object.keys(pi).filter((name) => !FORMAT.includes(name))).toEqual([]);
  },
);
