import { isOfPerson, isOfValues } from "../../domain/cause/blame.ts";
import { hasOneMoreName } from "../../domain/text/like-path.ts";
import { maskNumbers } from "../../domain/shell/traits.ts";
import { groupBy } from "../../lib/group-by.ts";
import { typedName } from "./by-script.ts";
import type { FoundCause, GroupTry } from "./find-causes.ts";
import type { Remedy } from "./find-remedy.ts";

/** In how many sessions something must have worked to be said. */
const MIN_SESSIONS = 2;

/**
 * What worked with the same command, by the name to call it: another option soon after the one that is not known, or an argument of nearly the same
 * path. Both are read off the calls themselves, so also where a pipe hid that the first had failed.
 */
export function findNearbyCommand(
  found: FoundCause,
  tries: readonly GroupTry[],
  { within, name }: { readonly within: number; readonly name: string | undefined },
): { readonly command: string; readonly isExample: boolean } | null {
  const kind = found.cause?.kind ?? null;
  if (name === undefined || isOfPerson(kind) || found.condition.lacks.length > 0 || found.condition.has.length !== 1)
    return null;
  const [trait = ""] = found.condition.has;
  const worked = tries.filter((one) => !one.failed && found.heads.includes(one.head ?? ""));
  if (trait.startsWith("flag ")) {
    const failed = tries.filter((one) => one.failed && one.traits.has(trait));
    const uses = failed.flatMap((one) => listOptionsAfter(one, worked, within));
    const flag = pickUsual(uses);
    return flag === null ? null : { command: `${nameIn(uses, flag) ?? name} ${flag}`, isExample: false };
  }
  if (!trait.startsWith("arg ") || !isOfValues(kind)) return null;
  // Compared by their shape: the numbers are of each case.
  const path = maskNumbers(trait.slice("arg ".length));
  const like = worked.flatMap((one) =>
    listNamedTraits(one, "arg ").flatMap((said) =>
      hasOneMoreName(path, maskNumbers(said)) ? [{ said, session: one.session, name: typedName(one) }] : [],
    ),
  );
  const shape = pickUsual(like.map((one) => ({ ...one, said: maskNumbers(one.said) })));
  if (shape === null) return null;
  const typed = new Set(like.flatMap(({ said }) => (said !== shape && maskNumbers(said) === shape ? [said] : [])));
  const said = [...typed].at(-1) ?? shape;
  return { command: `${nameIn(like, said) ?? name} ${said}`, isExample: typed.size > 1 };
}

/** The option that the program itself offers for the one it does not know, unless that failed as well. */
export function findOfferedOption(
  found: FoundCause,
  tries: readonly GroupTry[],
  name: string | undefined,
): Remedy | null {
  if (name === undefined || found.cause?.kind !== "unknown-option") return null;
  const offers = tries.flatMap((one) => {
    const { failed, cause, session } = one;
    const isOffer = failed && cause !== null && cause.thing === found.cause?.thing;
    return isOffer && /^--?[a-z][\w-]{0,39}$/i.test(cause.hint ?? "")
      ? [{ said: cause.hint ?? "", session, name: typedName(one) }]
      : [];
  });
  const offered = pickUsual(offers);
  if (offered === null || tries.some((one) => one.failed && one.traits.has(`flag ${offered}`))) return null;
  return { command: `${nameIn(offers, offered) ?? name} ${offered}`, tool: null, value: null, through: null };
}

interface OptionUse {
  readonly said: string;
  readonly session: string;
  /** The command that it was given to, as it was typed. */
  readonly name: string | null;
}

/** What it was last given to, so that the remedy can be run. */
function nameIn(uses: readonly OptionUse[], said: string): string | null {
  return uses.findLast((one) => one.said === said)?.name ?? null;
}

/** The options of the next call that worked, as far as the failing one had not had them. */
function listOptionsAfter(failed: GroupTry, worked: readonly GroupTry[], within: number): readonly OptionUse[] {
  const next = worked.find(
    ({ session, event }) =>
      session === failed.session && event.seq > failed.event.seq && event.seq <= failed.event.seq + within,
  );
  const flags =
    next === undefined ? [] : listNamedTraits(next, "flag ").filter((flag) => !failed.traits.has(`flag ${flag}`));
  // That a word took the place of a word says something; that a letter took the place of a letter does not.
  return flags.length === 1 && flags[0]?.startsWith("--")
    ? [{ said: flags[0], session: failed.session, name: next === undefined ? null : typedName(next) }]
    : [];
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
