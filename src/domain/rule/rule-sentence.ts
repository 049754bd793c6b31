import { plural } from "../../lib/text.ts";
import { anySubcommand } from "./matcher.ts";
import type { Matcher } from "./rule.ts";
import { ANY_EDIT } from "../shell/step.ts";
import { code, toolInWords, toolName } from "../text/tool-name.ts";
import { changed, failedBefore, headFailing, nothingStarted, unread, untested } from "./situation.ts";

export interface Told {
  readonly matcher: Matcher;
  readonly failed: number;
  readonly fired: number;
  readonly remedy: {
    readonly command: string | null;
    readonly through: string | null;
    readonly times: number;
    /** How its own group fared, where the remedy is another command. */
    readonly failed?: number;
    readonly worked?: number;
  } | null;
}

/** A rule's sentence, made of what the agent did and how often it failed. Never of a tool's output: that is somebody else's text. */
export function ruleSentence(told: Told): string {
  const what = inWords(told.matcher);
  const tale = `${what} failed ${told.failed} of ${plural(told.fired, "time")}`;
  const state = told.matcher.has?.map((trait) => advice.get(trait)).find((text) => text !== undefined);
  const { remedy } = told;
  if (remedy?.command != null) {
    const fared =
      remedy.worked !== undefined && remedy.failed !== undefined && remedy.worked >= remedy.times
        ? `worked ${remedy.worked} of ${remedy.worked + remedy.failed}`
        : `worked after it ${plural(remedy.times, "time")}`;
    return `Run ${code(remedy.command)} instead: ${tale}, and this ${fared}.`;
  }
  if (state !== undefined) return `${state}: ${tale}.`;
  const through = remedy?.through?.split(", ").filter((name) => toolName(name) !== null) ?? [];
  if (remedy !== null && through.length > 0)
    return `Use ${through.map(toolInWords).join(", ")} first: ${tale}, and worked after that ${plural(remedy.times, "time")}.`;
  return `Avoid ${what}: it failed ${told.failed} of ${plural(told.fired, "time")}.`;
}

/** The matcher as a person would say it: "`git push` with `--force` in `web`". */
export function inWords(matcher: Matcher): string {
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
    ...(matcher.has ?? []).map((trait) => traitInWords(trait, true)),
    ...(matcher.lacks ?? []).map((trait) => traitInWords(trait, false)),
  ];
  return [base, ...parts].join(" ");
}

const advice: ReadonlyMap<string, string> = new Map([
  [unread, "Read a file before you edit it"],
  [changed, "Read the file again before you edit it: it was changed since"],
  [failedBefore, "Do not repeat a call that failed before something was changed"],
  [headFailing, "It failed the last time: find out why before you run it again"],
  [untested, "Run the tests before you commit"],
  [nothingStarted, "Start the server first"],
  ["old_string is new_string", "Let the new text of an edit differ from the old"],
]);

const states: ReadonlyMap<string, string> = new Map([
  [unread, "of a file not read in the session"],
  [changed, "of a file changed since it was read"],
  [failedBefore, "repeated after it failed, with nothing changed"],
  [headFailing, "run again after it failed"],
  [untested, "with edits that were not tested"],
  [nothingStarted, "with nothing started"],
]);

function traitInWords(trait: string, there: boolean): string {
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
  if (trait === "no extension") return there ? "of a path without extension" : "of a path with an extension";
  return `${word} ${code(trait)}`;
}
