import { packageManagers } from "../event/hint.ts";
import { type Examples, describeMatcher, eachHead, variableSentence } from "../rule/wording/rule-sentence.ts";
import { cannotStartTrait } from "../rule/matching/situation.ts";
import type { Matcher, Scope } from "../rule/rule.ts";
import { toSpokenMatcher } from "../rule/wording/spoken-matcher.ts";
import { splitPackageHead } from "../shell/package-scope.ts";
import { isScript } from "../shell/programs.ts";
import { ADDRESS_TRAIT } from "../shell/traits.ts";
import { inlineCode, describeTool } from "../text/tool-name.ts";
import { scriptWordOf } from "../shell/script-runners.ts";
import { relativePathWithin } from "../workspace.ts";
import type { FailureCause } from "./cause.ts";
import { choiceSentence } from "./choice-sentence.ts";
import { joinWords, type SentenceParts, traitOf } from "./sentence-parts.ts";
import { unknownOption, unknownOptionParts } from "./unknown-option.ts";
import { isMissingProgram } from "./cause-traits.ts";
import { missingProgramParts } from "./missing-program.ts";

/** What to use instead: a command, a tool, or another name for the same tool. */
export interface Alternative {
  readonly command: string | null;
  readonly tool: string | null;
  readonly value: string | null;
  /** The first word of the command, if the rest works without it: `rtk` in `rtk bun run test`. */
  readonly without?: string | null;
  /** True if the command is one example of many, with its own numbers. */
  readonly isExample?: boolean;
  /** An option to use in place of the one that the rule is about, in any of its commands. */
  readonly option?: string | null;
  /** A command to run before the failing one, which the error names. */
  readonly first?: string | null;
}

export interface CauseSentenceInput {
  readonly cause: FailureCause;
  readonly matcher: Matcher;
  readonly scope: Scope;
  readonly failed: number;
  readonly fired: number;
  readonly instead: Alternative | null;
  readonly examples?: Examples;
  /** For a folder where a file was wanted: one of them, below the session's folder. */
  readonly folder?: string | null;
  /** For a script that is elsewhere: the paths at which it was called. */
  readonly tried?: readonly string[];
  /** True if another call of the same session found the thing that the error calls missing. */
  readonly isElsewhere?: boolean;
}

/**
 * Writes a rule's sentence: what to do, why, and how often it failed. From the error text it uses only the thing it
 * names, and only if the agent had typed it, and an option that the error suggests.
 */
export function causeSentence(given: CauseSentenceInput): string {
  const input = isWithoutOption(given) ? { ...given, instead: null } : given;
  const { instead, failed, fired, scope } = input;
  const { act, why } = input.isElsewhere === true ? foundElsewhereParts(input) : wordsOf(input);
  const here = scope.kind === "workspace" ? " here" : "";
  const count = `(failed ${failed} of ${fired})`;
  if (input.cause.kind === "unset-variable") return setVariable(input, count);
  const choice = instead === null ? choiceSentence(input, count) : null;
  if (choice !== null) return choice;
  if (instead?.first != null && !isAdvised.has(input.cause.kind))
    return `Run ${inlineCode(instead.first)} before ${formatMatcherCall({ ...input.matcher, lacks: [] }, input.examples ?? new Map())}${here}: ${why} ${count}.`;
  if (instead?.without) {
    const rest = (input.matcher.head ?? "").split(" ").slice(1).join(" ");
    const such = instead.command === null ? "" : `, such as ${inlineCode(instead.command)}`;
    return `Run ${inlineCode(rest)} without ${inlineCode(instead.without)}${here}${such}: ${why} ${count}.`;
  }
  const interpreter = findInterpreterOf(input);
  if (interpreter !== null)
    return `Run ${inlineCode(instead?.command ?? "")} directly here, not with ${inlineCode(`${interpreter} -m`)}: that Python has no ${inlineCode(input.cause.thing ?? "")} ${count}.`;
  const what = instead === null || isAdvised.has(input.cause.kind) ? null : describeAlternative(instead, input);
  if (what !== null && input.cause.kind === "unknown-skill" && instead?.command != null)
    return `Use ${what}${here}, not the skill ${inlineCode(input.cause.thing ?? "")}: there is no such skill ${count}.`;
  if (what === null && why === "") return `${act(here)} ${count}.`;
  if (what === null) return `${act(here)}: ${why} ${count}.`;
  return `Use ${what}${input.cause.kind === "is-folder" ? " for a folder" : here}: ${why} ${count}.`;
}

/** The Python that lacks a module, where the command of the same name is the remedy: `pytest` for `python3 -m pytest`. */
function findInterpreterOf({ cause, matcher, instead, scope }: CauseSentenceInput): string | null {
  const heads = eachHead(matcher);
  if (scope.kind !== "workspace" || heads.length !== 1 || instead?.command !== cause.thing || cause.thing === null)
    return null;
  const [python, module] = (heads[0] ?? "").split(" -m ");
  return python === undefined || !/^python[\d.]*$/.test(python) || module !== cause.thing
    ? null
    : (traitOf(matcher.has, "program ") ?? python);
}

/** The command without the unknown option, and perhaps without its subcommand, says only to leave the option out. */
function isWithoutOption({ cause, matcher, instead }: CauseSentenceInput): boolean {
  const command = instead?.command ?? null;
  if (cause.kind !== "unknown-option" || command === null || instead?.without != null) return false;
  return eachHead(matcher).some((head) => `${head} `.startsWith(`${command} `));
}

/** A name that exists, but not where the call looked for it. */
function foundElsewhereParts({ cause, matcher, examples = new Map() }: CauseSentenceInput): SentenceParts {
  const what = formatMatcherCall({ ...matcher, lacks: [] }, examples);
  const thing = inlineCode(cause.thing ?? "");
  return {
    act: (here) => `Check where ${thing} is before ${what}${here}`,
    why: `the call did not find ${thing}, and another one of the session did`,
  };
}

/** The same is right for every such call, whatever worked instead. */
const isAdvised: ReadonlySet<FailureCause["kind"]> = new Set([
  "no-upstream",
  "branch-exists",
  "no-environment",
  "workspace-root",
  "port-in-use",
]);

function describeAlternative(
  { command, tool, value, isExample, option }: Alternative,
  { cause, matcher }: CauseSentenceInput,
): string | null {
  if (option != null) return `${inlineCode(option)} instead of ${inlineCode(unknownOption(cause, matcher))}`;
  if (command !== null)
    return isExample === true ? `a call such as ${withoutNumbers(inlineCode(command))}` : inlineCode(command);
  if (value !== null) return inlineCode(value);
  return tool === null ? null : describeTool(tool);
}

/**
 * Numbers differ from call to call: where they are whole parts of a path, the example shows their places. The part
 * before says what a number is of: `pulls/12` is `pulls/PULL_NUMBER`.
 */
function withoutNumbers(example: string): string {
  return example.replaceAll(/(?:(\b[a-z]+)(?<!ie|[sxz]e|[cs]he|s)s)?\/\d+(?=\/|`|$)/g, (_, thing?: string) =>
    thing === undefined ? "/NUMBER" : `${thing}s/${thing.toUpperCase()}_NUMBER`,
  );
}

function wordsOf({
  cause,
  matcher,
  scope,
  failed,
  fired,
  instead,
  examples = new Map(),
  folder = null,
  tried = [],
}: CauseSentenceInput): SentenceParts {
  const what = formatMatcherCall(matcher, examples);
  const named = namedIn(matcher, scope, examples);
  const head = matcher.head ?? matcher.tool;
  const dont = (verb: string, why: string): SentenceParts => ({ act: (here) => `Do not ${verb}${here}`, why });
  const doing = (act: string, why: string): SentenceParts => ({ act: () => act, why });
  if (isMissingProgram(cause, head))
    return missingProgramParts(cause, matcher, { head, always: failed === fired, tried });
  const thing = cause.thing === null ? "of that name" : inlineCode(cause.thing);
  const tool = describeTool(matcher.tool);
  switch (cause.kind) {
    case "unknown-option":
      return unknownOptionParts({ cause, matcher, instead });
    case "missing-program":
      if (matcher.has?.includes(cannotStartTrait) === true)
        return doing(
          `Use a shell command instead of ${tool} once it could not start`,
          "its program stays missing until the session is restarted",
        );
      return dont(`use ${what}`, `a program that ${what} starts is missing`);
    case "unknown-subcommand":
      return dont(`run ${what}`, `${what} is not a command`);
    case "unknown-script": {
      const { of } = splitPackageHead(head);
      const whose = of === null ? "" : ` in ${inlineCode(of)}`;
      return dont(`run ${what}`, `there is no ${scriptWordOf(head.split(" ", 1)[0] ?? "")} ${thing}${whose}`);
    }
    case "unknown-value": {
      const given = inlineCode(traitOf(matcher.has, "arg ") ?? cause.thing ?? "");
      const names = joinWords(eachHead(matcher).map(inlineCode));
      const verb = eachHead(matcher).length > 1 ? "do" : "does";
      return dont(`use ${given} with ${names}`, `${names} ${verb} not take ${given}`);
    }
    case "unknown-skill":
      return dont(`ask for the skill ${thing}`, `there is no skill ${thing}`);
    case "unknown-agent":
      return dont(`ask for the agent ${thing}`, `there is no agent ${thing}`);
    case "not-read":
      return doing(
        "Read a file before you edit it (a few lines are enough)",
        `for ${tool}, seeing it in a search or a shell does not count`,
      );
    case "changed-since-read":
      return doing("Read the file again before you edit it", `${tool} refuses a file that changed since it was read`);
    case "no-change":
      return doing("Change the text in an edit", `${tool} refuses a new text equal to the old one`);
    case "is-folder":
      return doing(
        `List a folder${folder === null ? "" : ` such as ${inlineCode(folder)}`} with \`ls\` first, then read the files you need`,
        `${tool} cannot open a folder`,
      );
    case "wrong-folder":
      return doing(
        "Use an absolute path, or `cd` to the project's root first",
        "the shell stays in the folder of an earlier `cd`",
      );
    case "timed-out": {
      const lacking = traitOf(matcher.lacks, "flag ");
      const whole = examples.size > 0 ? "it" : formatMatcherCall({ ...matcher, lacks: [] }, examples);
      const why = `all of ${whole} takes longer than the time limit`;
      return lacking === null
        ? doing(`Run only a part of ${what}`, why)
        : doing(`Narrow the run with ${inlineCode(lacking)}`, why);
    }
    case "missing-path":
      if (named?.isExample === true && instead !== null)
        return dont(`use ${named.text}`, `there is no ${named.text}, nor others like it`);
      return named?.isExample === true
        ? dont(`use a path such as ${named.text}`, "there is no such file")
        : dont(`use ${named?.text ?? what}`, `there is no ${named?.text ?? "such file"}`);
    case "missing-module":
      if (named !== null && cause.thing?.endsWith(`/${traitOf(matcher.has, "arg ") ?? ""}`) === true)
        return dont(`run ${what}`, `there is no ${named.text}`);
      return dont(
        `run ${what}`,
        missingModule(cause, { head, always: failed === fired }) ?? `a module that ${what} needs is missing`,
      );
    case "not-on-server":
      if (named?.isExample === true) return dont(`call ${what}`, whyNotOnServer(named.text, instead));
      return dont(`call ${what}`, `the server does not know ${named?.text ?? "it"}`);
    case "not-signed-in":
      return doing(`Sign in before ${what}`, "it needs a signed-in user");
    case "not-running":
      if (/^[A-Z][a-z]+$/.test(cause.thing ?? ""))
        return doing(`Start ${cause.thing} before ${what}`, `the ${cause.thing} daemon was not running`);
      return doing(
        `Before ${what}, start the service ${traitOf(matcher.has, ADDRESS_TRAIT) === null ? "it connects to" : "there"}`,
        "nothing answered",
      );
    case "network-failed":
      return doing(`Try ${what} again later`, "the network or the server failed");
    case "port-in-use":
      return doing(otherPort(what, instead?.value ?? null), "the port was in use");
    case "behind-remote":
      return doing("Run `git pull` before `git push`", "the remote branch was ahead");
    case "unknown-name":
      return dont(`use ${thing} with ${inlineCode(head)}`, `there is no ${thing}`);
    case "no-upstream":
      return doing("Push a new branch with `git push -u origin` and its name", "it has no upstream branch");
    case "branch-exists":
      return doing("Leave out `-b` for a branch that exists", "git creates no branch twice");
    case "diverged":
      return dont(`run ${what}`, "the branch and its remote branch had diverged");
    case "no-environment":
      return doing(`Run \`uv venv\` before ${what}`, "there was no virtual environment");
    case "managed-environment":
      return doing(
        "Install into a virtual environment, such as `python3 -m venv .venv`",
        "the packages of this Python belong to the system",
      );
    case "workspace-root":
      return doing(
        "Name a package with `--filter`, or the root with `-w`",
        `${inlineCode(head)} does not guess where to add it`,
      );
    case "not-executable":
      return doing(`Run ${inlineCode(startOf(cause.thing ?? head))}`, `${thing} is not executable`);
    case "needs-value": {
      const variable = cause.thing === null ? "a required variable" : `the variable ${thing}`;
      const lacking = traitOf(matcher.lacks, "flag ");
      const call = formatMatcherCall({ ...matcher, lacks: [] }, examples);
      return doing(
        lacking === null ? `Give each variable a value for ${call}` : `Use ${inlineCode(lacking)} with ${call}`,
        `${variable} has no value`,
      );
    }
    case "wrong-program":
      return dont(`run ${what}`, whyWrongProgram(what, instead));
    case "missing-ref":
      // The remote stands between the command and the branch.
      return dont(
        /^git (?:push|pull|fetch)$/.test(head) ? `use ${thing} with ${inlineCode(head)}` : `run ${what}`,
        `git has no branch, tag, commit or file ${thing}`,
      );
    case "locked":
      return doing(`Check who holds the lock before ${what}`, describeLock(head));
    case "forbidden":
      return doing(`Ask for the permission before ${what}`, describeForbidden(cause.thing));
    case "no-permission":
      return instead === null
        ? { act: (here) => `${what} fails${here} with ‘${describeDenial(cause.thing)}’`, why: "" }
        : doing("", `${what} fails with ‘${describeDenial(cause.thing)}’`);
    case "too-large":
      return doing(
        `Read ${named === null ? "a large file" : `${named.isExample ? "a file such as " : ""}${named.text}`} in parts`,
        "the file is too large",
      );
    case "not-unique":
      return doing(`Give ${tool} more surrounding text`, "the text occurs more than once");
    case "text-not-found":
      return doing(`Read the file again before ${tool}`, "the given text is not in the file");
    case "nothing-to-do":
      return doing(`Check for changes before ${what}`, "there was nothing to do");
    case "wrong-quoting":
      return doing(`Fix the quoting of ${what}`, "the shell cannot parse it");
    case "unknown-field":
      return doing(`Ask ${inlineCode(head)} only for fields that it has`, "there is no such field");
    default:
      return dont(
        `${matcher.tool === "shell" ? "run" : "use"} ${what}`,
        reasons.get(cause.kind) ?? `${what} does not work`,
      );
  }
}

/** The script behind the program that can run it. */
function startOf(script: string): string {
  return `${starters.get(script.slice(script.lastIndexOf("."))) ?? "bash"} ${script}`;
}

const starters: ReadonlyMap<string, string> = new Map([
  [".py", "python3"],
  [".rb", "ruby"],
  [".pl", "perl"],
]);

/** The module is named only if its name is a plain one. */
function missingModule(
  { thing }: FailureCause,
  { head, always }: { readonly head: string; readonly always: boolean },
): string | null {
  const [program = ""] = head.split(" ", 1);
  if (thing === null || !/^[\w@][\w@./-]{0,59}$/.test(thing) || isScript(program)) return null;
  const word = /^R(?:script)?$/.test(program) ? "package" : "module";
  return `${inlineCode(program)} ${always ? "has" : "had"} no ${word} ${inlineCode(thing)}`;
}

/** Who holds the port may be somebody's own process. */
function otherPort(what: string, port: string | null): string {
  const such = port === null ? "" : `, such as ${inlineCode(port)}`;
  return `Use another port for ${what}${such}, or find out who holds the port, and do not stop a process that you did not start`;
}

function describeLock(head: string): string {
  return /^(?:terraform|tofu|terragrunt|pulumi)\b/.test(head)
    ? "it found the state locked"
    : "another process held the lock";
}

/** The system's own words for the error that the program named, by its code or in words. */
function describeDenial(thing: string | null): string {
  return /EPERM|not permitted/.test(thing ?? "") ? "Operation not permitted" : "Permission denied";
}

/** From `ci-bot list pods pay`. Without it, the error says only that the call is forbidden. */
function describeForbidden(thing: string | null): string {
  const [who, verb, what, where] = thing?.split(" ") ?? [];
  if (who === undefined || verb === undefined || what === undefined) return "the server forbids it";
  return `${inlineCode(who)} may not ${verb} ${inlineCode(what)}${where === undefined ? "" : ` in ${inlineCode(where)}`}`;
}

/** The variable is named only because the agent itself has set it in a call that worked. */
function setVariable({ cause, matcher, scope, instead, examples }: CauseSentenceInput, count: string): string {
  const variable = inlineCode(cause.thing ?? "");
  const what = describeMatcher({ ...matcher, lacks: [] }, examples);
  const here = scope.kind === "workspace" ? " here" : "";
  if (instead?.value == null) return variableSentence(cause.thing ?? "", { what, here, count });
  const [, plain] = /^`([^`]+)`$/.exec(what) ?? [];
  return plain === undefined
    ? `Set ${inlineCode(instead.value)} for ${what}${here}: it needs the variable ${variable} ${count}.`
    : `Run ${inlineCode(`${instead.value} ${plain}`)}${here}: it needs the variable ${variable} ${count}.`;
}

function whyWrongProgram(what: string, instead: Alternative | null): string {
  const other = instead?.command?.split(" ", 1)[0] ?? "";
  return packageManagers.includes(other)
    ? `this project uses ${inlineCode(other)}`
    : `the error of ${what} asks for another program`;
}

/** If the path that worked has more parts, the missing ones say more than the wrong path. */
function whyNotOnServer(wrong: string, instead: Alternative | null): string {
  if (instead === null) return "the server does not know it";
  const [now, before] = [instead.command ?? "", wrong].map((one) =>
    withoutNumbers(inlineCode(one.replaceAll("`", ""))),
  );
  const parts = (path = "") => path.replaceAll("`", "").split(" ").at(-1)?.split("/") ?? [];
  const missing = parts(now).filter((part) => !parts(before).includes(part));
  const kept = parts(now).filter((part) => !missing.includes(part));
  return missing.length > 0 && kept.join("/") === parts(before).join("/")
    ? `without ${joinWords(missing.map(inlineCode))}, the server does not know the path`
    : `the server does not know a path such as ${before}`;
}

const reasons: ReadonlyMap<FailureCause["kind"], string> = new Map([
  ["wrong-arguments", "it does not accept these arguments"],
  ["ignored-by-git", "git ignores these paths"],
]);

/** The path or name that the rule is about, or an example of it. */
function namedIn(
  { has = [] }: Matcher,
  scope: Scope,
  examples: Examples,
): { readonly text: string; readonly isExample: boolean } | null {
  const naming = [/^arg (.+)$/, /^program (.+)$/, /^\w+=(.+)$/].flatMap((kind) => has.filter((one) => kind.test(one)));
  const [trait] = naming;
  if (trait === undefined) return null;
  const named = (examples.get(trait) ?? trait).replace(/^(?:arg (?:-\S+ )?|program |\w+=)/, "");
  const inside = scope.kind === "workspace" ? relativePathWithin(scope.workspace, named) : null;
  return { text: inlineCode(inside === null || inside === "" ? named : inside), isExample: examples.has(trait) };
}

/** As it would be typed, if it consists only of a command, options and arguments; else a description. */
export function describeCallsOf(matcher: Matcher): string {
  return formatMatcherCall(
    toSpokenMatcher(matcher, () => true),
    new Map(),
  );
}

/** As it would be typed, if it consists only of a command, options and arguments; else a description. */
function formatMatcherCall(matcher: Matcher, examples: Examples): string {
  const { head, has = [], lacks = [] } = matcher;
  const typed = has.map((trait) => (examples.has(trait) ? null : (/^(?:flag|arg) (.+)$/.exec(trait)?.[1] ?? null)));
  if (head === undefined || typed.includes(null) || lacks.length > 0) return describeMatcher(matcher, examples);
  return eachHead(matcher)
    .map((one) => inlineCode([one, ...typed].join(" ")))
    .join(" or ");
}
