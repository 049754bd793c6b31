/**
 * Removes a leading `./`: `./v2/api.txt` and `v2/api.txt` are the same path. A single name is left alone, because it
 * may mean something else without the dot.
 */
export function plainPath(path: string, program: string | null): string {
  if (!path.startsWith("./") || (program !== null && dotPrograms.has(program))) return path;
  const rest = path.replace(/^(?:\.\/+)+/, "");
  return /[/]|\.[A-Za-z]\w*$/.test(rest) && !rest.startsWith("..") ? rest : path;
}

/** The same for a trait that contains a path; older rules stored such traits with the dot. */
export function plainTrait(trait: string, program: string | null): string {
  const [, kind = "", path = ""] = /^(arg |program |\w+=)(\.\/[^]*)$/.exec(trait) ?? [];
  return path === "" ? trait : kind + plainPath(path, program);
}

/** Programs that read a path without a leading dot as a package name. */
const dotPrograms: ReadonlySet<string> = new Set("go npm npx pnpm yarn bun bunx pip pip3 uv uvx node deno".split(" "));
