import { isScript } from "../shell/programs.ts";
import { plainPath } from "../shell/plain-path.ts";
import { isSameAddress } from "../shell/address.ts";
import { ADDRESS_TRAIT, CALL_TRAIT, NAMES_ITS_FOLDER } from "../shell/traits.ts";
import { cannotStartTrait, changedTrait, folderPathTrait, unreadTrait } from "../rule/matching/situation.ts";
import { branchCreating } from "../rule/wording/spoken-matcher.ts";
import { type FailureCause, isSameOption } from "./cause.ts";

/** Failures with equal keys have one cause: the same kind and, if the thing itself is wrong, the same thing. */
export function causeKey(cause: FailureCause, head: string | null, traits: ReadonlySet<string> = new Set()): string {
  const { kind, thing } = cause;
  const address = isOfService(kind) ? findAddressTrait(cause, traits) : null;
  if (address !== null) return `${kind} ${address}`;
  if (isMissingProgram(cause, head)) return `absent ${missingProgramName(cause)}`;
  return namesThing.has(kind) ? `${kind} ${thing ?? ""}` : kind;
}

/** True if the address identifies the cause: a failed connection says nothing about other addresses. */
export function isOfService(kind: FailureCause["kind"]): boolean {
  return kind === "not-running" || kind === "network-failed";
}

/** Returns the address that the error names, else the only one that the call names, or null. */
function findAddressTrait({ thing }: FailureCause, traits: ReadonlySet<string>): string | null {
  const named = [...traits].filter((trait) => trait.startsWith(ADDRESS_TRAIT));
  if (thing === null) return named.length === 1 ? (named[0] ?? null) : null;
  return named.find((trait) => isSameAddress(trait.slice(ADDRESS_TRAIT.length), thing)) ?? null;
}

const namesThing: ReadonlySet<string> = new Set([
  "unknown-option",
  "unknown-subcommand",
  "unknown-script",
  "unknown-skill",
  "unknown-agent",
  "unknown-field",
  "unknown-value",
  "unset-variable",
  "unknown-name",
  "missing-module",
  "forbidden",
  "needs-value",
  "wrong-program",
]);

/**
 * True if no rule can help: the call is not made on purpose, or the cause is one text that the next call does not
 * contain.
 */
export function isAccidentalCause({ kind }: FailureCause): boolean {
  return accidents.has(kind);
}

const accidents: ReadonlySet<string> = new Set(["no-change", "nothing-to-do", "text-not-found", "not-unique"]);

/** True if a program is missing, whether called by name, by path or as a module. */
export function isMissingProgram({ kind, thing, blamed }: FailureCause, head: string | null): boolean {
  if (thing === null) return false;
  const of = blamed ?? head ?? "";
  if (kind === "missing-program") return of.split(" ", 1)[0] === baseOf(thing);
  if (kind === "missing-module") return of.split(" ").slice(1).join(" ") === `-m ${moduleOf(thing)}`;
  return (
    kind === "missing-path" && (of === baseOf(thing) || (isScript(thing) && of.split(" ", 1)[0] === baseOf(thing)))
  );
}

export function missingProgramName({ kind, thing }: FailureCause): string {
  return kind === "missing-module" ? moduleOf(thing ?? "") : baseOf(thing ?? "");
}

function moduleOf(thing: string): string {
  return thing.split(".")[0] ?? thing;
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/**
 * Returns what marks a call with this cause, known from the call alone: the unknown option, the file not read. Each
 * list is one alternative. An empty list inside means that the command itself fails. No lists: the cause says nothing
 * about the call, so the traits must be mined.
 */
export function certainTraits(
  cause: FailureCause,
  head: string | null,
  traits: ReadonlySet<string>,
): readonly (readonly string[])[] {
  const { kind, thing } = cause;
  if (isMissingProgram(cause, head)) return [[]];
  const one = (is: (trait: string) => boolean): readonly (readonly string[])[] => {
    const found = [...traits].filter(is).toSorted();
    return found.length === 0 ? [] : [found.slice(0, 1)];
  };
  switch (kind) {
    case "unknown-option":
      return one((trait) => trait.startsWith("flag ") && isSameOption(trait.slice("flag ".length), thing ?? ""));
    case "unknown-name":
      return [
        ...one((trait) => trait.startsWith("arg -") && trait.endsWith(` ${thing}`)),
        ...one((trait) => trait === `arg ${thing}`),
      ].slice(0, 1);
    case "no-upstream":
      // With a remote and a branch, git asks for no upstream branch.
      return one((trait) => trait === `${CALL_TRAIT}git push`);
    case "branch-exists":
      return one((trait) => branchCreating.includes(trait));
    case "unknown-subcommand":
    case "unknown-script":
      if (thing === null) return (head ?? "").includes(" ") ? [[]] : [];
      return (head ?? "").split(" ").includes(thing ?? "") ? [[]] : one((trait) => trait === `arg ${thing}`);
    case "unknown-value":
      return [
        ...one((trait) => trait.startsWith("arg -") && trait.endsWith(` ${thing}`)),
        ...one((trait) => trait === `arg ${thing}`),
      ].slice(0, 1);
    case "missing-path":
      return head === null ? [] : one((trait) => trait === `arg ${plainPath(thing ?? "", head)}`);
    case "unknown-skill":
    case "unknown-agent":
      return one((trait) => trait.endsWith(`=${thing}`));
    case "not-read":
      return one((trait) => trait === unreadTrait);
    case "changed-since-read":
      return one((trait) => trait === changedTrait);
    case "no-change":
      return one((trait) => trait === "old_string is new_string");
    case "is-folder":
      return [...one((trait) => trait === folderPathTrait), ...one((trait) => trait === "no extension")];
    case "missing-program":
      return one((trait) => trait === cannotStartTrait);
    case "not-running":
    case "network-failed": {
      const address = findAddressTrait(cause, traits);
      return address === null ? [] : [[address]];
    }
    case "wrong-folder":
      return one((trait) => trait === NAMES_ITS_FOLDER);
    default:
      return [];
  }
}

/**
 * Returns which other traits may distinguish such calls from those that worked. If the cause is known, what came before
 * the call explains nothing, and a guessed path counts only as a whole.
 */
export function traitFilterFor(cause: FailureCause | null, head: string | null): (trait: string) => boolean {
  if (cause === null) return () => true;
  const pattern = isMissingProgram(cause, head) ? placeTraits : (byKind.get(cause.kind) ?? ofTheCall);
  return (trait) => pattern.test(trait);
}

const placeTraits = /^(?:program|under|in|enters|sets) /;
const ofTheCall =
  /^(?:flag|arg|extension|field|program|under|in|enters) |^\w+=|^(?:block after a semicolon|argument of many|names the folder it is in)/;
const whole = /^(?:arg|program) |^\w+=/;
const noTraits = /^$/;

const byKind: ReadonlyMap<FailureCause["kind"], RegExp> = new Map([
  ["missing-path", whole],
  ["missing-module", whole],
  ["missing-ref", whole],
  ["missing-program", noTraits],
  ["unknown-option", placeTraits],
  ["unknown-subcommand", placeTraits],
  ["unknown-script", placeTraits],
  ["unknown-value", placeTraits],
  ["unknown-skill", noTraits],
  ["unknown-agent", noTraits],
  ["not-read", noTraits],
  ["changed-since-read", noTraits],
  ["no-change", noTraits],
  ["is-folder", noTraits],
  ["behind-remote", /^(?:flag|arg|after) /],
  ["no-upstream", /^flag /],
  ["branch-exists", noTraits],
  ["no-environment", /^(?:flag|program|under|in|enters|sets) /],
  ["managed-environment", /^(?:flag|program|under|in|enters|sets) /],
  ["workspace-root", /^flag /],
  ["needs-value", /^flag /],
  ["unknown-name", whole],
  ["not-executable", placeTraits],
  ["not-running", /^(?:flag|arg|extension|field|program|in|enters) |^\w+=|nothing started/],
  ["timed-out", /^(?:flag|arg|below) |^\w+=/],
]);
