import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../lib/package-root.ts";

export const templateNames = ["soul", "shield", "harness", "user"] as const;

/** A template with its places filled; a place nobody fills is a bug, not a text with braces. */
export function template(name: (typeof templateNames)[number], filling: Readonly<Record<string, string>>): string {
  return read(name).replaceAll(/\{\{(\w+)\}\}/g, (_place, key: string) => {
    const value = filling[key];
    if (value === undefined) throw new Error(`the template ${name} needs ${key}`);
    return value.replaceAll(/\s+/g, " ").trim();
  });
}

/** What `oldhand init` offers to begin with. */
export function startingRules(): readonly string[] {
  return read("starting-rules")
    .split("\n")
    .map((line) => line.replace(/^\d+\.\s*/, "").trim())
    .filter((line) => line !== "");
}

/** They travel with the package under the path they have in the source. */
function read(name: string): string {
  return readFileSync(join(packageRoot(), "src", "recall", "templates", `${name}.md`), "utf8").replaceAll("\r\n", "\n");
}
