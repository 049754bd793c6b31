/** A path without a dot before it: `./v2/api.txt` and `v2/api.txt` are one. A single name may mean something else without its dot. */
export function plainPath(path: string, program: string | null): string {
  if (!path.startsWith("./") || (program !== null && dotPrograms.has(program))) return path;
  const rest = path.replace(/^(?:\.\/+)+/, "");
  return /[/]|\.[A-Za-z]\w*$/.test(rest) && !rest.startsWith("..") ? rest : path;
}

/** The same of a trait that names a path, as rules of before have it. */
export function plainTrait(trait: string, program: string | null): string {
  const [, kind = "", path = ""] = /^(arg |program |\w+=)(\.\/[^]*)$/.exec(trait) ?? [];
  return path === "" ? trait : kind + plainPath(path, program);
}

/** To these a path without its dot is the name of a package. */
const dotPrograms: ReadonlySet<string> = new Set("go npm npx pnpm yarn bun bunx pip pip3 uv uvx node deno".split(" "));
