/** Script runners and the files that declare their scripts. */
export const manifests: ReadonlyMap<string, string> = new Map([
  ["npm", "package.json"],
  ["pnpm", "package.json"],
  ["yarn", "package.json"],
  ["bun", "package.json"],
  ["make", "Makefile"],
  ["gmake", "Makefile"],
  ["just", "justfile"],
  ["task", "Taskfile.yml"],
  ["deno", "deno.json"],
  ["composer", "composer.json"],
]);

/** The word that a manifest uses for its scripts. */
export function scriptWord(manifest: string): "target" | "recipe" | "task" | "script" {
  const name = manifest.slice(manifest.lastIndexOf("/") + 1).toLowerCase();
  if (name.endsWith("makefile")) return "target";
  if (name.endsWith("justfile")) return "recipe";
  return /^(?:taskfile|deno|\.?mise)\./.test(name) ? "task" : "script";
}

/** The same, by the program that runs them. */
export function scriptWordOf(program: string): ReturnType<typeof scriptWord> {
  if (/^gradlew?$/.test(program)) return "task";
  return scriptWord(manifests.get(program) ?? "");
}
