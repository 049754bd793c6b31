import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../lib/package-root.ts";

export const promptTexts = [
  "soul",
  "guidance",
  "memory",
  "sub-agent",
  "grace",
  "compaction",
  "compaction-retry",
  "review",
  "reflection",
] as const;
export type PromptText = (typeof promptTexts)[number];

/** One of the texts beside this file; in the package where the build put them. */
export function readPromptText(name: PromptText): string {
  const known = texts.get(name);
  if (known !== undefined) return known;
  const folders = [join(packageRoot(), "src", "converse", "prompt", "texts"), join(packageRoot(), "dist", "prompts")];
  const folder = folders.find((one) => existsSync(one)) ?? "";
  const text = readFileSync(join(folder, `${name}.md`), "utf8")
    .replaceAll("\r\n", "\n")
    .trim();
  texts.set(name, text);
  return text;
}

const texts = new Map<PromptText, string>();
