import { isOfPerson, isOfValues } from "../../domain/cause/blame.ts";
import { findOneMoreName, hasOneMoreName } from "../../domain/text/like-path.ts";
import { findChoices } from "../../domain/event/hint.ts";
import { findOptionRisk } from "../../domain/risk/command-risk.ts";
import { mayReplaceName, mayReplaceOption, mayReplaceValue } from "../../domain/remedy/judge-options.ts";
import { judgeRemedy } from "../../domain/remedy/remedy-law.ts";
import { isOfNewBranch } from "../../domain/rule/wording/spoken-matcher.ts";
import { findMainCommand } from "../../domain/shell/command.ts";
import { onlyShows } from "../../domain/shell/only-shows.ts";
import { asksForHelp } from "../../domain/shell/help-call.ts";
import { maskNumbers } from "../../domain/shell/traits.ts";
import { groupBy } from "../../lib/group-by.ts";
import { typedName, withSharedStart } from "./by-script.ts";
import type { FoundCause, GroupTry } from "./find-causes.ts";
import type { Remedy } from "./find-remedy.ts";
import { lineOf } from "./taught-traits.ts";

/** A remedy must have worked in at least this many sessions. */
const MIN_SESSIONS = 2;

/**
 * What worked with the same command: another option soon after the unknown one, or an argument with almost
 * the same path. Compares the calls themselves, so it also works if a pipe hid the first failure.
 */
export function findNearbyCommand(
  found: FoundCause,
  tries: readonly GroupTry[],
  { within, name }: { readonly within: number; readonly name: string | undefined },
): { readonly command: string; readonly isExample: boolean } | null {
  const kind = found.cause?.kind ?? null;
  const isOfMore = found.condition.lacks.some((one) => !isOfNewBranch(one, found.heads[0] ?? null));
  if (name === undefined || isOfPerson(kind) || isOfMore || found.condition.has.length !== 1) return null;
  const [trait = ""] = found.condition.has;
  const worked = tries.filter((one) => hasDoneWork(one) && found.heads.includes(one.head ?? ""));
  if (trait.startsWith("flag ")) {
    const failed = tries.filter((one) => one.failed && one.traits.has(trait));
    const uses = failed.flatMap((one) => listOptionsAfter(one, worked, within));
    const flag = pickUsual(uses);
    return flag === null ? null : { command: `${nameIn(uses, flag) ?? name} ${flag}`, isExample: false };
  }
  if (!trait.startsWith("arg ") || !isOfValues(kind)) return null;
  if (kind === "unknown-value") return findOfferedValue(trait, tries, worked);
  // Compared with masked numbers, because numbers differ from case to case.
  const path = maskNumbers(trait.slice("arg ".length));
  const like = worked.flatMap((one) =>
    listNamedTraits(one, "arg ").flatMap((said) =>
      hasOneMoreName(path, maskNumbers(said)) && mayHaveMore(path, maskNumbers(said), one)
        ? [{ said, session: one.session, name: typedName(one) }]
        : [],
    ),
  );
  const shape = pickUsual(like.map((one) => ({ ...one, said: maskNumbers(one.said) })));
  if (shape === null) return null;
  const typed = new Set(like.flatMap(({ said }) => (said !== shape && maskNumbers(said) === shape ? [said] : [])));
  const said = [...typed].at(-1) ?? shape;
  return { command: `${nameIn(like, said) ?? name} ${said}`, isExample: typed.size > 1 };
}

/** One more name is a number, or the program only asks: else the path may reach other things. */
function mayHaveMore(path: string, longer: string, one: GroupTry): boolean {
  const more = findOneMoreName(path, longer);
  const command = findMainCommand(lineOf(one));
  return more === "#" || (command !== null && onlyShows(command));
}

/** The option that the program itself suggests instead of the unknown one, unless that failed too. */
export function findOfferedOption(
  found: FoundCause,
  tries: readonly GroupTry[],
  name: string | undefined,
): Remedy | null {
  if (name === undefined || found.cause?.kind !== "unknown-option") return null;
  const offers = tries.flatMap((one) => listOffers(one, found));
  const offered = pickUsual(offers);
  if (offered === null || hasFailedWith(offered, tries)) return null;
  return { command: `${nameIn(offers, offered) ?? name} ${offered}`, tool: null, value: null, through: null };
}

/** The subcommand that the program itself suggests instead of the unknown one: `git push` for `git psuh`. */
export function findOfferedSubcommand({ cause, heads }: FoundCause, tries: readonly GroupTry[]): Remedy | null {
  if (cause?.kind !== "unknown-subcommand") return null;
  const offers = tries.flatMap(({ failed, cause: own, session, event }) =>
    failed &&
    own?.thing === cause.thing &&
    /^[a-z][\w-]*$/.test(own.hint ?? "") &&
    mayReplaceName(cause.thing ?? "", own.hint ?? "", event.error ?? "")
      ? [{ said: own.hint ?? "", session, name: null }]
      : [],
  );
  const offered = pickUsual(offers);
  const words = heads[0]?.split(" ") ?? [];
  const at = words.indexOf(cause.thing ?? "");
  if (offered === null || at < 1) return null;
  return { command: words.with(at, offered).join(" "), tool: null, value: null, through: null };
}

/** The option that was used or suggested instead of the unknown one with each of several subcommands, or null. */
export function findSharedOption(found: FoundCause, tries: readonly GroupTry[], within: number): Remedy | null {
  const [trait = ""] = found.condition.has;
  if (found.cause?.kind !== "unknown-option" || found.condition.lacks.length > 0) return null;
  const uses = tries
    .filter((one) => one.failed && one.traits.has(trait))
    .flatMap((one) => {
      const worked = tries.filter((other) => hasDoneWork(other) && other.head === one.head);
      const options = [...listOptionsAfter(one, worked, within), ...listOffers(one, found)];
      return options.map((use) => ({ ...use, head: one.head }));
    });
  const option = pickUsual(uses);
  const isSeen = found.heads.every((head) => uses.some((use) => use.head === head && use.said === option));
  if (option === null || !isSeen || hasFailedWith(option, tries)) return null;
  return { command: null, tool: null, value: null, through: null, option };
}

function listOffers(one: GroupTry, found: FoundCause): readonly OptionUse[] {
  const { failed, cause, session } = one;
  const before = findMainCommand(lineOf(one));
  const isOffer =
    failed &&
    cause !== null &&
    before !== null &&
    cause.thing === found.cause?.thing &&
    findOptionRisk(one.head ?? "", cause.hint ?? "") === null &&
    mayReplaceOption(cause.thing ?? "", cause.hint ?? "", { before, error: one.event.error ?? "" });
  return isOffer && /^(?!--help$|--version$|-h$)--?[a-z][\w-]{0,39}$/i.test(cause.hint ?? "")
    ? [{ said: cause.hint ?? "", session, name: typedName(one) }]
    : [];
}

/** A call for help works after any failure. */
function hasDoneWork(one: GroupTry): boolean {
  return !one.failed && !asksForHelp(lineOf(one));
}

function hasFailedWith(option: string, tries: readonly GroupTry[]): boolean {
  return tries.some((one) => one.failed && one.traits.has(`flag ${option}`));
}

/** The value that was meant, of those that the error lists: one of several is a choice. */
function findOfferedValue(
  trait: string,
  tries: readonly GroupTry[],
  worked: readonly GroupTry[],
): { readonly command: string; readonly isExample: boolean } | null {
  const option = /^arg (-\S+ )/.exec(trait)?.[1] ?? "";
  const wrong = trait.split(" ").at(-1) ?? "";
  const offered = new Set(
    tries.flatMap((one) =>
      one.failed && one.traits.has(trait)
        ? findChoices(one.event.error ?? "").filter((value) => mayReplaceValue(wrong, value, one.event.error ?? ""))
        : [],
    ),
  );
  const uses = worked.flatMap((one) =>
    [...offered].flatMap((value) =>
      one.traits.has(`arg ${option}${value}`)
        ? [{ said: `${option}${value}`, session: one.session, name: typedName(one) }]
        : [],
    ),
  );
  const said = pickUsual(uses);
  const name = said === null ? null : nameIn(uses, said);
  return name === null ? null : { command: `${name} ${said}`, isExample: false };
}

interface OptionUse {
  readonly said: string;
  readonly session: string;
  /** The command it was used with, as typed. */
  readonly name: string | null;
}

/** The command it was last used with, so that the remedy can be run. */
function nameIn(uses: readonly OptionUse[], said: string): string | null {
  return uses.findLast((one) => one.said === said)?.name ?? null;
}

/** The option that the next working call has and the failing one lacks, if it is only one. */
function listOptionsAfter(failed: GroupTry, worked: readonly GroupTry[], within: number): readonly OptionUse[] {
  const next = worked.find(
    ({ session, event }) =>
      session === failed.session && event.seq > failed.event.seq && event.seq <= failed.event.seq + within,
  );
  const flags =
    next === undefined ? [] : listNamedTraits(next, "flag ").filter((flag) => !failed.traits.has(`flag ${flag}`));
  if (next === undefined || !isTaught(failed, next)) return [];
  return flags.length === 1 && flags[0] !== undefined && isLongOption(flags[0], failed)
    ? [{ said: flags[0], session: failed.session, name: startIn([next, failed]) }]
    : [];
}

function startIn([next, ...others]: readonly [GroupTry, ...GroupTry[]]): string | null {
  const name = typedName(next);
  return name === null ? null : withSharedStart(name, [next, ...others]);
}

/** Judged as a whole: what else the later call has may be what made it work. */
function isTaught(failed: GroupTry, next: GroupTry): boolean {
  const error = failed.event.error ?? "";
  return judgeRemedy({ failed: lineOf(failed), worked: lineOf(next), error, cwd: next.event.cwd }).isTaught;
}

/**
 * Only long options: one letter in place of another shows nothing. With one dash, `-rf` may be two letters; a program
 * whose error names a whole word such as `-outfile` reads such words as one option.
 */
function isLongOption(flag: string, { cause }: GroupTry): boolean {
  return flag.startsWith("--") || (/^-[A-Za-z][\w-]{2,}$/.test(cause?.thing ?? "") && /^-[A-Za-z][\w-]+$/.test(flag));
}

function listNamedTraits({ traits }: GroupTry, kind: string): readonly string[] {
  return [...traits].filter((trait) => trait.startsWith(kind)).map((trait) => trait.slice(kind.length));
}

function pickUsual(uses: readonly OptionUse[]): string | null {
  const [best] = [...groupBy(uses, (one) => one.said)]
    .map(([text, some]) => ({ text, sessions: new Set(some.map((one) => one.session)).size }))
    .toSorted((a, b) => b.sessions - a.sessions || (a.text < b.text ? -1 : 1));
  return best === undefined || best.sessions < MIN_SESSIONS ? null : best.text;
}
