import { NAMES_ITS_FOLDER } from "../shell/traits.ts";
import { anySubcommand } from "./matcher.ts";
import type { Matcher, Scope } from "./rule.ts";
import { ANY_EDIT } from "../shell/step.ts";
import { code, toolInWords, toolName } from "../text/tool-name.ts";
import {
  cannotStart,
  changed,
  failedBefore,
  headFailing,
  isFolder,
  nothingStarted,
  unread,
  untested,
} from "./situation.ts";

export interface Told {
  readonly matcher: Matcher;
  readonly scope: Scope;
  readonly failed: number;
  readonly fired: number;
  readonly remedy: { readonly command: string | null; readonly through: string | null } | null;
  readonly examples?: Examples;
}

/** Of traits whose numbers are masked since they differ from call to call, one as it was. */
export type Examples = ReadonlyMap<string, string>;

/**
 * The sentence of a rule whose cause is not known: what to do, what failed, and how often. It is made of what the agent did,
 * never of a tool's output: that is somebody else's text.
 */
export function ruleSentence({ matcher, scope, failed, fired, remedy, examples }: Told): string {
  const what = inWords(matcher, examples);
  const count = `(failed ${failed} of ${fired})`;
  const here = scope.kind === "workspace" ? " here" : "";
  if (remedy?.command != null) return `Use ${code(remedy.command)}${here}: ${what} does not work ${count}.`;
  for (const trait of matcher.has ?? []) {
    const advised = advice.get(trait);
    if (advised !== undefined) return `${advised(inWords(without(matcher, trait), examples))} ${count}.`;
  }
  const through = remedy?.through?.split(", ").filter((name) => toolName(name) !== null) ?? [];
  if (through.length > 0)
    return `Use ${through.map(toolInWords).join(", ")} before ${what}: ${what} alone does not work ${count}.`;
  return `Do not ${matcher.tool === "shell" ? "run" : "use"} ${what}${here}: it does not work ${count}.`;
}

function without(matcher: Matcher, trait: string): Matcher {
  return { ...matcher, has: matcher.has?.filter((one) => one !== trait) ?? [] };
}

/** The matcher as a person would say it: "`git push` with `--force` in `web`". */
export function inWords(matcher: Matcher, examples: Examples = new Map()): string {
  const base =
    matcher.command !== undefined || matcher.runs !== undefined
      ? code(matcher.command ?? matcher.runs ?? "")
      : matcher.tool === "shell"
        ? matcher.head === undefined
          ? "a shell command"
          : code(matcher.head)
        : matcher.tool === ANY_EDIT
          ? "an edit"
          : toolInWords(matcher.tool);
  const parts = [
    ...(matcher.has ?? []).map((trait) => {
      const example = examples.get(trait);
      return example === undefined ? traitInWords(trait, true) : exampleInWords(example);
    }),
    ...(matcher.lacks ?? []).map((trait) => traitInWords(trait, false)),
  ];
  return [base, ...parts].join(" ");
}

const advice: ReadonlyMap<string, (what: string) => string> = new Map<string, (what: string) => string>([
  [unread, (what) => `Read a file before you edit it: ${what} of a file not read in the session does not work`],
  [
    changed,
    (what) => `Read the file again before you edit it: ${what} of a file changed since it was read does not work`,
  ],
  [failedBefore, (what) => `Change something before you repeat ${what}: the same call fails again`],
  [headFailing, (what) => `Find out why ${what} did not work before you run it again: it fails again`],
  [untested, (what) => `Run the tests before ${what}: with untested edits it does not work`],
  [nothingStarted, (what) => `Start the server before ${what}: with nothing started it does not work`],
  ["old_string is new_string", (what) => `Change the text in an edit: ${what} refuses a new text equal to the old one`],
  [
    "block after a semicolon",
    () => "Begin a `class`, `def` or `for` on a line of its own: Python takes no block after a semicolon",
  ],
]);

const states: ReadonlyMap<string, string> = new Map([
  [unread, "of a file not read in the session"],
  [changed, "of a file changed since it was read"],
  [failedBefore, "repeated after it failed, with nothing changed"],
  [headFailing, "run again after it failed"],
  [untested, "with edits that were not tested"],
  [isFolder, "of a folder"],
  [nothingStarted, "with nothing started"],
  [cannotStart, "after it could not start"],
]);

const prose: ReadonlyMap<string, string> = new Map([
  ["block after a semicolon", "a block after a semicolon"],
  ["argument of many lines", "an argument of many lines"],
  ["argument of many words", "an argument of many words"],
]);

function exampleInWords(trait: string): string {
  const [, kind = "", rest = ""] = /^(\w+)[ =]([^]*)$/.exec(trait) ?? [];
  if (kind === "arg") return `with an argument such as ${code(rest)}`;
  if (kind === "in") return `in a folder such as ${code(`${rest}/`)}`;
  if (kind === "enters") return `after a command such as ${code(`cd ${rest}`)}`;
  if (kind === "below") return `below a folder such as ${code(`${rest}/`)}`;
  return `with a ${code(kind)} such as ${code(rest)}`;
}

/** Where no call is at hand to name one as it was, a masked number says that it may be any. */
function traitInWords(masked: string, there: boolean): string {
  const trait = /^(?:arg|in|enters|below) |^\w+=/.test(masked) ? masked.replaceAll("#", "<n>") : masked;
  const state = states.get(trait);
  if (state !== undefined) return there ? state : `not ${state}`;
  if (trait === anySubcommand) return trait;
  if (trait === "old_string is new_string") return there ? "that changes nothing" : "that changes something";
  const [kind, rest] = [trait.split(" ", 1)[0] ?? "", trait.slice(trait.indexOf(" ") + 1)];
  const word = there ? "with" : "without";
  if (kind === "flag" || kind === "arg") return `${word} ${code(rest)}`;
  if (kind === "in") return there ? `in ${code(rest === "." ? "the root" : `${rest}/`)}` : `outside ${code(rest)}`;
  if (trait === "enters where it is") return there ? "after a `cd` into the folder it is in" : "without such a `cd`";
  if (kind === "enters") return there ? `after ${code(`cd ${rest}`)}` : `without ${code(`cd ${rest}`)}`;
  if (kind === "program") return there ? `run as ${code(rest)}` : `not run as ${code(rest)}`;
  if (kind === "under") return there ? `under ${code(rest)}` : `not under ${code(rest)}`;
  if (kind === "extension") return there ? `of a ${code(rest)} file` : `of something else than a ${code(rest)} file`;
  if (kind === "after") return there ? `after ${code(rest)}` : `without ${code(rest)} before it`;
  if (kind === "below") return there ? `below ${code(`${rest}/`)}` : `outside ${code(`${rest}/`)}`;
  if (kind === "writes") return there ? `that writes ${code(rest)}` : `that does not write ${code(rest)}`;
  if (kind === "field") return `${word} ${code(rest)}`;
  if (trait === NAMES_ITS_FOLDER)
    return there ? "with a path that names the folder it is in" : "with a path from where it is";
  if (prose.has(trait)) return `${word} ${prose.get(trait) ?? ""}`;
  if (trait === "no extension") return there ? "of a path without extension" : "of a path with an extension";
  return `${word} ${code(trait)}`;
}
