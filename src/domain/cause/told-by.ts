import { isScript } from "../shell/programs.ts";
import { NAMES_ITS_FOLDER } from "../shell/traits.ts";
import { cannotStart, changed, isFolder, unread } from "../rule/situation.ts";
import { type Cause, isOption } from "./cause.ts";

/** Which failures are of one cause: the same kind, and of the same thing where the thing is what is wrong. */
export function causeKey(cause: Cause, head: string | null): string {
  const { kind, thing } = cause;
  if (isAbsent(cause, head)) return `absent ${absentOf(cause)}`;
  return namesThing.has(kind) ? `${kind} ${thing ?? ""}` : kind;
}

const namesThing: ReadonlySet<string> = new Set([
  "unknown-option",
  "unknown-subcommand",
  "unknown-script",
  "unknown-skill",
  "unknown-agent",
  "unknown-field",
  "missing-module",
]);

/** Nobody means to do it, so that nobody can be told to do something else; or it is of one text, which the next call does not have. */
export function isByAccident({ kind }: Cause): boolean {
  return accidents.has(kind);
}

const accidents: ReadonlySet<string> = new Set(["no-change", "nothing-to-do", "text-not-found", "not-unique"]);

/** A program that is not there, whether it was called by its name, by a path or as a module. */
export function isAbsent({ kind, thing, blamed }: Cause, head: string | null): boolean {
  if (thing === null) return false;
  const of = blamed ?? head ?? "";
  if (kind === "missing-program") return of.split(" ", 1)[0] === baseOf(thing);
  if (kind === "missing-module") return of.split(" ").slice(1).join(" ") === `-m ${moduleOf(thing)}`;
  return (
    kind === "missing-path" && (of === baseOf(thing) || (isScript(thing) && of.split(" ", 1)[0] === baseOf(thing)))
  );
}

export function absentOf({ kind, thing }: Cause): string {
  return kind === "missing-module" ? moduleOf(thing ?? "") : baseOf(thing ?? "");
}

function moduleOf(thing: string): string {
  return thing.split(".")[0] ?? thing;
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * What a call of this cause has, told from the call alone: the option that is not known, the file that was not read; where
 * several things tell it, each. An empty list among them: the command itself is what fails. None: the cause says nothing of
 * the call, so that it has to be looked for.
 */
export function certainTraits(
  cause: Cause,
  head: string | null,
  traits: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const { kind, thing } = cause;
  if (isAbsent(cause, head)) return [[]];
  const one = (is: (trait: string) => boolean): readonly (readonly string[])[] => {
    const found = [...traits].filter(is).toSorted();
    return found.length === 0 ? [] : [found.slice(0, 1)];
  };
  switch (kind) {
    case "unknown-option":
      return one((trait) => trait.startsWith("flag ") && isOption(trait.slice("flag ".length), thing ?? ""));
    case "unknown-subcommand":
    case "unknown-script":
      return (head ?? "").split(" ").includes(thing ?? "") ? [[]] : one((trait) => trait === `arg ${thing}`);
    case "unknown-skill":
    case "unknown-agent":
      return one((trait) => trait.endsWith(`=${thing}`));
    case "not-read":
      return one((trait) => trait === unread);
    case "changed-since-read":
      return one((trait) => trait === changed);
    case "no-change":
      return one((trait) => trait === "old_string is new_string");
    case "is-folder":
      return [...one((trait) => trait === isFolder), ...one((trait) => trait === "no extension")];
    case "missing-program":
      return one((trait) => trait === cannotStart);
    case "wrong-folder":
      return one((trait) => trait === NAMES_ITS_FOLDER);
    default:
      return [];
  }
}

/**
 * What else may tell such calls from those that worked. What only happened to come before them explains nothing where the
 * cause is known, and a path that was guessed is wrong as a whole or not at all.
 */
export function mayTell(cause: Cause | null, head: string | null): (trait: string) => boolean {
  if (cause === null) return () => true;
  const pattern = isAbsent(cause, head) ? places : (byKind.get(cause.kind) ?? ofTheCall);
  return (trait) => pattern.test(trait);
}

const places = /^(?:program|under|in|enters) /;
const ofTheCall =
  /^(?:flag|arg|extension|field|program|under|in|enters) |^\w+=|^(?:block after a semicolon|argument of many|names the folder it is in)/;
const whole = /^(?:arg|program) |^\w+=/;
const nothing = /^$/;

const byKind: ReadonlyMap<Cause["kind"], RegExp> = new Map([
  ["missing-path", whole],
  ["missing-module", whole],
  ["missing-ref", whole],
  ["missing-program", nothing],
  ["unknown-option", places],
  ["unknown-subcommand", places],
  ["unknown-script", places],
  ["unknown-skill", nothing],
  ["unknown-agent", nothing],
  ["not-read", nothing],
  ["changed-since-read", nothing],
  ["no-change", nothing],
  ["is-folder", nothing],
  ["behind-remote", /^(?:flag|arg|after) /],
  ["not-running", /^(?:flag|arg|extension|field|program|in|enters) |^\w+=|nothing started/],
  ["timed-out", /^(?:flag|arg|below) |^\w+=/],
]);
