import { certainTraits } from "../../domain/cause/cause-traits.ts";
import { existenceKinds } from "../../domain/cause/rule-cause.ts";
import type { Policy } from "../../domain/policy.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { GroupTry } from "./find-causes.ts";

/**
 * Marks the calls that worked before something was removed: an option, a subcommand, a path. Since then such calls failed
 * in several sessions and never worked, so what worked before says nothing about today.
 */
export function markOverturned(
  tries: readonly GroupTry[],
  policy: Pick<Policy["distil"], "minCount" | "minSessions">,
): readonly GroupTry[] {
  const overturned = new Map<GroupTry, Set<string>>();
  const failures = tries.filter((one) => one.failed && one.cause !== null && existenceKinds.has(one.cause.kind));
  for (const failed of groupBy(failures, (one) => `${one.key} ${one.head} ${one.event.workspace}`).values()) {
    const [first] = failed;
    const last = failed.at(-1);
    if (first === undefined || last === undefined) continue;
    const worked = tries.filter((one) => !one.failed && isAlike(one, last));
    const newest = Math.max(...worked.map((one) => one.event.id));
    const since = failed.filter((one) => one.event.id > newest);
    if (since.length < policy.minCount || new Set(since.map((one) => one.session)).size < policy.minSessions) continue;
    for (const one of worked) overturned.set(one, (overturned.get(one) ?? new Set<string>()).add(first.key));
  }
  if (overturned.size === 0) return tries;
  return tries.map((one) => {
    const keys = overturned.get(one);
    return keys === undefined ? one : { ...one, overturned: keys };
  });
}

/** True for a call of the same command in the same workspace that has what the error says is not there. */
function isAlike(one: GroupTry, { cause, head, traits, event }: GroupTry): boolean {
  if (cause === null || one.head !== head || one.event.workspace !== event.workspace) return false;
  return certainTraits(cause, head, traits).some((certain) => certain.every((trait) => one.traits.has(trait)));
}
