import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "rolldown/utils";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A node of the syntax tree, with the fields that these tests use. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

export interface SourceFile {
  /** Relative to the project's root, with forward slashes: `src/store/engine/db.ts`. */
  readonly path: string;
  readonly text: string;
  readonly isTest: boolean;
  readonly program: Node;
  readonly comments: readonly { readonly start: number; readonly end: number }[];
  /** Static, dynamic and type-only imports. */
  readonly imports: readonly string[];
}

/** Every TypeScript file under a folder, parsed, so that comments and strings cause no false alarm. */
export function sourceFiles(folder: string): readonly SourceFile[] {
  return filesUnder(folder)
    .filter((path) => /\.tsx?$/.test(path))
    .map(read);
}

export function filesUnder(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .toSorted();
}

/** Every node with its parent, outermost first. */
export function* nodesOf(node: Node, parent: Node | null = null): Iterable<readonly [Node, Node | null]> {
  yield [node, parent];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value])
      if (isNode(child)) yield* nodesOf(child, node);
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

/** A clickable location, such as `src/store/engine/db.ts:12`. */
export function placeOf(file: SourceFile, node: { readonly start: number }): string {
  return `${file.path}:${file.text.slice(0, node.start).split("\n").length}`;
}

/** The locations of all forbidden nodes. */
export function breaches(
  files: readonly SourceFile[],
  forbids: (node: Node, parent: Node | null) => boolean,
): readonly string[] {
  return files.flatMap((file) =>
    [...nodesOf(file.program)].flatMap(([node, parent]) => (forbids(node, parent) ? [placeOf(file, node)] : [])),
  );
}

/** True for `object.property`, without brackets. */
export function isMember(node: Node, object: string, property: string): boolean {
  return (
    node.type === "MemberExpression" &&
    isNode(node["object"]) &&
    node["object"]["name"] === object &&
    isNode(node["property"]) &&
    node["property"]["name"] === property
  );
}

/** The text of a literal, with a template's parts joined. Null for anything else. */
export function literalText(node: Node): string | null {
  if (node.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node.type !== "TemplateLiteral") return null;
  const parts = node["quasis"] as readonly { readonly value: { readonly raw: string } }[];
  return parts.map((part) => part.value.raw).join("…");
}

function read(path: string): SourceFile {
  const text = readFileSync(join(root, path), "utf8");
  const parsed = parseSync(path, text);
  if (parsed.errors.length > 0) throw new Error(`${path} cannot be parsed: ${parsed.errors[0]?.message}`);
  const program = parsed.program as unknown as Node;
  return {
    path,
    text,
    isTest: path.includes(".test."),
    program,
    comments: parsed.comments,
    imports: [...nodesOf(program)].flatMap(([node]) => importedBy(node)),
  };
}

function importedBy(node: Node): readonly string[] {
  if (
    !/^(ImportDeclaration|ExportNamedDeclaration|ExportAllDeclaration|ImportExpression|TSImportType)$/.test(node.type)
  )
    return [];
  const source = node["source"] ?? node["argument"];
  const name = isNode(source) ? literalText(source) : null;
  return name === null ? [] : [name];
}
