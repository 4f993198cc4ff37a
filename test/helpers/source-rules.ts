import { childAt, childrenAt, type Import, placeOf, type Source, type SyntaxNode } from "./source-tree.ts";

/** The part of the program a file belongs to, or null for a file the design does not know. */
export function partOf(path: string): string | null {
  const [top, second = "", ...rest] = path.split("/");
  if (top === "daemon") return "daemon";
  if (top !== "src") return null;
  if (path.startsWith("src/serve/page/")) return "page";
  if (rest.length > 0) return second;
  return second.endsWith(".ts") ? second.slice(0, -".ts".length) : null;
}

/** Cycles of files that import each other, types and late imports included, each as a path around it. */
export function cyclesAmong(imports: Import[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { source, target } of imports) {
    if (target === null) continue;
    targets.set(source.path, [...(targets.get(source.path) ?? []), target]);
  }
  const cycles = [...targets.keys()].map((path) => wayBack(path, targets)).filter((way) => way !== null);
  // One cycle is found from each of its files; keep the way that starts at the smallest path.
  return cycles.filter((way) => way.every((path) => path >= (way[0] ?? ""))).map((way) => way.join(" -> "));
}

/** The shortest path from a file to itself, both ends included. */
function wayBack(start: string, targets: Map<string, string[]>): string[] | null {
  const seen = new Set<string>();
  const ways = [[start]];
  for (const way of ways) {
    for (const next of targets.get(way.at(-1) ?? "") ?? []) {
      if (next === start) return [...way, start];
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return null;
}

/** The files and packages that are loaded before the first line of one of these files runs. */
export function loadedWith(paths: readonly string[], imports: Import[]): Set<string> {
  const atOnce = new Map<string, string[]>();
  for (const { source, target, specifier, typeOnly, late } of imports) {
    if (typeOnly || late) continue;
    atOnce.set(source.path, [...(atOnce.get(source.path) ?? []), target ?? specifier]);
  }
  const loaded = new Set(paths);
  // The set grows during the loop, until nothing new is found.
  for (const path of loaded) {
    for (const next of atOnce.get(path) ?? []) loaded.add(next);
  }
  return loaded;
}

export function anysIn(source: Source): string[] {
  return source.nodes
    .filter((node) => node.type === "TSAnyKeyword")
    .map((node) => placeOf(source, node, "any"));
}

/** `catch {}` and `.catch(() => {})`, also with only a comment inside. */
export function emptyCatchesIn(source: Source): string[] {
  const silent = source.nodes.filter((node) => {
    if (node.type === "CatchClause") return isEmptyBlock(childAt(node, "body"));
    const callee = node.type === "CallExpression" ? childAt(node, "callee") : null;
    if (callee === null || nameAt(callee, "property") !== "catch") return false;
    return childrenAt(node, "arguments").some((argument) => isEmptyBlock(childAt(argument, "body")));
  });
  return silent.map((node) => placeOf(source, node, "empty catch"));
}

/** `process.env` by that name, by destructuring, or imported from `node:process`. */
export function environmentReadsIn(source: Source): string[] {
  const reads = source.nodes.filter((node) => {
    switch (node.type) {
      case "MemberExpression":
        return nameAt(node, "object") === "process" && propertyOf(node) === "env";
      case "VariableDeclarator":
        return nameAt(node, "init") === "process" && childAt(node, "id")?.type === "ObjectPattern";
      case "ImportDeclaration":
        return importsEnvironment(node);
      default:
        return false;
    }
  });
  return reads.map((node) => placeOf(source, node, "process.env"));
}

/** String literals and templates that begin a transaction by hand. */
export function rawBeginsIn(source: Source): string[] {
  return source.nodes
    .filter((node) =>
      /^\s*(BEGIN\b|begin(\s+(immediate|exclusive|deferred|transaction))?\s*;?\s*$)/.test(textOf(node)),
    )
    .map((node) => placeOf(source, node, "raw BEGIN"));
}

/** Things that make code hard to read but break nothing. */
export function smellsIn(source: Source): string[] {
  const lines = source.text.trimEnd().split("\n").length;
  const long = lines > 250 ? [`${source.path}: ${lines} lines`] : [];
  const functions = source.nodes.flatMap((node) => {
    const height = source.text.slice(node.start, node.end).split("\n").length;
    return isFunction(node) && height > 40 ? [placeOf(source, node, `a function of ${height} lines`)] : [];
  });
  const statements = source.nodes.filter(isSqlWithValues);
  return [
    ...long,
    ...functions,
    ...statements.map((node) => placeOf(source, node, "SQL put together from values")),
  ];
}

/**
 * Whether a template of SQL has anything but NAMED_CONSTANTS in it. Those with the tag `sql`, which binds, are left
 * out.
 */
function isSqlWithValues(node: SyntaxNode): boolean {
  if (node.type !== "TemplateLiteral") return false;
  const [first] = childrenAt(node, "quasis");
  if (!/^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|DROP|PRAGMA|ATTACH|VACUUM)\b/.test(textOf(first)))
    return false;
  return childrenAt(node, "expressions").some((part) => !/^[A-Z][A-Z0-9_]*$/.test(String(part.name ?? "")));
}

function isFunction(node: SyntaxNode): boolean {
  return ["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"].includes(node.type);
}

function isEmptyBlock(node: SyntaxNode | null): boolean {
  return node?.type === "BlockStatement" && childrenAt(node, "body").length === 0;
}

function importsEnvironment(node: SyntaxNode): boolean {
  if (!["node:process", "process"].includes(String(childAt(node, "source")?.value))) return false;
  // `import process` reads nothing yet, but under another name reads of its `env` would not be seen above.
  return childrenAt(node, "specifiers").some((part) =>
    part.type === "ImportSpecifier"
      ? nameAt(part, "imported") === "env"
      : nameAt(part, "local") !== "process",
  );
}

/** The name of the identifier at `field`, or null. */
function nameAt(node: SyntaxNode, field: string): string | null {
  const child = childAt(node, field);
  return child?.type === "Identifier" ? String(child.name) : null;
}

/** The property of `object.property` or `object["property"]`. */
function propertyOf(member: SyntaxNode): string | null {
  const literal = childAt(member, "property")?.value;
  return typeof literal === "string" ? literal : nameAt(member, "property");
}

/** The characters of a string literal, or of the first stretch of a template. */
function textOf(node: SyntaxNode | undefined): string {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  const raw = node?.type === "TemplateElement" ? node.value : undefined;
  if (typeof raw !== "object" || raw === null || !("cooked" in raw)) return "";
  return typeof raw.cooked === "string" ? raw.cooked : "";
}
