import type { FailureCause } from "../../domain/cause/cause.ts";
import { ranTrait } from "../../domain/rule/matching/situation.ts";
import { findMainCommand } from "../../domain/shell/command.ts";
import { parseSteps } from "../../domain/shell/step.ts";
import { IN_ENVIRONMENT } from "../../domain/shell/traits.ts";
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

export function withLacks<T extends { readonly lacks?: readonly string[] }>(given: T, traits: readonly string[]): T {
  const { lacks = [] } = given;
  const added = traits.filter((trait) => !lacks.includes(trait));
  return added.length === 0 ? given : { ...given, lacks: [...lacks, ...added].toSorted() };
}
