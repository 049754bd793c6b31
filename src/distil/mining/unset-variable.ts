import { wilsonLower } from "../../domain/proof/wilson.ts";
import type { MatcherCondition, SynthesisPolicy } from "../../domain/rule/matching/synthesis.ts";
import { parseCommands } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { hasTrait, SETS_TRAIT } from "../../domain/shell/variables.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { GroupTry } from "./find-causes.ts";
import type { Remedy } from "./find-remedy.ts";

/** In one session only, the value may be specific to that session. */
const MIN_SESSIONS = 2;

/** A variable that no call has set is no known cause: nothing shows that setting it helps. */
export function withKnownVariables(tries: readonly GroupTry[]): readonly GroupTry[] {
  return tries.map((one) => {
    if (one.cause?.kind !== "unset-variable") return one;
    const sets = SETS_TRAIT + (one.cause.thing ?? "");
    const sessions = new Set(tries.filter((other) => !other.failed && other.traits.has(sets)).map((it) => it.session));
    if (sessions.size >= MIN_SESSIONS) return one;
    return { ...one, cause: null, key: `signature ${one.event.signature ?? ""}` };
  });
}

/** The call without the variable. */
export function findUnsetCondition(
  failed: readonly GroupTry[],
  worked: readonly GroupTry[],
  policy: SynthesisPolicy,
): MatcherCondition | null {
  const sets = SETS_TRAIT + (failed[0]?.cause?.thing ?? "");
  const hits = failed.filter(({ traits }) => !hasTrait(traits, sets));
  const programs = [...(hits[0]?.traits ?? [])].filter(
    (trait) => trait.startsWith("program ") && hits.every(({ traits }) => traits.has(trait)),
  );
  const falseAlarms = worked.filter(
    ({ traits }) => !hasTrait(traits, sets) && programs.every((trait) => traits.has(trait)),
  ).length;
  const lower = wilsonLower(hits.length, hits.length + falseAlarms);
  const isSupported =
    hits.length >= policy.minCount && new Set(hits.map((one) => one.session)).size >= policy.minSessions;
  if (!isSupported || lower < policy.proposePrecision) return null;
  return { has: programs, lacks: [sets], hits: hits.length, falseAlarms, lower };
}

/** The setting with which it always worked: `MAST_FLAG=blue`; null if the values differ or are secret. */
export function findUsualSetting(variable: string, tries: readonly GroupTry[]): Remedy | null {
  const settings = tries
    .filter((one) => !one.failed)
    .flatMap(({ event, session }) =>
      parseCommands(findShellText(event.input) ?? "")
        .flatMap(({ assignments, program, words }) => [...assignments, ...(program === "export" ? words.slice(1) : [])])
        .filter((word) => word.startsWith(`${variable}=`))
        .map((setting) => ({ setting, session })),
    );
  const [only, ...others] = groupBy(settings, (one) => one.setting);
  if (only === undefined || others.length > 0 || !/^\w+=[\w./:@+-]{1,60}$/.test(only[0])) return null;
  if (new Set(only[1].map((one) => one.session)).size < MIN_SESSIONS) return null;
  return { command: null, tool: null, value: only[0], through: null };
}
