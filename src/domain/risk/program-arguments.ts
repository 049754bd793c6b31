import { deletes } from "./command-risk.ts";
import type { ShellCommand } from "../shell/command.ts";
import { namesThingsElsewhere } from "../shell/elsewhere.ts";

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

/** Programs that change nothing: what was missing before them is still missing after them. */
export const readOnlyPrograms: ReadonlySet<string> = words(
  "cat ls head tail grep egrep fgrep rg find fd wc stat file which echo printf pwd sort uniq cut tree diff less more du df env printenv cd true date sleep jq nl tac whoami basename dirname realpath readlink set",
);

/** Programs whose non-flag arguments are all files. */
const files = words("cat head tail wc less more nl tac sort uniq cut file xxd od md5sum sha256sum jq bat source .");
/** Programs whose arguments are files or folders. */
const paths = words("ls stat du tree cd pushd chmod chown realpath diff");
/** Programs whose first argument is a pattern or script, and the others are paths. */
const afterFirst = words("grep egrep fgrep rg ag sed awk gawk");
const interpreters = words("node nodejs python python2 python3 bash sh zsh ruby perl php tsx ts-node deno bun pytest");

export interface ReadArguments {
  readonly surely: readonly string[];
  /** Arguments of an unknown program, which may read or create them. */
  readonly perhaps: readonly string[];
  /** True if they must be files, not folders. */
  readonly files: boolean;
}

/** Returns the arguments that name what a command reads. */
export function findReadArguments(command: ShellCommand): ReadArguments {
  const { program, args, flags, head } = command;
  const none: ReadArguments = { surely: [], perhaps: [], files: false };
  // A path that is missing already is what a deletion wants.
  if (namesThingsElsewhere(command) || deletes(command)) return none;
  if (isMaker(command)) return { ...none, surely: sourcesOf(command) };
  if (program === "find") return { ...none, surely: rootsOf(command) };
  if (files.has(program)) return { surely: withoutNumbers(args), perhaps: [], files: program !== "." };
  if (paths.has(program)) return { ...none, surely: args };
  if (afterFirst.has(program)) {
    const given = flags.some((flag) => /^-\w*[ef]$|^--(?:regexp|file|expression)$/.test(flag));
    return { ...none, surely: given ? [] : args.slice(1), perhaps: given ? args : [] };
  }
  // Arguments after a script belong to the script.
  if (interpreters.has(program) && head === program)
    return { ...none, surely: args.slice(0, 1), perhaps: args.slice(1) };
  return { ...none, perhaps: [...args, ...command.words.flatMap(valueOf)] };
}

/** `--config=web/x.json` */
function valueOf(word: string): readonly string[] {
  const at = word.startsWith("-") ? word.indexOf("=") : -1;
  return at === -1 ? [] : [word.slice(at + 1)];
}

function withoutNumbers(args: readonly string[]): readonly string[] {
  return args.filter((arg) => !/^\+?\d+$/.test(arg));
}

function rootsOf({ words: all }: ShellCommand): readonly string[] {
  const end = all.findIndex((word, at) => at > 0 && /^[-(!]/.test(word));
  return all.slice(1, end === -1 ? undefined : end);
}

const makers = words("mkdir touch tee mktemp ln cp mv install rsync scp unzip tar curl wget");
const makingHeads = words2(
  "git clone,git init,git worktree add,git mv,npm init,npm create,cargo new,cargo init,go mod,gh repo",
);

function words2(text: string): ReadonlySet<string> {
  return new Set(text.split(","));
}

function isMaker({ program, head }: ShellCommand): boolean {
  return makers.has(program) || makingHeads.has(head);
}

function sourcesOf({ program, args }: ShellCommand): readonly string[] {
  return program === "cp" || program === "mv" ? args.slice(0, -1) : [];
}

/** Returns the paths that a command creates, as written. */
export function findCreatedPaths(command: ShellCommand): readonly string[] {
  const { program, args } = command;
  if (!isMaker(command)) return outputsOf(command);
  return program === "cp" || program === "mv" ? args.slice(-1) : [...args, ...outputsOf(command)];
}

/** `-o bin/x`, `--output x`. */
function outputsOf({ words: all }: ShellCommand): readonly string[] {
  return all.flatMap((word, at) => (/^(?:-o|-O|--out(?:put|file|dir)?)$/.test(word) ? (all[at + 1] ?? []) : []));
}
