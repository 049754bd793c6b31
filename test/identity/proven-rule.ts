import type { Rule } from "../../src/domain/rule/rule.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { addRuleSessions } from "../../src/store/shown/rule-sessions.ts";
import { aRule, put } from "../store/samples.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";

/**
 * Stores a rule in force with sixty sessions before it, half of which made the mistake, and sixty after it, of which
 * none did.
 */
export async function provenRule(db: Db, id: string, over: Partial<Rule> = {}, isUseless = false): Promise<void> {
  const matcher = { tool: `tool-${id}` };
  const rule = aRule(id, {
    text: `Mind ${id}.`,
    status: "approved",
    level: "nudge",
    confidence: 0.95,
    origin: "tool",
    matcher,
    evidence: { observations: 30, sessions: 12, first: 0, last: 1, refs: [] },
    ...over,
  });
  const made = await put(db, ruleNoun, rule, { at: 1_000 });
  const sessions = Array.from({ length: 120 }, (_one, at) => {
    const attempts = (at < 60 || isUseless) && at % 2 === 1 ? 2 : 0;
    const time = (made?.at ?? 0) + at - 60;
    return {
      host: "claude-code",
      session: `${id} ${at}`,
      at: time,
      opportunities: 2,
      attempts,
      failed: attempts,
      worked: 0,
    };
  });
  await db.tx((tx) => addRuleSessions(tx, { id, matcher }, { from: 0, upTo: 1, recentSince: 0, sessions }));
}
