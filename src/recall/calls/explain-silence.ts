import { explainAdviceFailures } from "../../domain/remedy/advice-record.ts";
import { findTaughtRisk, isRiskAccepted, isUnsayable } from "../../domain/rule/matching/unsayable.ts";
import type { Context } from "../../context.ts";
import { formatDay } from "../../domain/fact/fact-message.ts";
import { isFromUserWords } from "../../domain/rule/backing.ts";
import { isMuted, isSpeaking, type Rule } from "../../domain/rule/rule.ts";
import { isShowable } from "../../domain/trust/showable.ts";
import { plural } from "../../lib/text.ts";
import { readAcceptedRisks } from "../../store/nouns/accepted-risks.ts";
import { readHoldEvidence } from "../../store/shown/rule-sessions.ts";
import { listActiveRules } from "../../store/nouns/rules.ts";
import { findWithheld } from "./drop-unsayable.ts";
import { filterHoldingRules } from "./holding-here.ts";
import { keepTrueRules } from "./keep-true-rules.ts";
import { findLastWorked } from "./silenced-rules.ts";
import { wrongAmong } from "./wrong-rules.ts";

type SilenceContext = Pick<Context, "db" | "clock" | "config">;

/** Why agents are not shown a rule now, although its status and level allow it; null if they are. */
export async function explainSilence(ctx: SilenceContext, rule: Rule): Promise<string | null> {
  if (!isSpeaking(rule)) return null;
  const unsayable = await explainUnsayable(ctx, rule);
  if (unsayable !== null) return unsayable;
  const fails = rule.evidence.adviceFails;
  if (fails !== undefined && rule.level !== "ask" && rule.level !== "deny") return explainAdviceFailures(fails);
  const [wrong] = await wrongAmong(ctx, [rule]);
  if (wrong !== undefined)
    return `${wrong.calls - wrong.failed} of ${wrong.calls} calls that it warns against worked; decide with: oldhand review`;
  const workspace = rule.scope.kind === "workspace" ? rule.scope.workspace : null;
  const holding = await filterHoldingRules(ctx.db, [rule], {
    inPlay: await listActiveRules(ctx.db, workspace),
    workspace,
  });
  if (holding.length === 0) return "another rule in force there warns against its advice, or calls there disprove it";
  const kept = await keepTrueRules(ctx, [rule], { workspace });
  return kept.length > 0 ? null : "it no longer holds here; it is shown again after the next such failure";
}

/** True if agents are shown the rule now, by its status and level and by what is known of its calls. */
export async function isShownNow(ctx: SilenceContext, rule: Rule): Promise<boolean> {
  return isShowable(rule) && (await explainSilence(ctx, rule)) === null;
}

/** Why no agent may read the rule, whatever its level; null if agents may. */
async function explainUnsayable({ db }: Pick<Context, "db">, rule: Rule): Promise<string | null> {
  const withheld = await findWithheld(db, rule);
  if (withheld !== null)
    return `${withheld}; agents are not taught that without review, so approve it only if it is right`;
  if (!isUnsayable(rule)) return null;
  const risk = findTaughtRisk(rule);
  if (risk === null)
    return `oldhand does not recognise the cause; to say what to do, run: oldhand rules edit ${rule.id} --text TEXT`;
  if (isRiskAccepted(rule, await readAcceptedRisks(db))) return null;
  return `it teaches a command that ${risk}; if you want that, run: oldhand rules approve ${rule.id} --risky`;
}

/** Why a mined rule is at `watch`: what its calls say. Null for other rules, and if nothing was counted. */
export async function explainWatch({ db, config }: SilenceContext, rule: Rule): Promise<string | null> {
  const { level, origin, matcher, scope } = rule;
  if (level !== "watch" || origin !== "tool" || matcher === null || isMuted(rule) || isFromUserWords(rule)) return null;
  const { failed, worked } = await readHoldEvidence(db, rule.id);
  if (failed + worked === 0) return null;
  const unsayable = await explainUnsayable({ db }, rule);
  if (unsayable !== null) return `its level is watch: ${unsayable}`;
  const { minCount, minSessions } = config.policy.distil;
  const { sessions } = rule.evidence;
  const few = `its level is watch: ${plural(failed, "call")} failed in ${plural(sessions, "session")}, and it needs ${minCount} in ${plural(minSessions, "session")}`;
  if (worked === 0) return few;
  const last = scope.kind === "workspace" ? await findLastWorked(db, rule, scope.workspace) : null;
  const when = last === null ? "" : ` on ${formatDay(last)}`;
  const calls = worked === 1 ? `a call worked${when}` : `${worked} calls worked, the last${when}`;
  return `its level is watch: ${calls} (${failed} of ${failed + worked} failed)`;
}
