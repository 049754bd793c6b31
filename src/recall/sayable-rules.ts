import type { Context } from "../context.ts";
import { hardestFirst, type RuleInPlay } from "../domain/rule/rule.ts";
import { rulesInPlay } from "../store/rules.ts";

/** Who would read the rules. */
export interface Audience {
  readonly workspace: string | null;
  /** Null where a person looks them up: nothing is held out then. */
  readonly session: string | null;
  /** The rules in force there, where they were read already. */
  readonly inPlay?: readonly RuleInPlay[] | undefined;
}

/**
 * The rules that may be said, hardest first; all moments get their rules here. `fits` comes first, as most rules fit no
 * call: what is needed to judge the rest is loaded and read only where one does.
 */
export async function sayableRules(
  ctx: Pick<Context, "db" | "config">,
  to: Audience,
  fits: (rule: RuleInPlay) => boolean | Promise<boolean> = () => true,
): Promise<readonly RuleInPlay[]> {
  const inPlay = to.inPlay ?? (await rulesInPlay(ctx.db, to.workspace));
  const fitting: RuleInPlay[] = [];
  for (const rule of inPlay) if (await fits(rule)) fitting.push(rule);
  if (fitting.length === 0) return [];
  const { maySay } = await import("../domain/trust/sayable.ts");
  const { holdingHere } = await import("./holding-here.ts");
  const said = fitting.filter((rule) => maySay(rule, to.workspace));
  const sayable = await holdingHere(ctx.db, said, { inPlay, workspace: to.workspace });
  const heard = to.session === null ? sayable : await withoutControl(ctx, sayable, to.session);
  return heard.toSorted(hardestFirst);
}

/** A session in a rule's control group hears nothing of it, at no moment: it shows what happens without. */
async function withoutControl(
  { db, config }: Pick<Context, "db" | "config">,
  rules: readonly RuleInPlay[],
  session: string,
): Promise<readonly RuleInPlay[]> {
  if (rules.length === 0) return rules;
  const { isControl } = await import("../domain/rule/hold-out.ts");
  const { ruleMarks } = await import("../store/rule-sessions.ts");
  const marks = await ruleMarks(db);
  const isOnTrial = ({ id }: RuleInPlay) => marks.get(id)?.heldSince != null;
  return rules.filter((rule) => !isOnTrial(rule) || !isControl(rule, session, config.policy.distil));
}
