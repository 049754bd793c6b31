import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../../../lib/package-root.ts";

export const cycleTexts = ["boot", "task", "plan"] as const;
export type CycleText = (typeof cycleTexts)[number];

/** One of the texts in the folder beside this file, or where the build put them, with its places filled in. What is empty leaves no gap. */
export function renderCycleText(name: CycleText, values: Readonly<Record<string, string>> = {}): string {
  const root = packageRoot();
  const folders = [join(root, "src", "work", "goals", "cycle", "agent", "texts"), join(root, "dist", "cycle-texts")];
  const folder = folders.find((one) => existsSync(one)) ?? "";
  return readFileSync(join(folder, `${name}.md`), "utf8")
    .replaceAll("\r\n", "\n")
    .replaceAll(/\{\{(\w+)\}\}/g, (_all, place: string) => {
      const value = values[place];
      if (value === undefined) throw new Error(`the text ${name} has a place ${place}, and nothing for it`);
      return value;
    })
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}
