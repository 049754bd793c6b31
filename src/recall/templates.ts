import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../lib/package-root.ts";

export const templateNames = ["soul", "shield", "harness", "user"] as const;

/** A template with its places filled; a place nobody fills is a bug, not a text with braces. */
export function fillTemplate(name: (typeof templateNames)[number], filling: Readonly<Record<string, string>>): string {
  return readTemplate(name).replaceAll(/\{\{(\w+)\}\}/g, (_place, key: string) => {
    const value = filling[key];
    if (value === undefined) throw new Error(`the template ${name} needs ${key}`);
    return value.replaceAll(/\s+/g, " ").trim();
  });
}

/** What `oldhand init` offers to begin with. */
export function readStartingRules(): readonly string[] {
  return readTemplate("starting-rules")
    .split("\n")
    .map((line) => line.replace(/^\d+\.\s*/, "").trim())
    .filter((line) => line !== "");
}

/** Beside this file in the source; in the package, where the build put them. */
function readTemplate(name: string): string {
  const folders = [join(packageRoot(), "src", "recall", "templates"), join(packageRoot(), "dist", "templates")];
  const folder = folders.find((one) => existsSync(one)) ?? "";
  return readFileSync(join(folder, `${name}.md`), "utf8").replaceAll("\r\n", "\n");
}
