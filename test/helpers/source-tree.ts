import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
// TypeScript 7 has no stable API in JavaScript; the parser inside vitest gives the same tree in the form of ESTree.
import { parseAst } from "vitest/node";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));

export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

export interface Source {
  /** Relative to the repository's root, with forward slashes: `src/store/open.ts`. */
  path: string;
  text: string;
  nodes: SyntaxNode[];
}

export interface Import {
  source: Source;
  line: number;
  specifier: string;
  /** The path of a file in this repository; null for packages and `node:` modules. */
  target: string | null;
  /** True only for `import type` and `export type`: an `import { type A }` is kept at run time. */
  typeOnly: boolean;
  /** Whether it is an `import()` or a `require()`, which run when they are reached. */
  late: boolean;
}

/** Folders with code of others, or without code. */
const SKIPPED = ["node_modules", "peers", "fixtures", "samples"];

/** Every TypeScript file below these folders, parsed; declaration files are left out. */
export function readSources(...folders: string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(REPOSITORY, folder), { withFileTypes: true })
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((item) => {
        const path = posix.join(folder, item.name);
        if (item.isDirectory()) return SKIPPED.includes(item.name) ? [] : readSources(path);
        if (!/\.tsx?$/.test(path) || /\.d\.ts$/.test(path)) return [];
        return [sourceOf(path, readFileSync(join(REPOSITORY, path), "utf8"))];
      }),
  );
}

export function sourceOf(path: string, text: string): Source {
  const program: unknown = parseAst(text, { lang: path.endsWith(".tsx") ? "tsx" : "ts" }, path);
  return { path, text, nodes: isNode(program) ? [program, ...nodesWithin(program)] : [] };
}

/** Every import, export-from, `import()`, `import("...")` type and `require()` of a file. */
export function importsOf(source: Source): Import[] {
  return source.nodes.flatMap((node) => {
    const found = importAt(node);
    if (found === null) return [];
    const { specifier } = found;
    const ours = specifier.startsWith(".") ? posix.join(posix.dirname(source.path), specifier) : null;
    return [{ ...found, source, line: lineAt(source, node), target: ours }];
  });
}

export function lineAt(source: Source, node: SyntaxNode): number {
  return source.text.slice(0, node.start).split("\n").length;
}

/** `path:line what`, the way an editor opens it. */
export function placeOf(source: Source, node: SyntaxNode, what: string): string {
  return `${source.path}:${lineAt(source, node)} ${what}`;
}

/** The node at `field`, or null. */
export function childAt(node: SyntaxNode, field: string): SyntaxNode | null {
  const child = node[field];
  return isNode(child) ? child : null;
}

/** The nodes in the array at `field`. */
export function childrenAt(node: SyntaxNode, field: string): SyntaxNode[] {
  const children = node[field];
  return Array.isArray(children) ? children.filter(isNode) : [];
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function nodesWithin(node: SyntaxNode): SyntaxNode[] {
  return Object.values(node)
    .flat()
    .filter(isNode)
    .flatMap((child) => [child, ...nodesWithin(child)]);
}

type Found = Pick<Import, "specifier" | "typeOnly" | "late">;

function importAt(node: SyntaxNode): Found | null {
  const specifier = stringAt(node, "source");
  switch (node.type) {
    case "ImportDeclaration":
      return specifier === null ? null : { specifier, typeOnly: node.importKind === "type", late: false };
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
      return specifier === null ? null : { specifier, typeOnly: node.exportKind === "type", late: false };
    case "ImportExpression":
      return specifier === null ? null : { specifier, typeOnly: false, late: true };
    case "TSImportType":
      return specifier === null ? null : { specifier, typeOnly: true, late: true };
    case "CallExpression":
      return requireAt(node);
    default:
      return null;
  }
}

/**
 * `require("x")`, also under other names with `require` in them, and `createRequire(...)("x")`; not `require.resolve`.
 */
function requireAt(call: SyntaxNode): Found | null {
  const callee = childAt(call, "callee");
  const [argument] = childrenAt(call, "arguments");
  if (callee === null || argument?.type !== "Literal" || typeof argument.value !== "string") return null;
  const maker = callee.type === "CallExpression" ? childAt(callee, "callee") : callee;
  if (maker?.type !== "Identifier" || !/require/i.test(String(maker.name))) return null;
  if (maker === callee && maker.name === "createRequire") return null;
  return { specifier: argument.value, typeOnly: false, late: true };
}

function stringAt(node: SyntaxNode, field: string): string | null {
  const value = childAt(node, field)?.value;
  return typeof value === "string" ? value : null;
}

/** The names a file declares and exports; what it passes on from other files is not among them. */
export function exportedNamesOf(source: Source): string[] {
  const names = source.nodes.flatMap((node) => {
    const declared = node.type === "ExportNamedDeclaration" ? childAt(node, "declaration") : null;
    if (declared === null) return [];
    const parts = declared.type === "VariableDeclaration" ? childrenAt(declared, "declarations") : [declared];
    return parts.map((part) => childAt(part, "id")?.name);
  });
  // An overloaded function is declared several times.
  return [...new Set(names.filter((name) => typeof name === "string"))];
}
