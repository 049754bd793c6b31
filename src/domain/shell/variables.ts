import type { ShellCommand } from "./command.ts";

/** `sets PORT` for `PORT=80`, before a command, behind `export`, or as a word of `make`. */
export const SETS_TRAIT = "sets ";

/** The call may have any variable from a file or a program, or only shows what it would run. */
export const MAY_LACK_NONE = "may lack no variable";

/** True if the call has the trait. What may come from elsewhere counts as set. */
export function hasTrait(traits: ReadonlySet<string>, trait: string): boolean {
  return traits.has(trait) || (trait.startsWith(SETS_TRAIT) && traits.has(MAY_LACK_NONE));
}

export function traitsOfSetting(word: string): readonly string[] {
  const [, name] = /^([A-Za-z_]\w*)=/.exec(word) ?? [];
  return name === undefined ? [] : [SETS_TRAIT + name];
}

/** What the words of a command set for its own run: `X=1 make`, `make label X=1`. */
export function traitsOfOwnSettings({ program, assignments, args, flags }: ShellCommand): readonly string[] {
  const own = assignments.flatMap(traitsOfSetting);
  if (!takesSettings.has(program)) return own;
  const given = args.flatMap((arg) => traitsOfSetting(arg.replace(/^(\w+)(?::{1,3}|[?+!])=/, "$1=")));
  return [...own, ...given, ...(flags.some((flag) => isDryRun(program, flag)) ? [MAY_LACK_NONE] : [])];
}

const takesSettings: ReadonlySet<string> = new Set(["make", "gmake", "just", "task", "rake"]);

/** `make -n`: it prints what it would run. */
export function isDryRun(program: string, flag: string): boolean {
  if (flag === "--dry-run" || flag === "--dry") return takesSettings.has(program);
  if (program !== "make" && program !== "gmake") return flag === "-n" && takesSettings.has(program);
  return flag === "--just-print" || flag === "--recon" || /^-[A-Za-z]*n[A-Za-z]*$/.test(flag);
}

/** What the commands before another one of the same line set for it. */
export function traitsOfEarlierSettings(before: readonly ShellCommand[]): readonly string[] {
  return before.flatMap((command) => {
    if (loadsVariables(command)) return [MAY_LACK_NONE];
    return exports(command) ? command.words.slice(1).flatMap(traitsOfExport) : [];
  });
}

function exports({ program, flags }: ShellCommand): boolean {
  return program === "export" || ((program === "declare" || program === "typeset") && flags.includes("-x"));
}

/** `export X` passes on what the line has set before. */
function traitsOfExport(word: string): readonly string[] {
  return /^[A-Za-z_]\w*$/.test(word) ? [SETS_TRAIT + word] : traitsOfSetting(word);
}

/** `source .env`, `export $(cat .env)`, `eval "$(direnv export bash)"`. A virtual environment sets only its paths. */
function loadsVariables(command: ShellCommand): boolean {
  const { program, words } = command;
  if (program === "source" || program === ".") return !/(?:^|\/)activate(?:\.\w+)?$/.test(words[1] ?? "");
  return (exports(command) ? words.slice(1) : words.slice(0, 1)).some((word) => /^(?:\$\(|`)/.test(word));
}

/** The settings that a command itself makes: `export X=1`, `make X=1`. */
export function listOwnSettings(words: readonly string[]): readonly string[] {
  const [program = "", ...rest] = words;
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (!takesSettings.has(name) && !settingBuiltins.has(name)) return [];
  return rest.filter((word) => /^[A-Za-z_]\w*(?::{1,3}|[?+!])?=/.test(word));
}

const settingBuiltins: ReadonlySet<string> = new Set(["export", "declare", "typeset"]);
