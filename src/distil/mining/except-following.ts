import type { FailureCause } from "../../domain/cause/cause.ts";
import { isOfState } from "../../domain/cause/blame.ts";
import { headFailingTrait, ranTrait } from "../../domain/rule/matching/situation.ts";
import { findMainCommand } from "../../domain/shell/command.ts";
import { parseSteps } from "../../domain/shell/step.ts";
import { IN_ENVIRONMENT } from "../../domain/shell/traits.ts";
import type { GroupTry } from "./find-causes.ts";
import type { Remedy } from "./find-remedy.ts";

/** The traits of calls that follow a rule's advice: the rule does not warn of them, and they never count against it. */
export function listFollowingTraits(cause: FailureCause | null, remedy: Remedy | null): readonly string[] {
  const first = remedy?.first == null ? null : findMainCommand(remedy.first);
  const steps =
    remedy?.command == null
      ? []
      : parseSteps({ tool: "bash", input: { command: remedy.command }, cwd: null, workspace: null });
  const before = [...(steps.at(-1)?.traits ?? [])].filter((trait) => trait.startsWith("after "));
  return [
    ...(first === null ? [] : [`after ${first.head}`, ranTrait(first.head)]),
    ...before,
    ...(cause?.kind === "managed-environment" ? [IN_ENVIRONMENT] : []),
  ];
}

/**
 * The trait of a call whose session has met the failure already: where a state was repaired, what works then says nothing
 * about the next session. Only if it leaves a failure of each session, because a command may have failed before for
 * another reason.
 */
export function listRepairTraits(cause: FailureCause | null, matching: readonly GroupTry[]): readonly string[] {
  const [met, first] = [true, false].map((is) => matching.filter(({ traits }) => traits.has(headFailingTrait) === is));
  const sessions = (some: readonly GroupTry[] = []) =>
    new Set(some.filter((one) => one.failed).map((one) => one.session));
  const isRepaired = isOfState(cause?.kind ?? null) && met?.some((one) => !one.failed) === true;
  return isRepaired && sessions(first).size === sessions(matching).size ? [headFailingTrait] : [];
}

export function withLacks<T extends { readonly lacks?: readonly string[] }>(given: T, traits: readonly string[]): T {
  const { lacks = [] } = given;
  const added = traits.filter((trait) => !lacks.includes(trait));
  return added.length === 0 ? given : { ...given, lacks: [...lacks, ...added].toSorted() };
}
