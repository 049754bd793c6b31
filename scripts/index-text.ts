// The indexes by which the command line finds a command without loading the others: one of the operations, one of the
// commands that are written by hand.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CliCommand } from "../src/entrypoints/cli/parts/command.ts";
import { packageRoot } from "../src/lib/package-root.ts";
import type { Operation } from "../src/operation.ts";

/** The operations that can be typed, each with the import of its file. */
export function operationIndex(groups: Readonly<Record<string, readonly Operation[]>>, head: string): string {
  const files = importsOf("src/operations.ts");
  const rows = Object.entries(groups).flatMap(([group, operations]) => {
    const file = files.get(group);
    if (file === undefined) throw new Error(`src/operations.ts imports no ${group}`);
    return operations
      .filter((one) => one.surfaces.includes("cli"))
      .map((one) => rowOf(one, `async () => (await import("${file}")).${group}`));
  });
  return [
    head,
    'import type { IndexedOperation } from "./operation.ts";',
    "",
    "export const operationIndex: readonly IndexedOperation[] = [",
    ...rows,
    "];",
    "",
  ].join("\n");
}

/** The commands, each with the import of its file; one that is made in the list itself comes with the list. */
export function commandIndex(commands: readonly CliCommand[], head: string): string {
  const files = importsOf("src/entrypoints/cli/commands.ts");
  const rows = commands.map((one) => {
    const name = `${one.name}Command`;
    const file = files.get(name) ?? "./commands.ts";
    return rowOf(one, `async () => (await import("${file}")).${name}`);
  });
  return [
    head,
    'import type { IndexedCommand } from "./parts/command.ts";',
    "",
    "export const commandIndex: readonly IndexedCommand[] = [",
    ...rows,
    "];",
    "",
  ].join("\n");
}

function rowOf({ name, summary }: Operation | CliCommand, load: string): string {
  return `  { name: ${JSON.stringify(name)}, summary: ${JSON.stringify(summary)}, load: ${load} },`;
}

/** The files that a source file imports its values from, by the names of the values. */
function importsOf(path: string): ReadonlyMap<string, string> {
  const source = readFileSync(join(packageRoot(), path), "utf8");
  return new Map(
    [...source.matchAll(/^import \{([^}]+)\} from "([^"]+)";$/gm)].flatMap(([, names = "", file = ""]) =>
      names.split(",").map((name) => [name.trim(), file] as const),
    ),
  );
}
