import type { Context } from "../../context.ts";
import type { LocatedCall } from "../../domain/fact/call-needs.ts";
import { compareHardestFirst, type ActiveRule } from "../../domain/rule/rule.ts";
import { listActiveRules } from "../../store/nouns/rules.ts";

/** Who would read the rules. */
export interface Audience {
  readonly workspace: string | null;
  /** Null where a person looks them up: nothing is held out then. */
  readonly session: string | null;
  /** The rules in force there, where they were read already. */
  readonly inPlay?: readonly ActiveRule[] | undefined;
  /** The call that they would be read with, where there is one. */
  readonly call?: LocatedCall | undefined;
}

/**
 * The rules that may be said, hardest first; all moments get their rules here. `fits` comes first, as most rules fit no
 * call: what is needed to judge the rest is loaded and read only where one does.
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
  const { keepTrueRules } = await import("./keep-true-rules.ts");
  return (await keepTrueRules(ctx, withoutHeldOut, to)).toSorted(compareHardestFirst);
}

/** A session in a rule's control group hears nothing of it, at no moment: it shows what happens without. */
async function dropControlGroup(
  { db, config }: Pick<Context, "db" | "config">,
  rules: readonly ActiveRule[],
  session: string,
): Promise<readonly ActiveRule[]> {
  if (rules.length === 0) return rules;
  const { isInControlGroup } = await import("../../domain/rule/holdout.ts");
  const { readHoldoutStates } = await import("../../store/shown/rule-sessions.ts");
  const marks = await readHoldoutStates(db);
  const isOnTrial = ({ id }: ActiveRule) => marks.get(id)?.heldSince != null;
  return rules.filter((rule) => !isOnTrial(rule) || !isInControlGroup(rule, session, config.policy.distil));
}
