import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../lib/package-root.ts";

export const templateNames = ["soul", "shield", "harness", "user"] as const;

/** Fills the placeholders of a template; throws if one has no value. */
export function fillTemplate(name: (typeof templateNames)[number], filling: Readonly<Record<string, string>>): string {
  return readTemplate(name).replaceAll(/\{\{(\w+)\}\}/g, (_place, key: string) => {
    const value = filling[key];
    if (value === undefined) throw new Error(`the template ${name} needs ${key}`);
    return value.replaceAll(/\s+/g, " ").trim();
  });
}

/** The rules that `oldhand init` offers at first. */
export function readStartingRules(): readonly string[] {
  return readTemplate("starting-rules")
    .split("\n")
    .map((line) => line.replace(/^\d+\.\s*/, "").trim())
    .filter((line) => line !== "");
}

/** In the source tree next to this file; in the package where the build put them. */
function readTemplate(name: string): string {
  const folders = [join(packageRoot(), "src", "recall", "templates"), join(packageRoot(), "dist", "templates")];
  const folder = folders.find((one) => existsSync(one)) ?? "";
  return readFileSync(join(folder, `${name}.md`), "utf8").replaceAll("\r\n", "\n");
}
