import { valueFlags } from "./programs.ts";

/** The packages of a monorepo that a command selects, and the command without that choice. */
export interface PackageScope {
  /** As one would type it: `--filter web`, `-w @shop/web`, `workspace web`. */
  readonly chosen: readonly string[];
  /** The name or the folder, if it is exactly one package. */
  readonly name: string | null;
  /** The words without the choice. */
  readonly bare: readonly string[];
}

interface Selector {
  /** Options with a value, the first one is the spelling to show. */
  readonly values: readonly string[];
  /** Options for all packages. */
  readonly all: readonly string[];
  /** True if the options may also come behind the script. */
  readonly isAnywhere: boolean;
}

const selectors: ReadonlyMap<string, Selector> = new Map([
  ["npm", { values: ["-w", "--workspace"], all: ["--workspaces", "-ws"], isAnywhere: true }],
  ["pnpm", { values: ["--filter", "-F", "--filter-prod"], all: ["-r", "--recursive"], isAnywhere: false }],
  ["bun", { values: ["--filter", "-F"], all: [], isAnywhere: false }],
]);

/** Null if the command selects no package. */
export function findPackageScope(program: string, words: readonly string[]): PackageScope | null {
  if (program === "yarn") return ofYarn(words);
  const selector = selectors.get(program);
  if (selector === undefined) return null;
  const [chosen, bare]: [string[], string[]] = [[], []];
  let isOpen = true;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const [option = "", value = words[at + 1] ?? ""] = word.split("=", 2);
    if (word === "--") isOpen = false;
    if (isOpen && selector.all.includes(word)) chosen.push(selector.all[0] ?? "");
    else if (isOpen && selector.values.includes(option)) {
      if (!/^[^\s"'$]+$/.test(value)) return null;
      chosen.push(selector.values[0] ?? "", value);
      if (option === word) at++;
    } else {
      bare.push(word);
      if (isOpen && valueFlags.get(program)?.has(word) === true) bare.push(...words.slice(++at, at + 1));
      else if (at > 0 && !word.startsWith("-") && !selector.isAnywhere && !isRun(word)) isOpen = false;
    }
  }
  if (chosen.length === 0) return null;
  const [, only = ""] = chosen;
  return { chosen, name: chosen.length === 2 && /^[\w@./-]+$/.test(only) ? only : null, bare };
}

/** `yarn workspace web test`. */
function ofYarn(words: readonly string[]): PackageScope | null {
  const [program = "", verb, name = "", script, ...rest] = words;
  if (verb !== "workspace" || script === undefined || !/^[\w@./-]+$/.test(name)) return null;
  return { chosen: ["workspace", name], name, bare: [program, script, ...rest] };
}

function isRun(word: string): boolean {
  return word === "run" || word === "run-script";
}

/**
 * The head with the packages that it is about: the same script of another package is another command. Null if the
 * command runs no script of a package: `pnpm --filter web add x` adds wherever it is.
 */
export function headOfPackage(parts: readonly string[], { chosen }: PackageScope): readonly string[] | null {
  const [program = "", verb = "", script] = parts;
  if (isRun(verb) ? script === undefined : program === "npm" ? !npmScripts.test(verb) : ownCommands.has(verb))
    return null;
  return program === "npm" ? [...parts, ...chosen] : [program, ...chosen, ...parts.slice(1)];
}

/** npm runs these scripts without `run`. */
export const npmScripts = /^(?:test|t|start|stop|restart)$/;

/** Commands of the package managers themselves. */
const ownCommands: ReadonlySet<string> = new Set(
  " install i add remove rm un uninstall update up upgrade link unlink list ls ll why outdated audit publish pack exec dlx x create init config cache store version view info dedupe prune rebuild ci patch deploy import fetch licenses root bin env setup pm".split(
    " ",
  ),
);

/** Splits such a head again: `pnpm test` of `--filter web`. */
export function splitPackageHead(head: string): { readonly plain: string; readonly of: string | null } {
  const [, program = "", choice = "", rest = ""] =
    /^(pnpm|bun)((?: --filter \S+| -r)+)( .+)$/.exec(head) ?? /^(yarn) (workspace \S+)( .+)$/.exec(head) ?? [];
  if (program !== "") return { plain: program + rest, of: chosenName(choice) };
  const [, plain, behind] = /^(npm .+?)((?: -w \S+| --workspaces)+)$/.exec(head) ?? [];
  return plain === undefined || behind === undefined ? { plain: head, of: null } : { plain, of: chosenName(behind) };
}

/** The same package under each package manager. */
function chosenName(choice: string): string {
  return choice
    .replaceAll(/(?:^| )(?:--filter|-w|workspace) /g, " ")
    .replace(/ (?:-r|--workspaces)/, " all packages")
    .trim();
}
