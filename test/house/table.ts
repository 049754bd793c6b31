import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./source.ts";

export type TableRow = Readonly<Record<string, string>>;

/** The rows of every table with these columns in a Markdown file. */
export function tableRows(path: string, columns: readonly string[]): readonly TableRow[] {
  const rows: TableRow[] = [];
  let head: readonly string[] | null = null;
  for (const line of readFileSync(join(root, path), "utf8").split("\n")) {
    if (!line.startsWith("|")) head = null;
    else if (head === null) head = cells(line);
    else if (!/^\|[\s:|-]+\|$/.test(line) && columns.every((column) => head?.includes(column))) {
      const values = cells(line);
      rows.push(Object.fromEntries(head.map((name, index) => [name, values[index] ?? ""])));
    }
  }
  return rows;
}

/** The names in backticks in a cell. */
export function named(cell: string | undefined): readonly string[] {
  return [...(cell ?? "").matchAll(/`([^`]+)`/g)].map((found) => found[1] ?? "");
}

function cells(line: string): readonly string[] {
  return line
    .slice(1, line.lastIndexOf("|"))
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}
