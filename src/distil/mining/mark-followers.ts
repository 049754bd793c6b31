import type { Context } from "../../context.ts";
import { listNamedCommands } from "../../domain/remedy/named-remedy.ts";
import { isOfState } from "../../domain/cause/blame.ts";
import { headFailingTrait, ranTrait } from "../../domain/rule/matching/situation.ts";
import { findMainCommand } from "../../domain/shell/command.ts";
import { groupBy } from "../../lib/group-by.ts";
import { readRanBefore } from "../counting/ran-before.ts";
import type { GroupTry } from "./find-causes.ts";

/**
 * Marks the calls that worked after their session had run what errors of one cause tell to run first: they followed the
 * advice, so they do not show that the command works without it. The same holds for a call that worked after it had
 * failed because of a state, such as a service that does not run: the session repaired it.
 */
export async function markFollowers(db: Context["db"], tries: readonly GroupTry[]): Promise<readonly GroupTry[]> {
  return markRepaired(await markNamedFirst(db, tries));
}

function markRepaired(tries: readonly GroupTry[]): readonly GroupTry[] {
  const keys = tries.flatMap((one) => (one.failed && isOfState(one.cause?.kind ?? null) ? [one.key] : []));
  if (keys.length === 0) return tries;
  return tries.map((one) =>
    one.failed || !one.traits.has(headFailingTrait)
      ? one
      : { ...one, follows: new Set([...(one.follows ?? []), ...keys]) },
  );
}

async function markNamedFirst(db: Context["db"], tries: readonly GroupTry[]): Promise<readonly GroupTry[]> {
  const failed = tries.filter((one) => one.failed && one.head !== null);
  const heads = new Set(failed.map((one) => one.head));
  const causes = new Map<string, Set<string>>();
  for (const [one] of groupBy(failed, ({ key, event }) => `${key} ${event.signature}`).values())
    for (const command of listNamedCommands(one?.event.error ?? "")) {
      const head = findMainCommand(command)?.head;
      if (one === undefined || head === undefined || heads.has(head)) continue;
      causes.set(ranTrait(head), (causes.get(ranTrait(head)) ?? new Set()).add(one.key));
    }
  if (causes.size === 0) return tries;
  const ranBefore = await readRanBefore(db, [...causes.keys()]);
  return tries.map((one) => {
    const ran = one.failed ? [] : ranBefore(one.event);
    return ran.length === 0
      ? one
      : { ...one, follows: new Set(ran.flatMap((trait) => [...(causes.get(trait) ?? [])])) };
  });
}
