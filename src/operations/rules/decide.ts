import { z } from "zod";
import { loadConfig } from "../../config.ts";
import type { Context } from "../../context.ts";
import * as decisions from "../../domain/rule/decisions.ts";
import { isOfUnknownCause } from "../../domain/rule/unknown-cause.ts";
import { findTaughtRisk, isUnsayable } from "../../domain/rule/matching/unsayable.ts";
import type { Rule } from "../../domain/rule/rule.ts";
import { OldhandError } from "../../lib/errors.ts";
import { defineOperation } from "../../operation.ts";
import { findWithheld } from "../../recall/calls/drop-unsayable.ts";
import { explainSilence } from "../../recall/calls/explain-silence.ts";
import { decideRule } from "../../record/decide-rule.ts";
import { makeProvenance } from "../../store/journal/journal.ts";
import { noteAcceptedRisk, readAcceptedRisks } from "../../store/nouns/accepted-risks.ts";
import { resolveId } from "../shared/resolve-id.ts";
import { changeOut, ruleOut } from "../shared/shapes.ts";
import { findRule } from "./find-rule.ts";
import { formatRuleDecision, ruleDecisionShape, ruleId } from "./rule-decision.ts";

const approve = defineOperation({
  name: "rules approve",
  summary: "Approves a rule: it is in force from now on.",
  effect: "write",
  input: z.object({
    id: ruleId,
    risky: z
      .boolean()
      .optional()
      .describe(
        "also if nothing shows that what it teaches is the same act, or if that forces, deletes or skips a check",
      ),
    remedy: z
      .boolean()
      .optional()
      .describe("also teach what worked, which agents are not shown without review (`oldhand rules why`)"),
  }),
  positional: ["id"],
  output: ruleDecisionShape,
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const rule = await findRule(ctx.db, input.id);
    const taught = input.remedy === true ? decisions.approveWithheldAdvice(rule) : null;
    if (input.remedy === true && taught === null)
      throw new OldhandError("refused", `rule ${rule.id} has no advice that is withheld from agents`, {
        hint: `oldhand rules approve ${rule.id} approves it as it is`,
      });
    if (taught === null && isOfUnknownCause(rule))
      throw new OldhandError(
        "refused",
        `rule ${rule.id} cannot be approved: it only says that calls fail, not what to do`,
        {
          hint: [
            ...(rule.evidence.remedy?.withheld === undefined
              ? []
              : [
                  `oldhand rules approve ${rule.id} --remedy --risky teaches what worked (oldhand rules why ${rule.id})`,
                ]),
            `oldhand rules edit ${rule.id} --text TEXT says what to do`,
            `oldhand rules reject ${rule.id} drops it`,
          ].join("; "),
        },
      );
    const approved = taught ?? decisions.approveRule(rule);
    const risk = findTaughtRisk(approved);
    const isSilenced =
      risk !== null && isUnsayable(approved) && (await readAcceptedRisks(ctx.db)).get(rule.id) !== risk;
    if (isSilenced && input.risky !== true)
      throw new OldhandError("refused", `rule ${rule.id} teaches a command that ${risk}: ${approved.text}`, {
        hint: `agents would read it; if you want that: oldhand rules approve ${rule.id}${taught === null ? "" : " --remedy"} --risky`,
      });
    const fault = taught === null ? await findWithheld(ctx.db, rule) : (rule.evidence.remedy?.withheld?.reason ?? null);
    if (fault !== null && input.risky !== true)
      throw new OldhandError(
        "refused",
        `rule ${rule.id} teaches what nothing shows to be the same act (${fault}): ${approved.text}`,
        {
          hint: `agents would read it; if you want that: oldhand rules approve ${rule.id}${taught === null ? "" : " --remedy"} --risky`,
        },
      );
    if (isSilenced) await noteAcceptedRisk(ctx.db, rule.id, risk);
    return decide(ctx, rule.id, "rules approve", (now) =>
      taught === null ? decisions.approveRule(now) : (decisions.approveWithheldAdvice(now) ?? now),
    );
  },
  render: formatRuleDecision,
});
const reject = decision(
  "reject",
  "Rejects a rule: it says nothing and is not proposed again, unless you approve it later.",
  decisions.rejectRule,
);
const retire = decision("retire", "Retires a rule: it says nothing any more, but is kept.", decisions.retireRule);
const mute = decision(
  "mute",
  "Mutes a rule: it says nothing and does not wait for review, but is still counted.",
  decisions.muteRule,
);
const pin = decision("pin", "Pins a rule: it does not decay.", decisions.pinRule);
const unpin = decision("unpin", "Unpins a rule: it can decay again.", decisions.unpinRule);

function decision<Verb extends string>(verb: Verb, summary: string, next: (rule: Rule) => Rule) {
  return defineOperation({
    name: `rules ${verb}` as const,
    summary,
    effect: "write",
    input: z.object({ id: ruleId }),
    positional: ["id"],
    output: ruleDecisionShape,
    isOwnerOnly: () => true,
    run: (ctx, input) => decide(ctx, input.id, `rules ${verb}`, next),
    render: formatRuleDecision,
  });
}

async function decide(
  ctx: Context,
  subject: string,
  verb: string,
  next: (rule: Rule) => Rule,
): Promise<z.infer<typeof ruleDecisionShape>> {
  const made = await decideRule(ctx, await resolveId(ctx.db, "rules", subject), makeProvenance(ctx, verb), next);
  const silence = explainOff(ctx) ?? (await explainSilence(ctx, made.rule));
  const rule = { ...ruleOut(made.rule), ...(silence === null ? {} : { silence }) };
  return { rule, change: made.change && changeOut(made.change) };
}

function explainOff({ config }: Pick<Context, "config">): string | null {
  // Read again: it may have been switched since this process started.
  return loadConfig({ home: config.home }).off.everywhere ? "oldhand is off (oldhand on)" : null;
}

export const ruleDecisions = [approve, reject, mute, pin, unpin, retire] as const;
