import type { ShellCommand } from "../shell/command.ts";

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

/** These leave everything as it was: what was not there before is not there behind them. */
export const readOnlyPrograms: ReadonlySet<string> = words(
  "cat ls head tail grep egrep fgrep rg find fd wc stat file which echo printf pwd sort uniq cut tree diff less more du df env printenv cd true date sleep jq nl tac whoami basename dirname realpath readlink set",
);

/** Every word that is no flag is a file. */
const files = words("cat head tail wc less more nl tac sort uniq cut file xxd od md5sum sha256sum jq bat source .");
/** Every word is a file or a folder. */
const paths = words("ls stat du tree cd pushd rm rmdir chmod chown realpath diff");
/** The first word is what is done, the others are where. */
const afterFirst = words("grep egrep fgrep rg ag sed awk gawk");
const interpreters = words("node nodejs python python2 python3 bash sh zsh ruby perl php tsx ts-node deno bun pytest");

/** These name what is on another machine, or in a container: this disk says nothing of it. */
const elsewhere = words(
  "ssh scp sftp rsync mosh docker docker-compose podman nerdctl kubectl oc vagrant adb wsl lxc incus fly flyctl heroku gcloud aws az",
);

export interface ReadArguments {
  readonly surely: readonly string[];
  /** Of a program that nobody described: it may read or make them. */
  readonly perhaps: readonly string[];
  /** They are to be files, not folders. */
  readonly files: boolean;
}

/** The words of a command that name what it reads. */
export function findReadArguments(command: ShellCommand): ReadArguments {
  const { program, args, flags, head } = command;
  const none: ReadArguments = { surely: [], perhaps: [], files: false };
  if (elsewhere.has(program)) return none;
  if (isMaker(command)) return { ...none, surely: sourcesOf(command) };
  if (program === "rm" && flags.some((flag) => /^-\w*f|^--force$/.test(flag))) return none;
  if (program === "find") return { ...none, surely: rootsOf(command) };
  if (files.has(program)) return { surely: withoutNumbers(args), perhaps: [], files: program !== "." };
  if (paths.has(program)) return { ...none, surely: args };
  if (afterFirst.has(program)) {
    const given = flags.some((flag) => /^-\w*[ef]$|^--(?:regexp|file|expression)$/.test(flag));
    return { ...none, surely: given ? [] : args.slice(1), perhaps: given ? args : [] };
  }
  // What stands behind a script is the script's own.
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

/** What it makes, as written. */
export function findCreatedPaths(command: ShellCommand): readonly string[] {
  const { program, args } = command;
  if (!isMaker(command)) return outputsOf(command);
  return program === "cp" || program === "mv" ? args.slice(-1) : [...args, ...outputsOf(command)];
}

/** `-o bin/x`, `--output x`. */
function outputsOf({ words: all }: ShellCommand): readonly string[] {
  return all.flatMap((word, at) => (/^(?:-o|-O|--out(?:put|file|dir)?)$/.test(word) ? (all[at + 1] ?? []) : []));
}
