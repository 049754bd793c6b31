import { isRecord, tryParseJson } from "../../lib/json.ts";

/** The files in which projects declare named scripts, and the programs that run them. */
export const scriptFiles: readonly {
  readonly file: string;
  readonly programs: readonly string[];
  readonly names: (text: string) => readonly string[];
}[] = [
  {
    file: "package.json",
    programs: ["npm", "pnpm", "yarn", "bun", "npx", "ni", "nr", "node", "turbo"],
    names: (text) => keysOf(text, "scripts"),
  },
  { file: "deno.json", programs: ["deno"], names: (text) => keysOf(text, "tasks") },
  { file: "deno.jsonc", programs: ["deno"], names: (text) => keysOf(withoutComments(text), "tasks") },
  { file: "composer.json", programs: ["composer"], names: (text) => keysOf(text, "scripts") },
  ...["Makefile", "makefile", "GNUmakefile"].map((file) => ({ file, programs: ["make", "gmake"], names: targetsIn })),
  ...["justfile", "Justfile", ".justfile"].map((file) => ({ file, programs: ["just"], names: recipesIn })),
  ...["Taskfile.yml", "Taskfile.yaml"].map((file) => ({ file, programs: ["task"], names: findTasks })),
  ...["mise.toml", ".mise.toml"].map((file) => ({
    file,
    programs: ["mise"],
    names: (text: string) => tables(text, /^tasks$/, /^tasks\.(.+)$/),
  })),
  {
    file: "pyproject.toml",
    programs: ["poetry", "uv", "pdm", "poe", "hatch", "rye", "pixi", "python", "python3"],
    names: (text) =>
      tables(
        text,
        /^(?:project\.scripts|tool\.(?:poetry|pdm|rye|hatch\.envs\.\w+)\.scripts|tool\.poe\.tasks|tool\.pixi\.tasks)$/,
        /^tool\.(?:poe|pixi)\.tasks\.(.+)$/,
      ),
  },
];

/**
 * True if a Makefile, a justfile or a Taskfile declares exactly this name: `proto-gen` is no `proto`. Reads more than the
 * lists above, which leave out what nobody would type: paths as targets, and names in quotes.
 */
export function declaresScript(file: string, text: string, name: string): boolean {
  const plain = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const kind = file.toLowerCase();
  if (kind.startsWith("taskfile")) return new RegExp(`^[ \\t]+(["']?)${plain}\\1:(?=\\s|$)`, "m").test(text);
  if (kind.endsWith("justfile"))
    return new RegExp(`^(?:@?${plain}(?:[ \\t]+[^\\n]*)?:(?!=)|alias[ \\t]+${plain}[ \\t]*:=)`, "m").test(text);
  return new RegExp(`^(?:[^\\s:=#]+[ \\t]+)*${plain}(?:[ \\t]+[^\\s:=#]+)*[ \\t]*(?:&:|::?(?!=))`, "m").test(text);
}

function keysOf(text: string, field: string): readonly string[] {
  const parsed = tryParseJson(text);
  const found = isRecord(parsed) ? parsed[field] : null;
  return isRecord(found) ? Object.keys(found) : [];
}

function withoutComments(text: string): string {
  return text.replace(/^\s*\/\/.*$/gm, "").replace(/,(\s*[}\]])/g, "$1");
}

/** Plain targets only: no patterns, no file paths. */
function targetsIn(text: string): readonly string[] {
  return distinct(text, /^([A-Za-z][\w.-]*(?:[ \t]+[A-Za-z][\w.-]*)*)[ \t]*::?(?!=)/gm).flatMap((names) =>
    names.split(/\s+/),
  );
}

function recipesIn(text: string): readonly string[] {
  return distinct(text, /^@?([A-Za-z][\w-]*)(?:[ \t]+[^:\n]*)?:(?!=)/gm).filter(
    (name) => name !== "set" && name !== "alias",
  );
}

function findTasks(text: string): readonly string[] {
  const tasks = /^tasks:[ \t]*\n((?:(?:[ \t]+.*)?\n?)*)/m.exec(text)?.[1] ?? "";
  return distinct(tasks, /^ {2}([\w:-]+):/gm);
}

function tables(text: string, table: RegExp, own: RegExp): readonly string[] {
  const found = new Set<string>();
  let isIn = false;
  for (const line of text.split("\n")) {
    const head = /^\s*\[([^[\]]+)\]\s*$/.exec(line)?.[1]?.trim();
    if (head !== undefined) {
      isIn = table.test(head);
      const name = own.exec(head)?.[1];
      if (name !== undefined) found.add(unquoted(name));
    } else if (isIn) {
      const name = /^\s*("[^"]+"|'[^']+'|[\w.:-]+)\s*=/.exec(line)?.[1];
      if (name !== undefined) found.add(unquoted(name));
    }
  }
  return [...found];
}

function unquoted(name: string): string {
  return name.replace(/^["']|["']$/g, "");
}

function distinct(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].flatMap((match) => match[1] ?? []))];
}
