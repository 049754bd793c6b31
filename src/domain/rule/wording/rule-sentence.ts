import { CALL_TRAIT, IN_ENVIRONMENT, NAMES_ITS_FOLDER } from "../../shell/traits.ts";
import { SETS_TRAIT } from "../../shell/variables.ts";
import { anySubcommand } from "../matching/matcher.ts";
import type { Matcher, Scope } from "../rule.ts";
import { ANY_EDIT } from "../../shell/step.ts";
import { inlineCode, describeTool, asToolName } from "../../text/tool-name.ts";
import {
  cannotStartTrait,
  changedTrait,
  failedBeforeTrait,
  headFailingTrait,
  folderPathTrait,
  nothingStartedTrait,
  unreadTrait,
  untestedTrait,
} from "../matching/situation.ts";

export interface RuleSentenceInput {
  readonly matcher: Matcher;
  readonly scope: Scope;
  readonly failed: number;
  readonly fired: number;
  readonly remedy: {
    readonly command: string | null;
    readonly through: string | null;
    readonly first?: string | null;
  } | null;
  readonly examples?: Examples;
}

/** For traits with masked numbers: one unmasked example each. */
export type Examples = ReadonlyMap<string, string>;

/**
 * The sentence of a rule whose cause is unknown: what to do, what failed, and how often. Made only from what the agent
 * did, never from a tool's output, which is someone else's text.
 */
export function ruleSentence({ matcher, scope, failed, fired, remedy, examples }: RuleSentenceInput): string {
  const what = describeMatcher(withOneLack(matcher), examples);
  const count = `(failed ${failed} of ${fired})`;
  const here = scope.kind === "workspace" ? " here" : "";
  if (remedy?.first != null)
    return `Run ${inlineCode(remedy.first)} before ${describeMatcher({ ...matcher, lacks: [] }, examples)}${here}: its error asks for it ${count}.`;
  if (remedy?.command != null) {
    // The command itself says what comes first.
    const lacks = (matcher.lacks ?? []).filter((trait) => !trait.startsWith("after "));
    const fails = describeMatcher(withOneLack({ ...matcher, lacks }), examples);
    return `Use ${inlineCode(remedy.command)}${here}: ${fails} does not work ${count}.`;
  }
  for (const trait of matcher.has ?? []) {
    const advised = advice.get(trait);
    if (advised !== undefined) return `${advised(describeMatcher(without(matcher, trait), examples))} ${count}.`;
  }
  const through = listToolsBetween(remedy);
  if (through.length > 0)
    return `Use ${through.map(describeTool).join(", ")} before ${what}: ${what} alone does not work ${count}.`;
  const variable = findLackedVariable(matcher);
  if (variable !== null)
    return variableSentence(variable, { what: describeMatcher({ ...matcher, lacks: [] }, examples), here, count });
  const lacking = describeLacking(matcher, examples);
  if (lacking !== null) return `${lacking}${here}: without it, the call fails ${count}.`;
  return `Unknown cause: ${what} fails${here} ${count}.`;
}

/** Without what they lack if that is several things: "without `-a` without `-b`" says nothing. */
function withOneLack(matcher: Matcher): Matcher {
  return (matcher.lacks ?? []).length > 1 ? { ...matcher, lacks: [] } : matcher;
}

/** True if its sentence tells an agent what to do. If not, it is only for the owner. */
export function saysWhatToDo({ matcher, remedy }: Pick<RuleSentenceInput, "matcher" | "remedy">): boolean {
  return (
    remedy?.command != null ||
    remedy?.first != null ||
    (matcher.has ?? []).some((trait) => advice.has(trait)) ||
    listToolsBetween(remedy).length > 0 ||
    findLackedVariable(matcher) !== null ||
    describeLacking(matcher) !== null
  );
}

/** The variable that only the calls that worked had set. */
function findLackedVariable({ lacks = [] }: Matcher): string | null {
  const [trait = "", ...others] = lacks;
  return others.length === 0 && trait.startsWith(SETS_TRAIT) ? trait.slice(SETS_TRAIT.length) : null;
}

/** Names a variable without telling to set it: it may say yes to a question, or choose a customer. */
export function variableSentence(
  variable: string,
  { what, here, count }: { readonly what: string; readonly here: string; readonly count: string },
): string {
  return `${what} asks for the variable ${inlineCode(variable)}${here}; whether and how to set it is the user's decision ${count}.`;
}

function listToolsBetween(remedy: RuleSentenceInput["remedy"]): readonly string[] {
  return remedy?.through?.split(", ").filter((name) => asToolName(name) !== null) ?? [];
}

/** What only the calls that worked had, as advice: "Use `--install` with `helm upgrade`". */
function describeLacking(matcher: Matcher, examples?: Examples): string | null {
  const [trait = "", ...others] = matcher.lacks ?? [];
  if (others.length > 0) return null;
  const what = describeMatcher({ ...matcher, lacks: [] }, examples);
  const [kind, rest] = [trait.split(" ", 1)[0] ?? "", inlineCode(trait.slice(trait.indexOf(" ") + 1))];
  if (kind === "flag") return `Use ${rest} with ${what}`;
  if (kind === "after") return `Run ${rest} before ${what}`;
  if (kind === "under") return `Run ${what} under ${rest}`;
  if (kind === "program") return `Run ${what} as ${rest}`;
  return null;
}

function without(matcher: Matcher, trait: string): Matcher {
  return { ...matcher, has: matcher.has?.filter((one) => one !== trait) ?? [] };
}

/** The matcher in words: "`git push` with `--force` in `web`". */
export function describeMatcher(given: Matcher, examples: Examples = new Map()): string {
  const matcher = withJoinedOptions(withTypedProgram(withWholeCall(given)), examples);
  const base =
    matcher.command !== undefined || matcher.runs !== undefined
      ? inlineCode(matcher.command ?? matcher.runs ?? "")
      : matcher.tool === "shell"
        ? matcher.head === undefined
          ? "a shell command"
          : eachHead(matcher).map(inlineCode).join(" or ")
        : matcher.tool === ANY_EDIT
          ? "an edit"
          : describeTool(matcher.tool);
  const has = (matcher.has ?? []).map((trait) => {
    const example = examples.get(trait);
    return example === undefined ? describeTrait(trait, true) : exampleInWords(example);
  });
  const lacks = (matcher.lacks ?? []).map((trait) => describeTrait(trait, false));
  return [base, ...joinAlike(has, "with"), ...joinAlike(lacks, "without")].join(" ");
}

/** "without `-b`, `-B` and `-c`" instead of three times "without". Other parts stay as they are, behind them. */
function joinAlike(parts: readonly string[], word: string): readonly string[] {
  const alike = parts.filter((part) => part.startsWith(`${word} `) && /^`[^`]+`$/.test(part.slice(word.length + 1)));
  if (alike.length < 2) return parts;
  const names = alike.map((part) => part.slice(word.length + 1));
  const joined = `${word} ${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
  return [joined, ...parts.filter((part) => !alike.includes(part))];
}

/**
 * Two or more options whose values differ are written into the command: `render --month … --tenant …`. One is shown with
 * an example instead.
 */
function withJoinedOptions(matcher: Matcher, examples: Examples): Matcher {
  const options = (matcher.has ?? []).flatMap((trait) => {
    const [, option] = /^arg (--?[A-Za-z][\w-]*) /.exec(examples.get(trait) ?? "") ?? [];
    return option === undefined ? [] : [{ trait, option }];
  });
  if (options.length < 2 || matcher.head === undefined) return matcher;
  const behind = options.map(({ option }) => `${option} …`).join(" ");
  const [head = "", ...heads] = eachHead(matcher).map((one) => `${one} ${behind}`);
  const has = (matcher.has ?? []).filter((trait) => !options.some((one) => one.trait === trait));
  return { ...matcher, head, heads, has };
}

/** All commands that a sentence is about, because its count is that of all of them. */
export function eachHead({ head, heads = [] }: Matcher): readonly string[] {
  return head === undefined ? [] : [head, ...heads];
}

/** If the rule is about one call, shows that call, behind what starts its script: `python3 tools/dye.py mix red`. */
function withWholeCall(matcher: Matcher): Matcher {
  const trait = matcher.has?.find((one) => one.startsWith(CALL_TRAIT));
  if (trait === undefined) return matcher;
  const call = trait.slice(CALL_TRAIT.length);
  const words = matcher.head?.split(" ") ?? [];
  const start = words.slice(0, Math.max(0, words.indexOf(call.split(" ", 1)[0] ?? "")));
  return { ...without(matcher, trait), head: [...start, call].join(" "), heads: [] };
}

/** If the calls ran the program by its path, shows the head as typed: `bin/serve up` for `serve up`. */
function withTypedProgram(matcher: Matcher): Matcher {
  const typed = matcher.has?.find((trait) => trait.startsWith("program "))?.slice("program ".length);
  const words = matcher.head?.split(" ") ?? [];
  const [program = ""] = words;
  if (typed !== undefined && words.includes(typed)) return without(matcher, `program ${typed}`);
  if (typed === undefined || !typed.endsWith(`/${program}`)) return matcher;
  const [head = "", ...heads] = eachHead(matcher).map((one) =>
    one === program || one.startsWith(`${program} `) ? typed + one.slice(program.length) : one,
  );
  return { ...without(matcher, `program ${typed}`), head, heads };
}

const advice: ReadonlyMap<string, (what: string) => string> = new Map<string, (what: string) => string>([
  [unreadTrait, (what) => `Read a file before you edit it: ${what} of a file not read in the session does not work`],
  [
    changedTrait,
    (what) => `Read the file again before you edit it: ${what} of a file changed since it was read does not work`,
  ],
  [failedBeforeTrait, (what) => `Change something before you repeat ${what}: the same call fails again`],
  [headFailingTrait, (what) => `Change something before you run ${what} again: it fails again`],
  [untestedTrait, (what) => `Run the tests before ${what}: with untested edits it does not work`],
  [nothingStartedTrait, (what) => `Start the server before ${what}: with nothing started it does not work`],
  ["old_string is new_string", (what) => `Change the text in an edit: ${what} refuses a new text equal to the old one`],
  [
    "block after a semicolon",
    (what) =>
      `For code with \`class\`, \`def\` or \`for\`, give ${what.replace(/`$/, " -c`")} several lines, or use a heredoc: behind a semicolon these are syntax errors`,
  ],
]);

const states: ReadonlyMap<string, string> = new Map([
  [unreadTrait, "of a file not read in the session"],
  [changedTrait, "of a file changed since it was read"],
  [failedBeforeTrait, "repeated after it failed, with nothing changed"],
  [headFailingTrait, "run again after it failed"],
  [untestedTrait, "with edits that were not tested"],
  [folderPathTrait, "of a folder"],
  [nothingStartedTrait, "with nothing started"],
  [cannotStartTrait, "after it could not start"],
]);

const prose: ReadonlyMap<string, string> = new Map([
  ["block after a semicolon", "a block after a semicolon"],
  ["argument of many lines", "an argument of many lines"],
  ["argument of many words", "an argument of many words"],
]);

function exampleInWords(trait: string): string {
  const [, kind = "", rest = ""] = /^(\w+)[ =]([^]*)$/.exec(trait) ?? [];
  if (kind === "arg") return `with an argument such as ${inlineCode(rest)}`;
  if (kind === "in") return `in a folder such as ${inlineCode(`${rest}/`)}`;
  if (kind === "enters") return `after a command such as ${inlineCode(`cd ${rest}`)}`;
  if (kind === "below") return `below a folder such as ${inlineCode(`${rest}/`)}`;
  return `with a ${inlineCode(kind)} such as ${inlineCode(rest)}`;
}

/** Without an example, a masked number is shown as `<n>`. */
function describeTrait(masked: string, there: boolean): string {
  const trait = /^(?:arg|in|enters|below) |^\w+=/.test(masked) ? masked.replaceAll("#", "<n>") : masked;
  const state = states.get(trait);
  if (state !== undefined) return there ? state : `not ${state}`;
  if (trait === anySubcommand) return trait;
  if (trait === IN_ENVIRONMENT) return there ? trait : "outside a virtual environment";
  if (trait === "old_string is new_string") return there ? "that changes nothing" : "that changes something";
  const [kind, rest] = [trait.split(" ", 1)[0] ?? "", trait.slice(trait.indexOf(" ") + 1)];
  const word = there ? "with" : "without";
  if (kind === "flag" || kind === "arg") return `${word} ${inlineCode(rest)}`;
  if (kind === "script") return describeTrait(trait.slice("script ".length), there);
  if (trait === "in .") return there ? "in the workspace root" : "outside the workspace root";
  if (kind === "in") return there ? `in ${inlineCode(`${rest}/`)}` : `outside ${inlineCode(rest)}`;
  if (trait === "enters where it is") return there ? "after a `cd` into the folder it is in" : "without such a `cd`";
  if (kind === "enters") return there ? `after ${inlineCode(`cd ${rest}`)}` : `without ${inlineCode(`cd ${rest}`)}`;
  if (kind === "program") return there ? `run as ${inlineCode(rest)}` : `not run as ${inlineCode(rest)}`;
  if (kind === "under") return there ? `under ${inlineCode(rest)}` : `not under ${inlineCode(rest)}`;
  if (kind === "extension")
    return there ? `of a ${inlineCode(rest)} file` : `of a file that is not ${inlineCode(rest)}`;
  if (kind === "sets") return `${word} ${inlineCode(rest)} set`;
  if (kind === "address") return there ? `to ${inlineCode(rest)}` : `not to ${inlineCode(rest)}`;
  if (kind === "after") return there ? `after ${inlineCode(rest)}` : `without ${inlineCode(rest)} before it`;
  if (kind === "below") return there ? `below ${inlineCode(`${rest}/`)}` : `outside ${inlineCode(`${rest}/`)}`;
  if (kind === "writes") return there ? `that writes ${inlineCode(rest)}` : `that does not write ${inlineCode(rest)}`;
  if (kind === "field") return `${word} ${inlineCode(rest)}`;
  if (trait === NAMES_ITS_FOLDER)
    return there ? "with a path that names the folder it is in" : "with a path from where it is";
  if (prose.has(trait)) return `${word} ${prose.get(trait) ?? ""}`;
  if (trait === "no extension") return there ? "of a path without extension" : "of a path with an extension";
  return `${word} ${inlineCode(trait)}`;
}
