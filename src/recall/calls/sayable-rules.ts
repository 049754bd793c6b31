import type { Context } from "../../context.ts";
import type { LocatedCall } from "../../domain/fact/call-needs.ts";
import { compareHardestFirst, type ActiveRule } from "../../domain/rule/rule.ts";
import { listActiveRules } from "../../store/nouns/rules.ts";

/** The readers of the rules. */
export interface Audience {
  readonly workspace: string | null;
  /** Null if a person looks them up; there is no control group then. */
  readonly session: string | null;
  /** The rules in force there, if already read. */
  readonly inPlay?: readonly ActiveRule[] | undefined;
  /** The folder that the agent is in, if known. */
  readonly cwd?: string | null;
  /** The call they would be shown with, if any. */
  readonly call?: LocatedCall | undefined;
}

/**
 * The rules that may be shown, strictest first; used at all moments. `fits` is checked first, because most
 * rules fit no call: the code and data for the other checks are then not loaded.
 */
export async function listSayableRules(
  ctx: Pick<Context, "db" | "clock" | "config">,
  to: Audience,
  fits: (rule: ActiveRule) => boolean | Promise<boolean> = () => true,
): Promise<readonly ActiveRule[]> {
  const inPlay = to.inPlay ?? (await listActiveRules(ctx.db, to.workspace));
  const fitting: ActiveRule[] = [];
  for (const rule of inPlay) if (await fits(rule)) fitting.push(rule);
  if (fitting.length === 0) return [];
  const { canShowRule } = await import("../../domain/trust/showable.ts");
  const { filterHoldingRules } = await import("./holding-here.ts");
  const allowed = fitting.filter((rule) => canShowRule(rule, to.workspace));
  const sayable = await filterHoldingRules(ctx.db, allowed, { inPlay, workspace: to.workspace });
  const withoutHeldOut = to.session === null ? sayable : await dropControlGroup(ctx, sayable, to.session);
  if (withoutHeldOut.length === 0) return [];
  const { keepRulesOfHere } = await import("./rules-of-here.ts");
  return (await keepRulesOfHere(ctx, withoutHeldOut, to)).toSorted(compareHardestFirst);
}

/** A session in a rule's control group is never shown the rule. */
async function dropControlGroup(
  { db, config }: Pick<Context, "db" | "config">,
  rules: readonly ActiveRule[],
  session: string,
): Promise<readonly ActiveRule[]> {
  if (rules.length === 0) return rules;
  const { isInControlGroup, mayBeWithheld } = await import("../../domain/rule/delivery/holdout.ts");
  if (!rules.some((rule) => mayBeWithheld(rule, config.policy.distil))) return rules;
  const { readHoldoutStates } = await import("../../store/shown/rule-sessions.ts");
  const marks = await readHoldoutStates(db);
  const isOnTrial = ({ id }: ActiveRule) => marks.get(id)?.heldSince != null;
  return rules.filter((rule) => !isOnTrial(rule) || !isInControlGroup(rule, session, config.policy.distil));
}
