import type { Context } from "../../context.ts";
import type { LocatedCall } from "../../domain/fact/call-needs.ts";
import { compareHardestFirst, type ActiveRule } from "../../domain/rule/rule.ts";
import { relativePathWithin } from "../../domain/workspace.ts";
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
  const here = to.call === undefined ? inPlay.filter((rule) => !isOfOtherFolder(rule, to)) : inPlay;
  for (const rule of here) if (await fits(rule)) fitting.push(rule);
  if (fitting.length === 0) return [];
  const { canShowRule } = await import("../../domain/trust/showable.ts");
  const { filterHoldingRules } = await import("./holding-here.ts");
  const allowed = fitting.filter((rule) => canShowRule(rule, to.workspace));
  const sayable = await filterHoldingRules(ctx.db, allowed, { inPlay, workspace: to.workspace });
  const withoutHeldOut = to.session === null ? sayable : await dropControlGroup(ctx, sayable, to.session);
  if (withoutHeldOut.length === 0) return [];
  const { keepTrueRules } = await import("./keep-true-rules.ts");
  const { locateRemedy } = await import("../../domain/rule/locate-remedy.ts");
  const kept = await keepTrueRules(ctx, withoutHeldOut, to);
  return kept.map((rule) => locateRemedy(rule, to.call?.cwd ?? null)).toSorted(compareHardestFirst);
}

/** True if the rule is about a script of another folder than the agent's: there it would name the wrong manifest. */
function isOfOtherFolder({ matcher }: ActiveRule, { cwd = null, workspace }: Audience): boolean {
  if (cwd === null || workspace === null) return false;
  const folder = matcher?.has?.find((trait) => trait.startsWith("script in "));
  const own = relativePathWithin(workspace, cwd);
  return folder !== undefined && own !== null && folder !== `script in ${own === "" ? "." : own}`;
}

/** A session in a rule's control group is never shown the rule. */
async function dropControlGroup(
  { db, config }: Pick<Context, "db" | "config">,
  rules: readonly ActiveRule[],
  session: string,
): Promise<readonly ActiveRule[]> {
  if (rules.length === 0) return rules;
  const { isInControlGroup } = await import("../../domain/rule/delivery/holdout.ts");
  const { readHoldoutStates } = await import("../../store/shown/rule-sessions.ts");
  const marks = await readHoldoutStates(db);
  const isOnTrial = ({ id }: ActiveRule) => marks.get(id)?.heldSince != null;
  return rules.filter((rule) => !isOnTrial(rule) || !isInControlGroup(rule, session, config.policy.distil));
}
